// The config's "memory", of a workload or of one algorithm: how a replica keeps its state, and how much of
// its batch at a time.
//
//   "memory": {"scheme": "zero2", "micro_batch": 4}
//   "memory": {"scheme": "zero1", "shards": 8, "micro_batch": {"T4": 2, "A100-SXM-40GB": 16}}
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/options.hpp"
#include "hardware/memory.hpp"

namespace convoy {

struct MemoryOptions {
  std::optional<MemoryPlan> scheme;                    ///< the algorithm's where unset
  std::optional<std::int64_t> shards;                  ///< all workers where unset
  std::optional<std::int64_t> micro_batch;             ///< samples; the whole batch where unset
  std::map<std::string, std::int64_t> micro_batch_of;  ///< by device, instead
  std::optional<double> weight_bytes, gradient_bytes, optimizer_bytes;  ///< a parameter
  void declare(Options& options);

  /// Samples of a micro-batch on such a device, at most `batch`.
  [[nodiscard]] std::int64_t micro_batch_on(std::string_view device, std::int64_t batch) const;
  /// Bytes a parameter where weights on the wire take `bytes_per_parameter` and the optimizer keeps `slots`
  /// vectors: 32-bit weights w + w + 4 slots; narrower ones, as mixed precision has them, w + w + 4 (1 +
  /// slots) with a master copy. What is stated goes first.
  [[nodiscard]] StateBytes bytes(double bytes_per_parameter, int slots) const;
};

}  // namespace convoy
