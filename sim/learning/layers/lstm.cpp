#include "learning/layers/lstm.hpp"

#include <algorithm>

#include "learning/detail/exponential.hpp"
#include "learning/detail/gemm.hpp"

namespace convoy::layers {

using detail::multiply;
using detail::multiply_add;

template <class T>
void Lstm<T>::lay_out(Layout& layout, const std::string& name) {
  input_ = layout.size;
  layout.add_matrix(name + ".input", 4 * shape_.width, shape_.inputs);
  recurrent_ = layout.size;
  layout.add_matrix(name + ".recurrent", 4 * shape_.width, shape_.width);
  bias_ = layout.size;
  layout.add_vector(name + ".bias", 4 * shape_.width);
}

template <class T>
void Lstm<T>::initialise(T* parameters, std::uint64_t seed) const {
  RandomStream input = initial_stream(seed, input_);
  initial_.fill(parameters + input_, 4 * shape_.width * shape_.inputs, input);
  RandomStream recurrent = initial_stream(seed, recurrent_);
  initial_.fill(parameters + recurrent_, 4 * shape_.width * shape_.width, recurrent);
  std::fill_n(parameters + bias_ + shape_.width, shape_.width, T(1));
}

// A position of a sample: the four gates after their functions, then c and tanh(c).
template <class T>
std::size_t Lstm<T>::kept(std::size_t samples) const {
  return samples * shape_.positions * 6 * shape_.width;
}

// Backward: derivatives of the gates at each position, the states before each position, the derivatives by h
// and c that flow back. Forward: a row of exponentials.
template <class T>
std::size_t Lstm<T>::scratch(std::size_t samples) const {
  const std::size_t backward = samples * shape_.width * (5 * shape_.positions + 2);
  return std::max(backward, detail::padded(4 * shape_.width));
}

namespace {

// Gates of one position: sigmoid of i, f and o, and tanh of g, with one exponential each.
template <class T>
void apply_gates(T* gates, std::size_t width, T* buffer) {
  const auto rate = [width](std::size_t i) { return i / width == 2 ? T(2) : T(1); };
  for (std::size_t part = 0; part < 4; ++part) {
    const T factor = -rate(part * width);
    for (std::size_t i = part * width; i < (part + 1) * width; ++i) buffer[i] = factor * gates[i];
  }
  detail::exponentiate(buffer, 4 * width);
  for (std::size_t part = 0; part < 4; ++part) {
    const T scale = rate(part * width);
    const T shift = scale - T(1);  // tanh(x) = 2 sigmoid(2 x) - 1
    for (std::size_t i = part * width; i < (part + 1) * width; ++i) {
      gates[i] = scale / (T(1) + buffer[i]) - shift + gates[i] * 0;  // NaN stays
    }
  }
}

}  // namespace

template <class T>
void Lstm<T>::forward(const Call<T>& call, const T* x, T* y) const {
  const std::size_t width = shape_.width;
  const std::size_t length = shape_.positions;
  const std::size_t row = 6 * width;
  const T* const bias = call.parameters + bias_;
  for (std::size_t r = 0; r < call.samples * length; ++r)
    std::copy(bias, bias + 4 * width, call.kept + r * row);
  multiply_add<T>(call.samples * length, 4 * width, shape_.inputs, {x, shape_.inputs},
                  {call.parameters + input_, shape_.inputs, true}, call.kept, row);
  for (std::size_t t = 0; t < length; ++t) {
    if (t > 0) {
      multiply_add<T>(call.samples, 4 * width, width, {y + (t - 1) * width, length * width},
                      {call.parameters + recurrent_, width, true}, call.kept + t * row, length * row);
    }
    for (std::size_t s = 0; s < call.samples; ++s) {
      T* const gates = call.kept + (s * length + t) * row;
      T* const cell = gates + 4 * width;
      apply_gates(gates, width, call.scratch);
      for (std::size_t i = 0; i < width; ++i) {
        const T old = t > 0 ? cell[i - row] : T(0);
        cell[i] = gates[width + i] * old + gates[i] * gates[2 * width + i];
        call.scratch[i] = -2 * cell[i];
      }
      detail::exponentiate(call.scratch, width);
      for (std::size_t i = 0; i < width; ++i) {
        const T tanh = T(2) / (T(1) + call.scratch[i]) - T(1) + cell[i] * 0;
        cell[width + i] = tanh;
        y[(s * length + t) * width + i] = gates[3 * width + i] * tanh;
      }
    }
  }
}

template <class T>
void Lstm<T>::backward(const Call<T>& call, const T* x, const T* y, const T* dy, T* dx, T* gradient) const {
  const std::size_t width = shape_.width;
  const std::size_t length = shape_.positions;
  const std::size_t rows = call.samples * length;
  const std::size_t row = 6 * width;
  T* const gate_derivatives = call.scratch;
  T* const before = gate_derivatives + rows * 4 * width;
  T* const by_state = before + rows * width;
  T* const by_cell = by_state + call.samples * width;
  std::fill_n(by_state, 2 * call.samples * width, T(0));
  for (std::size_t t = length; t-- > 0;) {
    for (std::size_t s = 0; s < call.samples; ++s) {
      const std::size_t place = s * length + t;
      const T* const gates = call.kept + place * row;
      const T* const cell = gates + 4 * width;
      T* const d = gate_derivatives + place * 4 * width;
      T* const old_state = before + place * width;
      for (std::size_t i = 0; i < width; ++i) {
        const T in = gates[i], forget = gates[width + i], fresh = gates[2 * width + i],
                out = gates[3 * width + i];
        const T tanh = cell[width + i];
        const T dh = dy[place * width + i] + by_state[s * width + i];
        const T dc = by_cell[s * width + i] + dh * out * (T(1) - tanh * tanh);
        const T old_cell = t > 0 ? cell[i - row] : T(0);
        d[i] = dc * fresh * in * (T(1) - in);
        d[width + i] = dc * old_cell * forget * (T(1) - forget);
        d[2 * width + i] = dc * in * (T(1) - fresh * fresh);
        d[3 * width + i] = dh * tanh * out * (T(1) - out);
        by_cell[s * width + i] = dc * forget;
        old_state[i] = t > 0 ? y[(place - 1) * width + i] : T(0);
      }
    }
    multiply<T>(call.samples, width, 4 * width, {gate_derivatives + t * 4 * width, length * 4 * width},
                {call.parameters + recurrent_, width}, by_state, width);
  }
  multiply_add<T>(4 * width, shape_.inputs, rows, {gate_derivatives, 4 * width, true}, {x, shape_.inputs},
                  gradient + input_, shape_.inputs);
  multiply_add<T>(4 * width, width, rows, {gate_derivatives, 4 * width, true}, {before, width},
                  gradient + recurrent_, width);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < 4 * width; ++i) gradient[bias_ + i] += gate_derivatives[r * 4 * width + i];
  }
  if (dx == nullptr) return;
  multiply<T>(rows, shape_.inputs, 4 * width, {gate_derivatives, 4 * width},
              {call.parameters + input_, shape_.inputs}, dx, shape_.inputs);
}

template <class T>
double Lstm<T>::flops(bool with_inputs) const {
  const auto width = static_cast<double>(shape_.width);
  const auto inputs = static_cast<double>(shape_.inputs);
  const double each = 4 * width * (6 * width + (with_inputs ? 6 : 4) * inputs);
  return each * static_cast<double>(shape_.positions);
}

template class Lstm<float>;
template class Lstm<double>;

}  // namespace convoy::layers
