#include "learning/vector.hpp"

#include <atomic>
#include <cmath>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

#include "core/hash.hpp"
#include "learning/detail/kernels.hpp"

namespace convoy {

// The header of one allocation; values follow, both aligned to a cache line. Owners count themselves in
// `references`: whoever sees 1 with an acquire load is the only owner, and sees every access of former owners
// as done.
struct Vector::Buffer {
  static constexpr std::size_t alignment = 64;

  std::atomic<std::uint32_t> references{1};
  Precision precision;
  std::size_t size;
  std::shared_ptr<const Layout> layout;
  void* allocation;

  Buffer(std::shared_ptr<const Layout> of, Precision scalar, void* memory)
      : precision(scalar), size(of->size), layout(std::move(of)), allocation(memory) {}

  [[nodiscard]] static Buffer* make(std::shared_ptr<const Layout> layout, Precision precision) {
    const std::size_t bytes = layout->size * bytes_of(precision);
    std::size_t space = bytes + 2 * alignment;
    void* const memory = ::operator new(space);
    void* aligned = memory;
    std::align(alignment, alignment + bytes, aligned, space);
    return ::new (aligned) Buffer(std::move(layout), precision, memory);
  }

  template <class T>
  [[nodiscard]] T* data() {
    return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(this) + alignment);
  }
  [[nodiscard]] std::byte* bytes() { return data<std::byte>(); }
  [[nodiscard]] std::size_t byte_count() const { return size * bytes_of(precision); }

  void drop() noexcept {
    if (references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    void* const memory = allocation;
    this->~Buffer();
    ::operator delete(memory);
  }
};

namespace {

[[noreturn]] void refuse(const char* what) {
  throw std::logic_error(std::string("Vector: ") + what);
}

void require_like(const Vector& a, const Vector& b) {
  if (a.size() != b.size()) refuse("operands of different size");
  if (a.precision() != b.precision()) refuse("operands of different precision");
}

void require_range(const Vector& vector, std::size_t first, std::size_t last) {
  if (first > last || last > vector.size()) refuse("range outside the vector");
}

// Calls visit(T{}) with the scalar of the vector, unless there are no coordinates.
template <class F>
void visit(const Vector& vector, F&& function) {
  if (!vector.empty()) with_scalar(vector.precision(), std::forward<F>(function));
}

}  // namespace

Vector::Vector(std::shared_ptr<const Layout> layout, Precision precision) {
  static_assert(sizeof(Buffer) <= Buffer::alignment);
  if (!layout) refuse("no layout");
  buffer_ = Buffer::make(std::move(layout), precision);
  std::memset(buffer_->bytes(), 0, buffer_->byte_count());
}

Vector::Vector(std::shared_ptr<const Layout> layout, Precision precision, std::span<const double> values) {
  if (!layout) refuse("no layout");
  if (values.size() != layout->size) refuse("as many values as the layout has coordinates are needed");
  buffer_ = Buffer::make(std::move(layout), precision);
  with_scalar(precision, [&](auto scalar) {
    using T = decltype(scalar);
    T* out = buffer_->data<T>();
    for (const double value : values) *out++ = static_cast<T>(value);
  });
}

Vector::Vector(const Vector& other) noexcept : buffer_(other.buffer_) {
  if (buffer_) buffer_->references.fetch_add(1, std::memory_order_relaxed);
}

Vector::Vector(Vector&& other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}

Vector& Vector::operator=(const Vector& other) noexcept {
  Vector copy(other);
  std::swap(buffer_, copy.buffer_);
  return *this;
}

Vector& Vector::operator=(Vector&& other) noexcept {
  if (this != &other) {
    release();
    buffer_ = std::exchange(other.buffer_, nullptr);
  }
  return *this;
}

Vector::~Vector() {
  release();
}

void Vector::release() noexcept {
  if (buffer_) buffer_->drop();
  buffer_ = nullptr;
}

bool Vector::unshared() const noexcept {
  return !buffer_ || buffer_->references.load(std::memory_order_acquire) == 1;
}

std::size_t Vector::size() const noexcept {
  return buffer_ ? buffer_->size : 0;
}

Precision Vector::precision() const noexcept {
  return buffer_ ? buffer_->precision : Precision::float32;
}

const Layout& Vector::layout() const {
  if (!buffer_) refuse("a default-made Vector has no layout");
  return *buffer_->layout;
}

std::shared_ptr<const Layout> Vector::shared_layout() const {
  return buffer_ ? buffer_->layout : std::shared_ptr<const Layout>();
}

template <class T>
std::span<const T> Vector::values() const {
  if (!buffer_) return {};
  if (buffer_->precision != precision_of<T>) refuse("values asked for in another precision");
  return {buffer_->data<T>(), buffer_->size};
}

template <class T>
std::span<T> Vector::mutable_values() {
  if (!buffer_) return {};
  if (buffer_->precision != precision_of<T>) refuse("values asked for in another precision");
  if (!unshared()) {
    Buffer* const fresh = Buffer::make(buffer_->layout, buffer_->precision);
    std::memcpy(fresh->bytes(), buffer_->bytes(), buffer_->byte_count());
    release();
    buffer_ = fresh;
  }
  return {buffer_->data<T>(), buffer_->size};
}

template <class T>
std::span<const T> Vector::layer(std::size_t index) const {
  const LayerSpan& span = layout().layers.at(index);
  return values<T>().subspan(span.offset, span.size());
}

template <class T>
std::span<T> Vector::mutable_layer(std::size_t index) {
  const LayerSpan span = layout().layers.at(index);
  return mutable_values<T>().subspan(span.offset, span.size());
}

template <class T>
std::span<T> Vector::overwrite(const std::shared_ptr<const Layout>& layout) {
  if (!layout) refuse("no layout");
  const bool fits = buffer_ && buffer_->layout == layout && buffer_->precision == precision_of<T>;
  if (!fits || !unshared()) {
    Buffer* const fresh = Buffer::make(layout, precision_of<T>);
    release();
    buffer_ = fresh;
  }
  return {buffer_->data<T>(), buffer_->size};
}

double Vector::operator[](std::size_t index) const {
  require_range(*this, index, index + 1);
  return precision() == Precision::float32 ? static_cast<double>(buffer_->data<float>()[index])
                                           : buffer_->data<double>()[index];
}

void Vector::set(std::size_t index, double value) {
  require_range(*this, index, index + 1);
  visit(*this, [&](auto scalar) {
    using T = decltype(scalar);
    mutable_values<T>()[index] = static_cast<T>(value);
  });
}

std::vector<double> Vector::to_doubles() const {
  std::vector<double> result(size());
  visit(*this, [&](auto scalar) {
    std::size_t i = 0;
    for (const auto value : values<decltype(scalar)>()) result[i++] = static_cast<double>(value);
  });
  return result;
}

template <class T>
Rewrite<T>::Rewrite(Vector& vector, bool fresh) {
  if (!vector.buffer_) return;
  if (vector.precision() != precision_of<T>) refuse("rewritten in another precision");
  if (!fresh && vector.unshared()) {
    before_ = after_ = vector.buffer_->data<T>();
    return;
  }
  old_.buffer_ = Vector::Buffer::make(vector.buffer_->layout, precision_of<T>);
  std::swap(old_.buffer_, vector.buffer_);
  before_ = old_.buffer_->data<T>();
  after_ = vector.buffer_->data<T>();
}

Vector& Vector::axpy(double a, const Vector& x) {
  if (this == &x) return axpy(a, Vector(x));
  require_like(*this, x);
  visit(*this, [&](auto scalar) {
    using T = decltype(scalar);
    const Rewrite<T> pass(*this);
    detail::axpy(pass.before(), pass.after(), size(), a, x.values<T>().data());
  });
  return *this;
}

Vector& Vector::combine(double a, double b, const Vector& x) {
  if (this == &x) return combine(a, b, Vector(x));
  require_like(*this, x);
  visit(*this, [&](auto scalar) {
    using T = decltype(scalar);
    const Rewrite<T> pass(*this);
    detail::combine(pass.before(), pass.after(), size(), a, b, x.values<T>().data());
  });
  return *this;
}

Vector& Vector::lerp(const Vector& x, double w) {
  require_like(*this, x);
  if (w == 0) return *this;
  if (w == 1) return *this = x;
  return combine(1 - w, w, x);
}

Vector& Vector::scale(double a) {
  visit(*this, [&](auto scalar) {
    using T = decltype(scalar);
    const Rewrite<T> pass(*this);
    detail::scale(pass.before(), pass.after(), size(), a);
  });
  return *this;
}

Vector& Vector::assign_zero() {
  visit(*this, [&](auto scalar) {
    const auto all = overwrite<decltype(scalar)>(shared_layout());
    std::memset(all.data(), 0, all.size_bytes());
  });
  return *this;
}

Vector& Vector::assign_range(const Vector& x, std::size_t first, std::size_t last) {
  require_like(*this, x);
  require_range(*this, first, last);
  if (first == last || shares_buffer_with(x)) return *this;
  if (first == 0 && last == size()) return *this = x;
  visit(*this, [&](auto scalar) {
    using T = decltype(scalar);
    std::memcpy(mutable_values<T>().data() + first, x.values<T>().data() + first, (last - first) * sizeof(T));
  });
  return *this;
}

Vector& Vector::operator-=(const Vector& x) {
  if (this == &x) return *this -= Vector(x);
  require_like(*this, x);
  visit(*this, [&](auto scalar) {
    using T = decltype(scalar);
    const Rewrite<T> pass(*this);
    detail::subtract(pass.before(), pass.after(), size(), x.values<T>().data());
  });
  return *this;
}

Vector operator+(const Vector& a, const Vector& b) {
  Vector result = a;
  return result += b;
}

Vector operator-(const Vector& a, const Vector& b) {
  Vector result = a;
  return result -= b;
}

Vector operator*(double a, const Vector& x) {
  Vector result = x;
  return result.scale(a);
}

double Vector::dot(const Vector& x) const {
  require_like(*this, x);
  double result = 0;
  visit(*this, [&](auto scalar) {
    using T = decltype(scalar);
    result = detail::dot(values<T>().data(), x.values<T>().data(), size());
  });
  return result;
}

double Vector::norm() const {
  return std::sqrt(squared_norm());
}

double Vector::distance(const Vector& x) const {
  require_like(*this, x);
  double result = 0;
  visit(*this, [&](auto scalar) {
    using T = decltype(scalar);
    result = std::sqrt(detail::squared_distance(values<T>().data(), x.values<T>().data(), size()));
  });
  return result;
}

bool Vector::finite() const {
  bool result = true;
  visit(*this, [&](auto scalar) { result = detail::all_finite(values<decltype(scalar)>().data(), size()); });
  return result;
}

void Vector::hash_into(StableHasher& hasher) const {
  hasher.update(size()).update(precision());
  if (!empty()) hasher.update(std::span<const std::byte>(buffer_->bytes(), buffer_->byte_count()));
}

bool operator==(const Vector& a, const Vector& b) {
  if (a.size() != b.size() || a.precision() != b.precision()) return false;
  if (a.empty() || a.buffer_ == b.buffer_) return true;
  return std::memcmp(a.buffer_->bytes(), b.buffer_->bytes(), a.buffer_->byte_count()) == 0;
}

#define CONVOY_VECTOR(T)                                                            \
  template std::span<const T> Vector::values<T>() const;                            \
  template std::span<T> Vector::mutable_values<T>();                                \
  template std::span<const T> Vector::layer<T>(std::size_t) const;                  \
  template std::span<T> Vector::mutable_layer<T>(std::size_t);                      \
  template std::span<T> Vector::overwrite<T>(const std::shared_ptr<const Layout>&); \
  template class Rewrite<T>;
CONVOY_VECTOR(float)
CONVOY_VECTOR(double)
#undef CONVOY_VECTOR

}  // namespace convoy
