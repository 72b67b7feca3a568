#include "hardware/memory.hpp"

#include <stdexcept>
#include <string>

#include "core/error.hpp"

namespace convoy {

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

double activation_bytes(const TransformerShape& shape, std::int64_t samples, Recompute recompute) {
  if (shape.width < 1 || shape.sequence < 1)
    throw std::logic_error("a transformer without width or sequence");
  const auto layers = static_cast<double>(shape.layers), width = static_cast<double>(shape.width);
  const auto sequence = static_cast<double>(shape.sequence);
  const double tokens_by_width = sequence * static_cast<double>(samples) * width;
  const double layer = tokens_by_width * (34 + 5 * static_cast<double>(shape.heads) * sequence / width);
  return recompute == Recompute::none ? layers * layer : layers * 2 * tokens_by_width + layer;
}

double flops_per_token(double parameters, const TransformerShape& shape, bool causal, Recompute recompute) {
  const double attention = (causal ? 6.0 : 12.0) * static_cast<double>(shape.layers) *
                           static_cast<double>(shape.width) * static_cast<double>(shape.sequence);
  const double once = 6 * parameters + attention;
  return recompute == Recompute::none ? once : once * 4 / 3;
}

void require_fit(const MemoryNeed& need, const DeviceSpec& device, std::string_view path) {
  const double usable = usable_memory * device.memory.value;
  if (need.total() <= usable) return;
  const auto text = [](double bytes) { return format_quantity(bytes, Dimension::bytes); };
  ConfigFault fault;
  fault.path = std::string(path);
  fault.message = "does not fit " + device.name + ": states of " + text(need.states) +
                  " and activations of " + text(need.activations) + " exceed its usable " + text(usable) +
                  " by " + text(need.total() - usable);
  fault.hint = "a smaller micro-batch, recomputation, sharded states, or a device with more memory";
  throw ConfigError(std::move(fault));
}

}  // namespace convoy
