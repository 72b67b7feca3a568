#include "hardware/compute_model.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "core/error.hpp"
#include "core/units.hpp"

namespace convoy {

namespace {

[[noreturn]] void refuse(std::string path, std::string message, std::string found = {},
                         std::string hint = {}) {
  ConfigFault fault;
  fault.path = std::move(path);
  fault.message = std::move(message);
  fault.found = std::move(found);
  fault.hint = std::move(hint);
  throw ConfigError(std::move(fault));
}

bool positive(double value) {
  return value > 0 && std::isfinite(value);
}

void require_speed(double speed) {
  if (!positive(speed)) refuse("speed", "a speed has to be positive and finite", std::to_string(speed));
}

}  // namespace

void StatedStepTime::declare(Options& options) {
  options.add("step_time", step_time)
      .more_than(0)
      .required()
      .help("time of a step at speed 1 and the reference batch");
  options.add("reference_batch", reference_batch)
      .at_least(1)
      .required()
      .help("samples of the batch that step_time was measured with");
  options.add("fixed_time", fixed_time)
      .at_least(0)
      .help("the part t0 of step_time that does not grow with the batch; needed to charge another batch");
  options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
    if (fixed_time && *fixed_time > step_time) {
      faults.add(whole, path + ".fixed_time", "fixed_time is a part of step_time, so at most as long");
    }
  });
}

Duration StatedStepTime::time(std::int64_t batch, double speed) const {
  require_speed(speed);
  if (batch < 0) throw std::logic_error("a batch of fewer than no samples");
  if (batch == 0) return Duration::zero();
  if (batch == reference_batch) return Duration::seconds(step_time.to_seconds() / speed);
  if (!fixed_time) {
    refuse("workload.step_time",
           "step_time is stated for a batch of " + std::to_string(reference_batch) +
               " samples only, and it cannot be scaled to " + std::to_string(batch),
           {},
           "use that batch, or state fixed_time (the part of step_time that does not grow with the batch)");
  }
  const double per_sample = (step_time - *fixed_time).to_seconds() / static_cast<double>(reference_batch);
  return Duration::seconds((fixed_time->to_seconds() + per_sample * static_cast<double>(batch)) / speed);
}

void Roofline::declare(Options& options) {
  options.add("format", format, number_format_words())
      .required()
      .help("number format of the matrix products, which chooses the peak");
  options.add("efficiency", efficiency)
      .more_than(0)
      .at_most(1)
      .required()
      .help(
          "share of the peak that is reached; whole training steps reach 0.3 to 0.6, single large products "
          "0.7 to 0.85");
  options.add("half_efficiency_rows", half_efficiency_rows)
      .at_least(0)
      .help(
          "tokens (samples, where they are no sequences) of a micro-batch at which half of the efficiency is "
          "reached: m rows reach efficiency x m / (m + this)")
      .source("Hockney and Jesshope, Parallel Computers, 1981");
  options.add("memory_efficiency", memory_efficiency)
      .more_than(0)
      .at_most(1)
      .help("share of the memory bandwidth that is reached");
  options.add("launch_overhead", launch_overhead).at_least(0).help("added once a computation");
}

Duration Roofline::time(ComputeCost cost, double peak, double memory_bandwidth, double speed) const {
  require_speed(speed);
  if (!positive(peak))
    refuse("peak", "a peak rate has to be positive and finite", std::to_string(peak) + " FLOP/s");
  if (!positive(memory_bandwidth)) {
    refuse("memory_bandwidth", "a memory bandwidth has to be positive and finite",
           std::to_string(memory_bandwidth) + " B/s");
  }
  if (!positive(efficiency) || efficiency > 1 || !positive(memory_efficiency) || memory_efficiency > 1) {
    refuse("efficiency", "an efficiency has to be in (0, 1]");
  }
  if (!(half_efficiency_rows >= 0) || !std::isfinite(half_efficiency_rows))
    refuse("half_efficiency_rows", "a number of rows has to be finite and not negative");
  if (!(cost.flops >= 0) || !(cost.bytes >= 0) || !std::isfinite(cost.flops) || !std::isfinite(cost.bytes)) {
    throw std::logic_error("the cost of a computation is negative or not finite");
  }
  if (cost.flops == 0 && cost.bytes == 0) return Duration::zero();
  const double ramp = cost.rows > 0 ? cost.rows / (cost.rows + half_efficiency_rows) : 1;
  const double arithmetic = cost.flops / (peak * efficiency * ramp);
  const double traffic = cost.bytes / (memory_bandwidth * memory_efficiency);
  return Duration::seconds((std::max(arithmetic, traffic) + launch_overhead.to_seconds()) / speed);
}

Duration Roofline::time(ComputeCost cost, const DeviceSpec& device, double speed) const {
  const std::optional<double> peak = device.peak_flops(format);
  if (!peak) {
    std::string known;
    for (std::size_t i = 0; i < number_formats; ++i) {
      if (device.peak[i])
        known += (known.empty() ? "" : ", ") + std::string(name_of(static_cast<NumberFormat>(i)));
    }
    refuse("cluster.compute.format",
           std::string(device.name) + " has no matrix unit for " + std::string(name_of(format)), {},
           "it has " + known);
  }
  return time(cost, *peak, device.memory_bandwidth.value, speed);
}

}  // namespace convoy
