#include "learning/layers/dense.hpp"

#include <algorithm>

#include "learning/detail/gemm.hpp"

namespace convoy::layers {
namespace {

using detail::multiply;
using detail::multiply_add;

/// The derivatives of y = W x, row by row of x and y; W's are added.
template <class T>
struct LinearBackward {
  std::size_t rows, inputs, outputs;

  void run(const T* weight, const T* x, const T* dy, T* dx, T* weight_gradient) const {
    multiply_add<T>(outputs, inputs, rows, {dy, outputs, true}, {x, inputs}, weight_gradient, inputs);
    if (dx != nullptr) multiply<T>(rows, inputs, outputs, {dy, outputs}, {weight, inputs}, dx, inputs);
  }
};

double linear_flops(std::size_t weights, std::size_t positions, bool with_inputs) {
  return (with_inputs ? 6.0 : 4.0) * static_cast<double>(weights) * static_cast<double>(positions);
}

}  // namespace

template <class T>
void Dense<T>::lay_out(Layout& layout, const std::string& name) {
  weight_ = layout.size;
  layout.add_matrix(name + ".weight", shape_.outputs, shape_.inputs);
  bias_ = layout.size;
  layout.add_vector(name + ".bias", shape_.outputs);
}

template <class T>
void Dense<T>::initialise(T* parameters, std::uint64_t seed) const {
  RandomStream random = initial_stream(seed, weight_);
  initial_.fill(parameters + weight_, shape_.outputs * shape_.inputs, random);
}

template <class T>
void Dense<T>::forward(const Call<T>& call, const T* x, T* y) const {
  const std::size_t rows = call.samples * shape_.positions;
  const T* const bias = call.parameters + bias_;
  for (std::size_t r = 0; r < rows; ++r) std::copy(bias, bias + shape_.outputs, y + r * shape_.outputs);
  multiply_add<T>(rows, shape_.outputs, shape_.inputs, {x, shape_.inputs},
                  {call.parameters + weight_, shape_.inputs, true}, y, shape_.outputs);
}

template <class T>
void Dense<T>::backward(const Call<T>& call, const T* x, const T*, const T* dy, T* dx, T* gradient) const {
  const std::size_t rows = call.samples * shape_.positions;
  const LinearBackward<T> linear{rows, shape_.inputs, shape_.outputs};
  linear.run(call.parameters + weight_, x, dy, dx, gradient + weight_);
  T* __restrict sums = gradient + bias_;
  for (std::size_t r = 0; r < rows; ++r) {
    const T* __restrict row = dy + r * shape_.outputs;
    for (std::size_t c = 0; c < shape_.outputs; ++c) sums[c] += row[c];
  }
}

template <class T>
double Dense<T>::flops(bool with_inputs) const {
  return linear_flops(shape_.inputs * shape_.outputs, shape_.positions, with_inputs);
}

template <class T>
void TiedHead<T>::forward(const Call<T>& call, const T* x, T* y) const {
  const auto& shape = embedding_.shape();
  multiply<T>(call.samples * shape.positions, shape.vocabulary, shape.width, {x, shape.width},
              {call.parameters + embedding_.weight_offset(), shape.width, true}, y, shape.vocabulary);
}

template <class T>
void TiedHead<T>::backward(const Call<T>& call, const T* x, const T*, const T* dy, T* dx, T* gradient) const {
  const auto& shape = embedding_.shape();
  const LinearBackward<T> linear{call.samples * shape.positions, shape.width, shape.vocabulary};
  linear.run(call.parameters + embedding_.weight_offset(), x, dy, dx, gradient + embedding_.weight_offset());
}

template <class T>
double TiedHead<T>::flops(bool with_inputs) const {
  const auto& shape = embedding_.shape();
  return linear_flops(shape.width * shape.vocabulary, shape.positions, with_inputs);
}

template class Dense<float>;
template class Dense<double>;
template class TiedHead<float>;
template class TiedHead<double>;

}  // namespace convoy::layers
