// A move-only void() callable with room for small captures, so that scheduling an event does not allocate.
//
//   Callback callback = [&log] { log.push_back(1); };
//   callback();
#pragma once

#include <concepts>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace convoy {

/// Owns a callable of up to 40 bytes in place, a larger one on the heap.
class Callback {
 public:
  Callback() = default;
  template <class F>
  requires(!std::same_as<std::decay_t<F>, Callback> && std::invocable<std::decay_t<F>&>)
      Callback(F&& callable) {  // NOLINT(google-explicit-constructor): a lambda is passed as a Callback
    using Held = std::decay_t<F>;
    if constexpr (fits<Held>) {
      ::new (static_cast<void*>(storage_)) Held(std::forward<F>(callable));
      operations_ = &in_place<Held>;
    } else {
      ::new (static_cast<void*>(storage_)) Held*(new Held(std::forward<F>(callable)));
      operations_ = &on_heap<Held>;
    }
  }
  Callback(Callback&& other) noexcept { take(other); }
  Callback& operator=(Callback&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  ~Callback() { reset(); }

  void operator()() { operations_->invoke(storage_); }
  [[nodiscard]] explicit operator bool() const { return operations_ != nullptr; }
  /// Destroys the callable.
  void reset() {
    if (operations_ != nullptr) std::exchange(operations_, nullptr)->destroy(storage_);
  }

 private:
  struct Operations {
    void (*invoke)(void* storage);
    void (*relocate)(void* from, void* to) noexcept;
    void (*destroy)(void* storage) noexcept;
  };
  static constexpr std::size_t capacity = 40;
  template <class F>
  static constexpr bool fits = sizeof(F) <= capacity &&
                               alignof(F) <= alignof(void*) && std::is_nothrow_move_constructible_v<F>;

  template <class F>
  static F& held(void* storage) {
    return *std::launder(static_cast<F*>(storage));
  }
  template <class F>
  static constexpr Operations in_place = {[](void* storage) { held<F>(storage)(); },
                                          [](void* from, void* to) noexcept {
                                            ::new (to) F(std::move(held<F>(from)));
                                            held<F>(from).~F();
                                          },
                                          [](void* storage) noexcept { held<F>(storage).~F(); }};
  template <class F>
  static constexpr Operations on_heap = {[](void* storage) { (*held<F*>(storage))(); },
                                         [](void* from, void* to) noexcept { ::new (to) F*(held<F*>(from)); },
                                         [](void* storage) noexcept { delete held<F*>(storage); }};

  void take(Callback& other) {
    if (other.operations_ != nullptr) other.operations_->relocate(other.storage_, storage_);
    operations_ = std::exchange(other.operations_, nullptr);
  }

  alignas(void*) std::byte storage_[capacity];
  const Operations* operations_ = nullptr;
};

}  // namespace convoy
