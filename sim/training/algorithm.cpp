#include "training/algorithm.hpp"

#include <stdexcept>

namespace convoy {

void Registry::add_algorithm(std::string kind, std::function<std::unique_ptr<Algorithm>()> maker) {
  if (algorithms.contains(kind)) throw std::invalid_argument("the algorithm \"" + kind + "\" exists already");
  algorithms.emplace(std::move(kind), std::move(maker));
}

}  // namespace convoy
