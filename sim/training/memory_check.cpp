#include "training/memory_check.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace convoy {
namespace {

constexpr int adam_vectors = 2;

}  // namespace

MemoryDemand memory_demand(const RunSetup& setup, const ChargedWorkload& workload,
                           const PhysicalNetwork& machines, std::size_t worker) {
  const MemoryOptions unset;
  const MemoryOptions& memory = setup.memory == nullptr ? unset : *setup.memory;
  const int slots = setup.optimizer == nullptr ? adam_vectors : setup.optimizer->slots();
  return {.parameters = static_cast<double>(workload.costs.parameters()),
          .bytes = memory.bytes(workload.costs.bytes_per_parameter, slots),
          .plan = memory.scheme.value_or(setup.algorithm->memory_plan()),
          .shards = memory.shards.value_or(static_cast<std::int64_t>(machines.devices.size())),
          .micro_batch = memory.micro_batch_on(machines.devices[worker].model,
                                               workload.batch_of(setup, static_cast<int>(worker))),
          .activations = [&workload](std::int64_t samples) { return workload.costs.activations(samples); }};
}

void require_memory(const RunSetup& setup, const ChargedWorkload& workload, const PhysicalNetwork& machines) {
  const std::vector<DeviceSpec> own = setup.cluster->hardware.specs();
  std::set<std::pair<std::string, std::int64_t>> fitting;  // device, micro-batch: the same for many workers
  for (std::size_t i = 0; i < machines.devices.size(); ++i) {
    const PhysicalNetwork::Device& device = machines.devices[i];
    if (device.model.empty()) continue;
    const MemoryDemand demand = memory_demand(setup, workload, machines, i);
    if (!fitting.emplace(device.model, demand.micro_batch).second) continue;
    const DeviceSpec& spec = find_device(device.model, "cluster.devices", own);
    const double usable = usable_memory * spec.memory.value;
    if (demand.need().total() <= usable) continue;
    try {
      require_fit(demand.need(), spec, "memory", fitting_hint(demand, usable));
    } catch (const ConfigError& error) {
      ConfigFault fault = error.faults().front();
      fault.message = fmt::format("the replica of {} (scheme {}, micro_batch {}) {}", device.name,
                                  name_of(demand.plan), demand.micro_batch, fault.message);
      throw ConfigError(std::move(fault));
    }
  }
}

}  // namespace convoy
