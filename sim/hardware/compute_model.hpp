// How long a device computes.
//
//   StatedStepTime model{.step_time = Duration::seconds(0.238391), .reference_batch = 64};
//   Duration t = model.time(64, 0.232);            // 238.391 ms / 0.232
//   Roofline roofline{.efficiency = 0.5};
//   Duration u = roofline.time({.flops = 2e9, .bytes = 1e9}, find_device("T4"));
#pragma once

#include <cstdint>
#include <optional>

#include "core/options.hpp"
#include "core/time.hpp"
#include "hardware/catalogue.hpp"

namespace convoy {

/// What one piece of computation costs the device.
struct ComputeCost {
  double flops = 0;  ///< FLOP
  double bytes = 0;  ///< B of device memory read and written
  double rows =
      0;  ///< m of its matrix products (tokens of the batch); 0: the ramp of utilisation is left out
};

/// A measured step time, scaled by a worker's speed. Time of a batch of b samples at speed s: (t0 + c b) / s,
/// where t0 = fixed_time and c = (step_time - t0) / reference_batch; speeds multiply the rate and are never
/// normalised.
struct StatedStepTime {
  Duration step_time{};              ///< at speed 1 and reference_batch; positive
  std::int64_t reference_batch = 1;  ///< samples
  std::optional<Duration>
      fixed_time{};  ///< t0, from 0 to step_time; unset: only reference_batch can be charged
  void declare(Options& options);

  /// Time of one batch (a micro-batch counts as a batch). Throws ConfigError for a speed that is not positive
  /// and finite, and for another batch than reference_batch where fixed_time is unset. No samples take no
  /// time.
  [[nodiscard]] Duration time(std::int64_t batch, double speed = 1) const;
};

/// max(FLOPs / (peak x efficiency(m)), bytes / (memory bandwidth x memory_efficiency)) + launch overhead
/// (Williams, Waterman, Patterson, CACM 2009), where products of m rows reach efficiency x m / (m + m_half)
/// of the peak (Hockney's half-performance length n_1/2, Parallel Computers, 1981). FLOPs are proportional to
/// m, so that the arithmetic of b samples takes time affine in b: t0 + c b with t0 = c m_half samples' worth.
/// No work takes no time at all.
struct Roofline {
  NumberFormat format = NumberFormat::bf16;
  double efficiency = 0;  ///< of the peak, in (0, 1]; has to be stated (large GEMMs reach 0.7 to 0.85)
  double half_efficiency_rows = 0;  ///< m at which half of it is reached; 0: reached at once
  double memory_efficiency = 1;     ///< of the memory bandwidth, in (0, 1]
  Duration launch_overhead{};       ///< added once a computation
  void declare(Options& options);

  /// `peak` in FLOP/s and `memory_bandwidth` in B/s; the whole is divided by `speed`. Throws ConfigError for
  /// a rate or speed that is not positive and finite, and std::logic_error for a negative or non-finite cost.
  [[nodiscard]] Duration time(ComputeCost cost, double peak, double memory_bandwidth, double speed = 1) const;
  /// Throws ConfigError (path "cluster.compute.format") where the device has no unit for `format`.
  [[nodiscard]] Duration time(ComputeCost cost, const DeviceSpec& device, double speed = 1) const;
};

}  // namespace convoy
