#include "experiment/build_info.hpp"

#include <fmt/format.h>

#include "experiment/results_version.hpp"

namespace convoy {

std::string_view convoy_version() {
  return CONVOY_VERSION;
}

std::string compiler_name() {
#if defined(__clang__)
  return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("GNU {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

Node build_node() {
  Node result = Node::object();
  result.set("compiler", Node::of(compiler_name()));
  result.set("instruction_set", Node::of(CONVOY_INSTRUCTION_SET));
  result.set("results_version", Node::of(results_version));
  return result;
}

}  // namespace convoy
