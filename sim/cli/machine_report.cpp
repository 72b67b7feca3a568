#include "cli/machine_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/units.hpp"
#include "hardware/catalogue.hpp"
#include "hardware/memory.hpp"
#include "network/collective.hpp"
#include "network/ring_order.hpp"
#include "training/run_state.hpp"

namespace convoy::cli {
namespace {

/// Workers on one kind of device.
struct WorkerKind {
  std::string model;
  std::int64_t count = 0;
  Duration fastest{}, slowest{};
  std::int64_t batch = 0;  ///< of the fastest
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
    kind->batch = static_cast<std::int64_t>(setup.task->batch_size(worker));
  }
  return kinds;
}

/// FLOPs of one step, or 0 where nothing says them.
double step_flops(const RunSetup& setup, const ChargedWorkload& workload, std::int64_t batch) {
  if (setup.workload != nullptr && setup.workload->workload())
    return workload.costs.training_cost(batch).flops;
  return setup.task->flops_per_sample() * static_cast<double>(batch);
}

/// "; MFU 41 % of 989 TFLOP/s in bf16", of the fastest: model FLOPs over what the device could do in the
/// format of cluster.compute, else bf16 or fp16.
std::string use_text(const RunSetup& setup, const ChargedWorkload& workload, const WorkerKind& kind,
                     const DeviceSpec& device) {
  std::vector<NumberFormat> formats = {NumberFormat::bf16, NumberFormat::fp16, NumberFormat::fp32};
  if (setup.cluster->compute) formats = {setup.cluster->compute->format};
  const double flops = step_flops(setup, workload, kind.batch), seconds = kind.fastest.to_seconds();
  for (const NumberFormat format : formats) {
    const std::optional<double> peak = device.peak_flops(format);
    if (!peak || flops <= 0 || seconds <= 0) continue;
    return fmt::format("; MFU {:.3g} % of {} in {}", 100 * flops / (seconds * *peak),
                       format_quantity(*peak, Dimension::flop_rate), name_of(format));
  }
  return {};
}

/// "; states of 16 B a parameter ...": what Adam in mixed precision keeps, against the device.
std::string memory_text(const ChargedWorkload& workload, const DeviceSpec& device) {
  const double states = state_bytes(MemoryPlan::ddp, static_cast<double>(workload.costs.parameters()), 1);
  const double usable = usable_memory * device.memory.value;
  std::string text = fmt::format("; states {} of usable {}", format_quantity(states, Dimension::bytes),
                                 format_quantity(usable, Dimension::bytes));
  if (states > usable) {
    text += fmt::format(", {} too much without sharding", format_quantity(states - usable, Dimension::bytes));
  }
  return text;
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
      text += use_text(setup, workload, kind, device) + memory_text(workload, device);
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
