// What a run is charged for, and where its workers and servers stand.
#include <fmt/format.h>

#include <functional>

#include "hardware/catalogue.hpp"
#include "training/memory_check.hpp"
#include "training/run_state.hpp"

namespace convoy {
namespace {

constexpr double default_wire_bytes = 4;  // float32

/// Time of a batch whose gradient is accumulated over micro-batches, the last of which may be smaller.
Duration in_micro_batches(std::int64_t batch, std::int64_t micro_batch,
                          const std::function<Duration(std::int64_t samples)>& time) {
  if (batch <= micro_batch) return time(batch);
  Duration sum = time(micro_batch) * (batch / micro_batch);
  if (batch % micro_batch != 0) sum += time(batch % micro_batch);
  return sum;
}

}  // namespace

ChargedWorkload ChargedWorkload::of(const RunSetup& setup) {
  ChargedWorkload charged;
  const std::optional<Workload> stated =
      setup.workload == nullptr ? std::nullopt : setup.workload->workload();
  if (setup.workload != nullptr) charged.stated = setup.workload->stated();
  if (stated) {
    charged.costs = *stated;
  } else {
    charged.costs.name = "the model that trains";
    charged.costs.bytes_per_parameter = default_wire_bytes;
    for (const LayerSpan& layer : setup.task->layout()->layers) {
      charged.costs.tensors.push_back({layer.name, static_cast<std::int64_t>(layer.rows),
                                       static_cast<std::int64_t>(layer.cols), layer.matrix});
    }
    charged.costs.forward_flops = setup.task->flops_per_sample() / 3;  // of forward and backward passes
    charged.costs.activation_elements =
        setup.task->activation_bytes_per_sample() / charged.costs.bytes_per_parameter;
  }
  for (const TensorShape& tensor : charged.costs.tensors)
    charged.shape.tensor_elements.push_back(tensor.elements());
  charged.shape.bytes_per_element = charged.costs.bytes_per_parameter;
  return charged;
}

std::int64_t ChargedWorkload::batch_of(const RunSetup& setup, int worker) const {
  if (stated && !setup.task->has_math()) return stated->reference_batch;
  return static_cast<std::int64_t>(setup.task->batch_size(worker));
}

Duration ChargedWorkload::step_time(const RunSetup& setup, const PhysicalNetwork::Device& device,
                                    int worker) const {
  const std::int64_t batch = batch_of(setup, worker);
  if (stated && batch == stated->reference_batch) return stated->time(batch, device.speed);
  const std::int64_t micro_batch =
      setup.memory == nullptr ? batch : setup.memory->micro_batch_on(device.model, batch);
  if (stated) {
    return in_micro_batches(batch, micro_batch,
                            [&](std::int64_t samples) { return stated->time(samples, device.speed); });
  }
  if (setup.cluster->compute && !device.model.empty()) {
    const std::vector<DeviceSpec> own = setup.cluster->hardware.specs();
    const DeviceSpec& spec = find_device(device.model, "cluster.devices", own);
    return in_micro_batches(batch, micro_batch, [&](std::int64_t samples) {
      return setup.cluster->compute->time(costs.training_cost(samples), spec, device.speed);
    });
  }
  throw ConfigError(ConfigFault{
      .path = "workload.step_time",
      .message = "nothing says how long a step takes",
      .found = {},
      .allowed =
          "\"step_time\" and \"reference_batch\" in workload, or \"compute\" and \"devices\" in cluster",
      .hint = "\"workload\": {\"step_time\": \"100 ms\", \"reference_batch\": 64}",
      .file = {}});
}

Placement Placement::of(const RunSetup& setup, const ChargedWorkload& workload, bool with_servers) {
  PhysicalNetwork machines = setup.cluster->physical();
  require_memory(setup, workload, machines);
  Placement placement;
  for (const PhysicalNetwork::Device& device : machines.devices) {
    const int index = static_cast<int>(placement.workers.size());
    placement.workers.push_back({.name = device.name,
                                 .region = device.site,
                                 .host = device.host,
                                 .node = device.node,
                                 .speed = device.speed,
                                 .step_time = workload.step_time(setup, device, index)});
    if (device.price) placement.price = placement.price.value_or(0) + *device.price;
  }
  if (with_servers) {
    const std::string global_site =
        setup.cluster->servers.global_region.value_or(machines.sites.front().name);
    const auto add_server = [&](const PhysicalNetwork::Site& site, const char* suffix) {
      std::string name = site.name + suffix;
      const NodeId node = machines.add_host(name, site);
      return Host{.name = name, .region = site.name, .host = name, .node = node, .speed = 1, .step_time = {}};
    };
    for (const PhysicalNetwork::Site& site : machines.sites) {
      placement.local_servers.push_back(add_server(site, ".server"));
      if (site.name == global_site) placement.global_server = add_server(site, ".global");
    }
  }
  placement.graph = std::move(machines.graph);
  return placement;
}

}  // namespace convoy
