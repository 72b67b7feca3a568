#include "learning/detail/task_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace convoy::detail {

std::string batch_text(std::span<const std::size_t> sizes) {
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  return *least == *most ? std::to_string(*least) : fmt::format("{} to {}", *least, *most);
}

bool are_batch_sizes(std::span<const std::size_t> sizes) {
  return !sizes.empty() && std::find(sizes.begin(), sizes.end(), std::size_t{0}) == sizes.end();
}

std::uint64_t first_sample(std::uint64_t step, std::size_t size) {
  if (step > (std::numeric_limits<std::uint64_t>::max() - size) / size) {
    throw std::logic_error("the number of a mini-batch is out of range");
  }
  return step * size;
}

template <class T>
std::span<const T> parameters_of(const Vector& parameters, const Layout& layout) {
  const std::span<const T> values = parameters.values<T>();
  if (values.size() != layout.size) throw std::logic_error("parameters of another task");
  return values;
}

template std::span<const float> parameters_of<float>(const Vector&, const Layout&);
template std::span<const double> parameters_of<double>(const Vector&, const Layout&);

}  // namespace convoy::detail
