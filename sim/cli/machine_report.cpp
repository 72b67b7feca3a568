#include "cli/machine_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/units.hpp"
#include "hardware/catalogue.hpp"
#include "hardware/memory.hpp"
#include "network/collective.hpp"
#include "network/ring_order.hpp"
#include "training/memory_check.hpp"
#include "training/run_state.hpp"

namespace convoy::cli {
namespace {

/// Workers on one kind of device.
struct WorkerKind {
  std::string model;
  std::int64_t count = 0;
  Duration fastest{}, slowest{};
  std::int64_t batch = 0;  ///< of the fastest
  std::size_t worker = 0;  ///< the fastest
};

/// In the order of their first workers.
std::vector<WorkerKind> kinds_of(const RunSetup& setup, const ChargedWorkload& workload,
                                 const PhysicalNetwork& machines) {
  std::vector<WorkerKind> kinds;
  for (std::size_t i = 0; i < machines.devices.size(); ++i) {
    const PhysicalNetwork::Device& device = machines.devices[i];
    const int worker = static_cast<int>(i);
    auto kind = std::find_if(kinds.begin(), kinds.end(),
                             [&](const WorkerKind& known) { return known.model == device.model; });
    if (kind == kinds.end()) kind = kinds.insert(kind, WorkerKind{.model = device.model});
    const Duration step_time = workload.step_time(setup, device, worker);
    ++kind->count;
    kind->slowest = std::max(kind->slowest, step_time);
    if (kind->count > 1 && step_time >= kind->fastest) continue;
    kind->fastest = step_time;
    kind->batch = workload.batch_of(setup, worker);
    kind->worker = i;
  }
  return kinds;
}

/// "; MFU 41 % of 989 TFLOP/s in bf16", of the fastest: model FLOPs over what the device could do in the
/// format of cluster.compute, else bf16 or fp16.
std::string use_text(const RunSetup& setup, const ChargedWorkload& workload, const WorkerKind& kind,
                     const DeviceSpec& device) {
  std::vector<NumberFormat> formats = {NumberFormat::bf16, NumberFormat::fp16, NumberFormat::fp32};
  if (setup.cluster->compute) formats = {setup.cluster->compute->format};
  const double flops = workload.costs.model_flops(kind.batch), seconds = kind.fastest.to_seconds();
  for (const NumberFormat format : formats) {
    const std::optional<double> peak = device.peak_flops(format);
    if (!peak || flops <= 0 || seconds <= 0) continue;
    return fmt::format("; MFU {:.3g} % of {} in {}", 100 * flops / (seconds * *peak),
                       format_quantity(*peak, Dimension::flop_rate), name_of(format));
  }
  return {};
}

/// "; memory 14.2 GB of usable 73.6 GB (states 11.3 GB by ddp, activations 2.9 GB at micro_batch 8)".
std::string memory_text(const MemoryDemand& demand, const DeviceSpec& device) {
  const auto text = [](double bytes) { return format_quantity(bytes, Dimension::bytes); };
  const MemoryNeed need = demand.need();
  return fmt::format("; memory {} of usable {} (states {} by {}, activations {} at micro_batch {})",
                     text(need.total()), text(usable_memory * device.memory.value), text(need.states),
                     name_of(demand.plan), text(need.activations), demand.micro_batch);
}

}  // namespace

std::string machine_report(const RunSetup& setup) {
  const ChargedWorkload workload = ChargedWorkload::of(setup);
  PhysicalNetwork machines = setup.cluster->physical();
  const std::vector<DeviceSpec> own = setup.cluster->hardware.specs();
  std::string text;
  for (const WorkerKind& kind : kinds_of(setup, workload, machines)) {
    const auto time = [](Duration step) { return format_quantity(step.to_seconds(), Dimension::time); };
    text += fmt::format("  {} worker{}{}: {}", kind.count, kind.count == 1 ? "" : "s",
                        kind.model.empty() ? "" : " on " + kind.model, time(kind.fastest));
    if (kind.slowest > kind.fastest) text += " to " + time(kind.slowest);
    text += " a step";
    if (!kind.model.empty()) {
      const DeviceSpec& device = find_device(kind.model, "cluster.devices", own);
      text += use_text(setup, workload, kind, device) +
              memory_text(memory_demand(setup, workload, machines, kind.worker), device);
    }
    text += "\n";
  }
  if (machines.devices.size() < 2) return text;
  CollectiveSpec spec{.kind = CollectiveKind::all_reduce, .bytes = workload.shape.identity_bytes()};
  std::vector<NodeId> nodes;
  for (const PhysicalNetwork::Device& device : machines.devices) nodes.push_back(device.node);
  for (const int rank : ring_order(machines.graph, nodes)) {
    spec.members.push_back(nodes[static_cast<std::size_t>(rank)]);
  }
  Engine engine;
  const Network network(engine, std::move(machines.graph));
  return text + fmt::format("  all-reduce of {} among all: {} by the ring's closed form\n",
                            format_quantity(static_cast<double>(spec.bytes), Dimension::bytes),
                            format_quantity(formula_time(network, spec).to_seconds(), Dimension::time));
}

}  // namespace convoy::cli
