// The one vector type of models, gradients and messages: run-time precision, named layers, copy-on-write.
//
//   Vector x = task.initial_parameters();
//   Vector start = x;                      // shares the buffer, costs one atomic increment
//   x.axpy(-0.1, gradient);                // x gets a buffer of its own, start keeps the old values
//   Vector delta = start - x;              // one pass
//   Vector average = mean(deltas);         // adds ranks in order, per coordinate
//
// Threads: distinct Vector objects may be copied, read, written and dropped by distinct threads at once, even
// if they share a buffer; one object needs the usual care (many readers or one writer). Mixing sizes or
// precisions, or asking for the wrong scalar type, throws std::logic_error. A default-made Vector has size 0,
// no layers, and float32.
//
// Every result is the same on each machine of an instruction set and for any number of threads: element-wise
// operations round once an operation (no fused multiply-add), reductions add in a fixed order.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "learning/layout.hpp"
#include "learning/precision.hpp"

namespace convoy {

class StableHasher;
template <class T>
class Rewrite;

class Vector {
 public:
  Vector() noexcept = default;
  /// Zeros.
  Vector(std::shared_ptr<const Layout> layout, Precision precision);
  /// The given values, rounded to the precision. Throws std::logic_error if their number is not the layout's
  /// size.
  Vector(std::shared_ptr<const Layout> layout, Precision precision, std::span<const double> values);
  Vector(const Vector& other) noexcept;
  Vector(Vector&& other) noexcept;
  Vector& operator=(const Vector& other) noexcept;
  Vector& operator=(Vector&& other) noexcept;
  ~Vector();

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] Precision precision() const noexcept;
  [[nodiscard]] const Layout& layout() const;
  /// The layout to make other vectors with; null for a default-made Vector.
  [[nodiscard]] std::shared_ptr<const Layout> shared_layout() const;
  /// True if no other Vector shows this buffer, so that writing costs no copy.
  [[nodiscard]] bool unshared() const noexcept;
  /// True if both show the same buffer (equal without looking). False says nothing.
  [[nodiscard]] bool shares_buffer_with(const Vector& other) const noexcept {
    return buffer_ == other.buffer_;
  }

  /// All coordinates. T must be the scalar of precision().
  template <class T>
  [[nodiscard]] std::span<const T> values() const;
  /// All coordinates for writing, in a buffer that no other Vector shows.
  template <class T>
  [[nodiscard]] std::span<T> mutable_values();
  /// The coordinates of layer `index`, stored row by row.
  template <class T>
  [[nodiscard]] std::span<const T> layer(std::size_t index) const;
  template <class T>
  [[nodiscard]] std::span<T> mutable_layer(std::size_t index);
  /// Turns this into a vector of `layout` and T whose every coordinate the caller is about to write: the
  /// values are unspecified. The present buffer is used again if nobody shares it and it fits.
  template <class T>
  [[nodiscard]] std::span<T> overwrite(const std::shared_ptr<const Layout>& layout);

  [[nodiscard]] double operator[](std::size_t index) const;
  void set(std::size_t index, double value);
  [[nodiscard]] std::vector<double> to_doubles() const;

  /// this += a x
  Vector& axpy(double a, const Vector& x);
  /// this = a this + b x
  Vector& combine(double a, double b, const Vector& x);
  /// this = (1 - w) this + w x; w = 0 keeps this and w = 1 gives x exactly.
  Vector& lerp(const Vector& x, double w);
  Vector& scale(double a);
  Vector& assign_zero();
  /// Coordinates [first, last) become those of x.
  Vector& assign_range(const Vector& x, std::size_t first, std::size_t last);
  Vector& operator+=(const Vector& x) { return axpy(1, x); }
  Vector& operator-=(const Vector& x);
  friend Vector operator+(const Vector& a, const Vector& b);
  friend Vector operator-(const Vector& a, const Vector& b);
  friend Vector operator*(double a, const Vector& x);

  /// Sums in float64, eight interleaved partial sums, the same order on every machine.
  [[nodiscard]] double dot(const Vector& x) const;
  [[nodiscard]] double squared_norm() const { return dot(*this); }
  /// Euclidean norm.
  [[nodiscard]] double norm() const;
  /// The Euclidean norm of this - x, without making the difference.
  [[nodiscard]] double distance(const Vector& x) const;
  /// False if any coordinate is infinite or not a number.
  [[nodiscard]] bool finite() const;
  /// Feeds the size, the precision and the bytes of all coordinates.
  void hash_into(StableHasher& hasher) const;
  /// Same size, precision and bits.
  friend bool operator==(const Vector& a, const Vector& b);

 private:
  template <class T>
  friend class Rewrite;
  struct Buffer;
  void release() noexcept;
  Buffer* buffer_ = nullptr;
};

/// One pass that reads each old coordinate and writes each new one: `after[i] = f(before[i])`. If the buffer
/// is shared, `after` is a fresh one and nothing is copied; else both are the same memory. `before` stays
/// readable until the Rewrite dies.
template <class T>
class Rewrite {
 public:
  /// `fresh`: write into a fresh buffer even if the present one is unshared.
  explicit Rewrite(Vector& vector, bool fresh = false);
  Rewrite(const Rewrite&) = delete;
  Rewrite& operator=(const Rewrite&) = delete;
  [[nodiscard]] const T* before() const { return before_; }
  [[nodiscard]] T* after() const { return after_; }

 private:
  Vector old_;
  const T* before_ = nullptr;
  T* after_ = nullptr;
};

/// (x_0 + x_1 + ...) / n: each coordinate adds ranks in order, in float64, and is rounded once to the
/// precision. Throws std::logic_error without vectors.
[[nodiscard]] Vector mean(std::span<const Vector> vectors);
/// sum_i w_i x_i, each coordinate adding ranks in order, in float64. As many weights as vectors, at least
/// one.
[[nodiscard]] Vector weighted_sum(std::span<const double> weights, std::span<const Vector> vectors);
/// Coordinates [first, last) of weighted_sum, written into `result`, which must be unshared and of the same
/// size: for several jobs that fill disjoint ranges at once.
void weighted_sum_range(std::span<const double> weights, std::span<const Vector> vectors, Vector& result,
                        std::size_t first, std::size_t last);
/// The same for mean.
void mean_range(std::span<const Vector> vectors, Vector& result, std::size_t first, std::size_t last);

}  // namespace convoy
