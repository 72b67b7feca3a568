#include "learning/layers/layer.hpp"

#include <cmath>

namespace convoy::layers {

Initial Initial::he(std::size_t inputs) {
  return {Law::uniform, std::sqrt(6 / static_cast<double>(inputs))};
}

Initial Initial::glorot(std::size_t inputs, std::size_t outputs) {
  return {Law::uniform, std::sqrt(6 / static_cast<double>(inputs + outputs))};
}

template <class T>
void Initial::fill(T* values, std::size_t size, RandomStream& random) const {
  for (std::size_t i = 0; i < size; ++i) {
    const double draw = law == Law::uniform ? 2 * random.uniform() - 1 : random.normal();
    values[i] = static_cast<T>(scale * draw);
  }
}

template void Initial::fill<float>(float*, std::size_t, RandomStream&) const;
template void Initial::fill<double>(double*, std::size_t, RandomStream&) const;

}  // namespace convoy::layers
