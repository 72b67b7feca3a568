// Device memory of one replica: parameters, gradients and optimizer state by plan, and activations.
//
//   const double bytes = state_bytes(MemoryPlan::zero1, 7.5e9, 64);   // 31.4e9
//   require_fit({.states = bytes, .activations = 12e9}, find_device("A100-SXM-40GB"), "workload");   //
//   throws
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hardware/catalogue.hpp"

namespace convoy {

/// How a replica keeps its state, in the terms of the ZeRO paper (Rajbhandari et al., SC 2020).
enum class MemoryPlan { ddp, zero1, zero2, zero3, diloco, slowmo, co2, acco };
[[nodiscard]] std::vector<std::pair<std::string, MemoryPlan>> memory_plan_words();
/// "zero2".
[[nodiscard]] std::string name_of(MemoryPlan plan);

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

/// What a replica keeps on its device. B.
struct MemoryNeed {
  double states = 0;
  double activations = 0;
  [[nodiscard]] double total() const { return states + activations; }
};

/// Share of a device's memory that training can use; the rest is the driver's and lost to fragments (0.90 to
/// 0.94).
inline constexpr double usable_memory = 0.92;

/// A replica as it is planned: what it keeps, of how large a micro-batch.
struct MemoryDemand {
  double parameters = 0;
  StateBytes bytes{};
  MemoryPlan plan = MemoryPlan::ddp;
  std::int64_t shards = 1;       ///< devices that share what the plan shards
  std::int64_t micro_batch = 1;  ///< samples
  std::function<double(std::int64_t samples)>
      activations{};  ///< B, growing with the samples; empty: none known
  [[nodiscard]] MemoryNeed need() const;
  /// The largest micro-batch, up to the present one, that fits `usable` B; 0 where none does.
  [[nodiscard]] std::int64_t fitting_micro_batch(double usable) const;
};

/// What of a smaller micro-batch or sharded states would fit `usable` B, in words; else that none does.
[[nodiscard]] std::string fitting_hint(const MemoryDemand& demand, double usable);

/// Throws ConfigError at `path` saying by how much the need exceeds the usable memory of the device; with
/// `hint`, or a general one.
void require_fit(const MemoryNeed& need, const DeviceSpec& device, std::string_view path,
                 std::string hint = {});

}  // namespace convoy
