#include "hardware/memory.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "core/error.hpp"

namespace convoy {

std::vector<std::pair<std::string, MemoryPlan>> memory_plan_words() {
  return {{"ddp", MemoryPlan::ddp},     {"zero1", MemoryPlan::zero1},   {"zero2", MemoryPlan::zero2},
          {"zero3", MemoryPlan::zero3}, {"diloco", MemoryPlan::diloco}, {"slowmo", MemoryPlan::slowmo},
          {"co2", MemoryPlan::co2},     {"acco", MemoryPlan::acco}};
}

std::string name_of(MemoryPlan plan) {
  for (const auto& [name, value] : memory_plan_words()) {
    if (value == plan) return name;
  }
  throw std::logic_error("no such plan of memory");
}

double state_bytes(MemoryPlan plan, double parameters, std::int64_t shards, const StateBytes& bytes) {
  if (!(parameters >= 0) || shards < 1) throw std::logic_error("states of no parameters or on no devices");
  const double share = 1 / static_cast<double>(shards);
  const double whole = bytes.weight + bytes.gradient + bytes.optimizer;
  switch (plan) {
    case MemoryPlan::ddp:
      return parameters * whole;
    case MemoryPlan::zero1:
      return parameters * (bytes.weight + bytes.gradient + bytes.optimizer * share);
    case MemoryPlan::zero2:
      return parameters * (bytes.weight + (bytes.gradient + bytes.optimizer) * share);
    case MemoryPlan::zero3:
      return parameters * whole * share;
    case MemoryPlan::diloco:
    case MemoryPlan::slowmo:
      return parameters * (whole + 2 * bytes.weight);
    case MemoryPlan::co2:
      return parameters * (whole + 4 * bytes.weight);
    case MemoryPlan::acco:
      return parameters * (bytes.weight + 2 * bytes.gradient + bytes.optimizer * share);
  }
  throw std::logic_error("no such plan of memory");
}

MemoryNeed MemoryDemand::need() const {
  return {.states = state_bytes(plan, parameters, shards, bytes),
          .activations = activations ? activations(micro_batch) : 0};
}

std::int64_t MemoryDemand::fitting_micro_batch(double usable) const {
  std::int64_t fits = 0, too_large = micro_batch + 1;
  while (too_large - fits > 1) {
    MemoryDemand smaller = *this;
    smaller.micro_batch = fits + (too_large - fits) / 2;
    (smaller.need().total() <= usable ? fits : too_large) = smaller.micro_batch;
  }
  return fits;
}

std::string fitting_hint(const MemoryDemand& demand, double usable) {
  std::string hint;
  const auto add = [&](const std::string& what) { hint += (hint.empty() ? "" : "; ") + what; };
  const std::int64_t own = demand.fitting_micro_batch(usable);
  if (own > 0) add("a micro_batch of " + std::to_string(own) + " fits");
  for (const MemoryPlan plan : {MemoryPlan::zero1, MemoryPlan::zero2, MemoryPlan::zero3}) {
    MemoryDemand sharded = demand;
    sharded.plan = plan;
    if (demand.shards < 2 || sharded.need().states >= demand.need().states) continue;
    const std::int64_t fits = sharded.fitting_micro_batch(usable);
    if (fits <= own) continue;
    add("scheme \"" + name_of(plan) + "\" over " + std::to_string(demand.shards) +
        " devices fits with a micro_batch of " + std::to_string(fits));
    break;
  }
  if (hint.empty())
    return "no micro_batch and no ZeRO stage fits: a device with more memory, or more devices";
  return hint;
}

void require_fit(const MemoryNeed& need, const DeviceSpec& device, std::string_view path, std::string hint) {
  const double usable = usable_memory * device.memory.value;
  if (need.total() <= usable) return;
  const auto text = [](double bytes) { return format_quantity(bytes, Dimension::bytes); };
  ConfigFault fault;
  fault.path = std::string(path);
  fault.message = "does not fit " + device.name + ": states of " + text(need.states) +
                  " and activations of " + text(need.activations) + " exceed its usable " + text(usable) +
                  " by " + text(need.total() - usable);
  fault.hint = hint.empty()
                   ? "a smaller micro-batch, recomputation, sharded states, or a device with more memory"
                   : std::move(hint);
  throw ConfigError(std::move(fault));
}

}  // namespace convoy
