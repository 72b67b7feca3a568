// Variation of step times with numbers fitted to public traces.
#pragma once

#include <memory>

#include "hardware/variation.hpp"

namespace convoy {

/// "alibaba_shared": Alibaba PAI's mini-batch times (cluster-trace-gpu-v2020, job_1 to job_3: ten workers
/// that share their GPUs). AR(1) in the logarithm, and rare slow steps. The fit is to the slowest over the
/// median worker of an iteration (p50 1.09 to 1.11, p95 1.14 to 1.23, p99 1.19 to 1.74) and to its
/// correlation from step to step (0.45 to 0.82); the trace's times are normalised, so that only ratios mean
/// something.
[[nodiscard]] std::unique_ptr<Variation> make_alibaba_shared();

}  // namespace convoy
