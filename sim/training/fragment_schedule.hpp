// When each fragment of a model synchronises: every `period` local steps, the fragments in turn (Streaming
// DiLoCo, arXiv 2501.18512).
#pragma once

#include <cstdint>
#include <optional>

namespace convoy {

/// The fragment of 0 .. fragments - 1 that is due after local step `step`, counted from 1: p after the steps
/// (p + 1) period / fragments + k period, rounded down. Needs fragments <= period.
[[nodiscard]] inline std::optional<std::int64_t> due_fragment(std::int64_t step, std::int64_t period,
                                                              std::int64_t fragments) {
  const std::int64_t phase = (step - 1) % period + 1;
  const std::int64_t fragment = (phase * fragments - 1) / period;
  if ((fragment + 1) * period / fragments == phase) return fragment;
  return std::nullopt;
}

}  // namespace convoy
