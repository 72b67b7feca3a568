// Which results this source gives.
#pragma once

namespace convoy {

/// Raised by every change after which any run has another digest: finished runs of older versions are then
/// run again.
inline constexpr int results_version = 4;

}  // namespace convoy
