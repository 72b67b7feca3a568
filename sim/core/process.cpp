#include "core/process.hpp"

#include <fmt/format.h>

namespace convoy::detail {

std::string Delay::describe() const {
  return fmt::format("the end of a delay at {} s", end_.to_seconds());
}

}  // namespace convoy::detail
