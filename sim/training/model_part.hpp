// Which coordinates of a model a vector carries, where sender and receiver both know it: no indices travel.
//
//   const ModelPart part = ModelPart::fragment(round % 4, 4);
//   Reduced sum = co_await w.all_reduce(stream, part.of(delta), {.part = part});
//   part.write(theta, part.of(theta) - sum.mean);
//
// The vector of a part is compact: it has its own layout, the layers of the model cut to the part. What it
// weighs on the wire follows from the same cut of the charged workload's tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "learning/vector.hpp"
#include "training/encoding.hpp"

namespace convoy {

class ModelPart {
 public:
  /// All coordinates.
  ModelPart() = default;
  /// Run `index` of `count` runs of equal length (to one coordinate) of all coordinates in order: a fragment
  /// of Streaming DiLoCo. Throws std::logic_error unless 0 <= index < count.
  [[nodiscard]] static ModelPart fragment(std::int64_t index, std::int64_t count);
  /// Each coordinate with probability `share` in (0, 1], drawn from the stream (seed, "model part", round):
  /// the same for all who share the seed (SPARTA). Costs O(share x size).
  [[nodiscard]] static ModelPart random(double share, std::uint64_t seed, std::uint64_t round);
  /// Coordinate i of round t where permutation(i) mod period = t mod period: every coordinate once a period.
  [[nodiscard]] static ModelPart turn(std::int64_t period, std::uint64_t seed, std::uint64_t round);

  [[nodiscard]] bool whole() const { return kind_ == Kind::whole; }
  /// Parts of one number have the same coordinates in every message, so that a residual of error feedback
  /// fits; -1: they change from message to message.
  [[nodiscard]] std::int64_t number() const;

  /// The coordinates of the part; shares the buffer of x where the part is the whole.
  [[nodiscard]] Vector of(const Vector& x) const;
  /// Those coordinates of x become `values`. Throws std::logic_error where the sizes differ.
  void write(Vector& x, const Vector& values) const;
  /// The tensors that the part weighs as; a random part counts as its expected share of each tensor.
  [[nodiscard]] WireShape of(const WireShape& shape) const;

 private:
  enum class Kind { whole, fragment, random, turn };
  struct Cut {
    std::vector<std::size_t> coordinates;  // ascending
    std::shared_ptr<const Layout> layout;
  };
  [[nodiscard]] Cut cut(const Layout& layout) const;
  [[nodiscard]] std::vector<std::size_t> coordinates(std::size_t size) const;

  Kind kind_ = Kind::whole;
  std::int64_t index_ = 0, count_ = 1;
  double share_ = 1;
  std::uint64_t seed_ = 0, round_ = 0;
};

}  // namespace convoy
