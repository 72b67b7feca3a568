#include "learning/layers/embedding.hpp"

#include <stdexcept>

namespace convoy::layers {
namespace {

template <class T>
void add_row(const T* values, T* out, std::size_t size) {
  const T* __restrict in = values;
  T* __restrict result = out;
  for (std::size_t i = 0; i < size; ++i) result[i] += in[i];
}

}  // namespace

template <class T>
void Embedding<T>::lay_out(Layout& layout, const std::string& name) {
  weight_ = layout.size;
  layout.add_matrix(name + ".weight", shape_.vocabulary, shape_.width);
  position_ = layout.size;
  if (shape_.learned_positions) layout.add_matrix(name + ".position", shape_.positions, shape_.width);
}

template <class T>
void Embedding<T>::initialise(T* parameters, std::uint64_t seed) const {
  RandomStream random = initial_stream(seed, weight_);
  initial_.fill(parameters + weight_, shape_.vocabulary * shape_.width, random);
  if (!shape_.learned_positions) return;
  RandomStream other = initial_stream(seed, position_);
  initial_.fill(parameters + position_, shape_.positions * shape_.width, other);
}

template <class T>
void Embedding<T>::forward(const Call<T>& call, const T* x, T* y) const {
  const std::size_t width = shape_.width;
  for (std::size_t row = 0; row < call.samples * shape_.positions; ++row) {
    const T* const token = call.parameters + weight_ + static_cast<std::size_t>(x[row]) * width;
    T* const out = y + row * width;
    for (std::size_t i = 0; i < width; ++i) out[i] = token[i];
    if (shape_.learned_positions) {
      add_row(call.parameters + position_ + row % shape_.positions * width, out, width);
    }
  }
}

template <class T>
void Embedding<T>::backward(const Call<T>& call, const T* x, const T*, const T* dy, T* dx,
                            T* gradient) const {
  if (dx != nullptr) throw std::logic_error("tokens have no derivatives");
  const std::size_t width = shape_.width;
  for (std::size_t row = 0; row < call.samples * shape_.positions; ++row) {
    add_row(dy + row * width, gradient + weight_ + static_cast<std::size_t>(x[row]) * width, width);
    if (shape_.learned_positions) {
      add_row(dy + row * width, gradient + position_ + row % shape_.positions * width, width);
    }
  }
}

template class Embedding<float>;
template class Embedding<double>;

}  // namespace convoy::layers
