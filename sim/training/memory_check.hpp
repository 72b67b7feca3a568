// Whether replicas fit their devices.
#pragma once

#include "hardware/memory.hpp"
#include "training/run_state.hpp"

namespace convoy {

/// What the replica of a worker keeps: the plan of the config's "memory" or of the algorithm, over all
/// workers where nothing else is stated; the optimizer's vectors, Adam's two where there is no optimizer.
[[nodiscard]] MemoryDemand memory_demand(const RunSetup& setup, const ChargedWorkload& workload,
                                         const PhysicalNetwork& machines, std::size_t worker);

/// Throws ConfigError (path "memory") naming the first worker whose replica exceeds its device's memory: by
/// how much, and what would fit. Workers on no device are not checked: nothing says their memory.
void require_memory(const RunSetup& setup, const ChargedWorkload& workload, const PhysicalNetwork& machines);

}  // namespace convoy
