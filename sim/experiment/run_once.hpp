// One run without files: for self-checks and tests.
#pragma once

#include "core/node.hpp"
#include "training/algorithm.hpp"
#include "training/run_result.hpp"

namespace convoy {

/// The first run (first algorithm, first seed) of an experiment that is not written anywhere. Data files are
/// searched as `default_data_roots` says for the folder of the root's file. Throws ConfigError.
[[nodiscard]] RunResult run_once(const Node& root, const Registry& registry, int threads = 1);

}  // namespace convoy
