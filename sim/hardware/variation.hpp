// How the time of a step departs from its nominal one: random factors on its work, and speeds that change in
// virtual time.
//
//   "variation": [{"kind": "log_normal", "sigma": 0.2},
//                 {"kind": "slow_period", "workers": [3], "slowdown": 5, "from": "10 s", "to": "60 s"}]
//
// Sources multiply. Draws are keyed by (seed, kind, entity, step), so that every algorithm and every other
// worker sees the same luck; the entity is the worker, or with "shared_by" its host or site.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/options.hpp"
#include "core/time.hpp"

namespace convoy {

/// Whose luck it is.
struct DrawKey {
  std::uint64_t seed = 0;
  std::uint64_t entity = 0;
};

/// A piece of a speed that is constant in time.
struct SpeedPiece {
  double speed = 1;      ///< multiplies the rate of the device; 0: it stands still
  Duration length{};     ///< from the end of the piece before
  bool endless = false;  ///< the last piece
};

/// The speed of one entity from time 0 on, piece by piece.
class SpeedCurve {
 public:
  virtual ~SpeedCurve() = default;
  /// The next piece. Not called again after an endless one.
  virtual SpeedPiece next() = 0;
};

/// Departure of one step from its nominal time.
struct StepFactor {
  double factor = 1;  ///< multiplies the work
  Duration added{};   ///< comes on top
};

/// One source of variation.
class Variation {
 public:
  enum class SharedBy { worker, host, site };
  virtual ~Variation() = default;
  [[nodiscard]] virtual std::string_view kind() const = 0;
  /// One line for `sim list`.
  [[nodiscard]] virtual std::string_view about() const = 0;
  /// "workers" and "shared_by", and what the kind adds.
  virtual void declare(Options& options);
  /// Of step 0, 1, ... of an entity. `before` is the number that the source returned in `state` for the step
  /// before (0 for the first), for sources with memory.
  [[nodiscard]] virtual StepFactor step(const DrawKey& key, std::uint64_t step, double& state) const;
  /// Null where the speed does not change in time.
  [[nodiscard]] virtual std::unique_ptr<SpeedCurve> curve(const DrawKey& key) const;

  /// Whether it concerns the worker of that index.
  [[nodiscard]] bool concerns(std::int64_t worker) const;
  [[nodiscard]] SharedBy shared_by() const { return shared_by_; }
  [[nodiscard]] const std::vector<std::int64_t>& workers() const { return workers_; }

 private:
  std::vector<std::int64_t> workers_;  // empty: all
  SharedBy shared_by_ = SharedBy::worker;
};

/// log_normal, shifted_exponential, pareto, weibull, gamma, bernoulli, ar1, persistent_uniform, markov,
/// pauses, slow_period, delay.
[[nodiscard]] VariantMakers<Variation> variation_makers();

}  // namespace convoy
