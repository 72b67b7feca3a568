// Published matrices of wide-area bandwidths and round-trip times.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/time.hpp"

namespace convoy {

enum class WanPreset {
  none,
  aws,     ///< DT-FM (Yuan et al., NeurIPS 2022), scheduler/generate_sim_com_matrices.py: 10 AWS regions, 45
           ///< pairs
  aws_us,  ///< the same file's four US regions
  halos,   ///< HALoS (Kim et al., ICML 2025), examples/env.yaml: 4 regions, no latency
};

struct WanPair {
  double bandwidth = 0;  ///< B/s
  Duration round_trip;
};

/// Names of a preset's regions; none for `none`.
[[nodiscard]] std::vector<std::string> wan_regions(WanPreset preset);
/// Throws std::logic_error for a pair that the preset does not have.
[[nodiscard]] WanPair wan_pair(WanPreset preset, std::string_view a, std::string_view b);

}  // namespace convoy
