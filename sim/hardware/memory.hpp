// Device memory of one replica: parameters, gradients and optimizer state by plan, and activations.
//
//   const double bytes = state_bytes(MemoryPlan::zero1, 7.5e9, 64);   // 31.4e9
//   require_fit({.states = bytes, .activations = 12e9}, find_device("A100-SXM-40GB"), "workload");   //
//   throws
#pragma once

#include <cstdint>
#include <string_view>

#include "hardware/catalogue.hpp"

namespace convoy {

/// How a replica keeps its state, in the terms of the ZeRO paper (Rajbhandari et al., SC 2020).
enum class MemoryPlan { ddp, zero1, zero2, zero3, diloco, slowmo, co2, acco };

/// Bytes a parameter of mixed-precision training: 2 for the weight, 2 for its gradient, K for the optimizer.
struct StateBytes {
  double weight = 2;
  double gradient = 2;
  double optimizer = 12;  ///< K: Adam with master weights, 4 + 4 + 4
};

/// Bytes of states on each device, where `shards` devices share what the plan shards: DDP 2 + 2 + K a
/// parameter; ZeRO-1 2 + 2 + K/N; ZeRO-2 2 + (2 + K)/N; ZeRO-3 (2 + 2 + K)/N; DiLoCo and SlowMo two further
/// vectors in the weights' format (anchor, momentum); CO2 four (also the average in flight and its delta);
/// ACCO 2 + 2 + 2 + K/N (arXiv 2406.02613, whose table gives totals; which vectors DiLoCo's, SlowMo's and
/// CO2's are is reconstructed). Throws std::logic_error unless parameters >= 0 and shards >= 1.
[[nodiscard]] double state_bytes(MemoryPlan plan, double parameters, std::int64_t shards,
                                 const StateBytes& bytes = {});

/// A decoder or encoder of equal layers, in 16-bit formats.
struct TransformerShape {
  std::int64_t layers = 0;
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t sequence = 0;
};

enum class Recompute { none, full };

/// Bytes of activations of a micro-batch of `samples`: layers x s b h (34 + 5 a s / h); with full
/// recomputation only each layer's input, 2 s b h, and one layer at a time in full (Korthikanti et al., MLSys
/// 2023; from memory).
[[nodiscard]] double activation_bytes(const TransformerShape& shape, std::int64_t samples,
                                      Recompute recompute = Recompute::none);
/// FLOPs of forward and backward over one token: 6 N + 6 L d s of causal attention, 12 L d s of full
/// attention (Kaplan et al. 2020; PaLM, appendix B); full recomputation adds a forward pass, a third of it.
[[nodiscard]] double flops_per_token(double parameters, const TransformerShape& shape, bool causal = true,
                                     Recompute recompute = Recompute::none);

/// What a replica keeps on its device. B.
struct MemoryNeed {
  double states = 0;
  double activations = 0;
  [[nodiscard]] double total() const { return states + activations; }
};

/// Share of a device's memory that training can use; the rest is the driver's and lost to fragments (0.90 to
/// 0.94).
inline constexpr double usable_memory = 0.92;

/// Throws ConfigError at `path` saying by how much the need exceeds the usable memory of the device.
void require_fit(const MemoryNeed& need, const DeviceSpec& device, std::string_view path);

}  // namespace convoy
