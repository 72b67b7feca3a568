// What a run is charged for, and where its workers and servers stand.
#include <fmt/format.h>

#include <algorithm>
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

Duration ChargedWorkload::exchange_time(const PhysicalNetwork::Group& group) const {
  if (group.passes <= 0) return {};
  const double bytes = static_cast<double>(costs.parameter_bytes()) / group.devices;
  return Duration::seconds(group.passes * (bytes / group.bandwidth + group.latency.to_seconds()));
}

std::int64_t ChargedWorkload::batch_of(const RunSetup& setup, int worker) const {
  if (stated && !setup.task->has_math()) return stated->reference_batch;
  return static_cast<std::int64_t>(setup.task->batch_size(worker));
}

Duration ChargedWorkload::step_time(const RunSetup& setup, const PhysicalNetwork::Device& device,
                                    int worker) const {
  const std::int64_t batch = batch_of(setup, worker);
  const Duration exchange = exchange_time(device.group);
  const int devices = device.group.devices;
  if (stated && batch == stated->reference_batch)
    return exchange + stated->time(batch, device.speed * devices);
  const std::int64_t part = (batch + devices - 1) / devices;  // of the device with the most samples
  const std::int64_t micro_batch =
      setup.memory == nullptr ? part : setup.memory->micro_batch_on(device.model, part);
  if (stated) {
    return exchange + in_micro_batches(batch, micro_batch * devices, [&](std::int64_t samples) {
             return stated->time(samples, device.speed * devices);
           });
  }
  if (setup.cluster->compute && !device.model.empty()) {
    const std::vector<DeviceSpec> own = setup.cluster->hardware.specs();
    const DeviceSpec& spec = find_device(device.model, "cluster.devices", own);
    return exchange + in_micro_batches(part, micro_batch, [&](std::int64_t samples) {
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
    const ServerOptions& servers = setup.cluster->servers;
    const std::string global_site = servers.global_region.value_or(machines.sites.front().name);
    // Of a host by its name: the server is another process there.
    const auto on_host = [&](const std::string& name, const char* suffix) {
      const auto host = std::find_if(machines.hosts.begin(), machines.hosts.end(),
                                     [&](const PhysicalNetwork::Host& one) { return one.name == name; });
      return Host{.name = name + suffix,
                  .region = host->site,
                  .host = name,
                  .node = host->node,
                  .speed = 1,
                  .step_time = {}};
    };
    const auto add_server = [&](const PhysicalNetwork::Site& site, const char* suffix) {
      std::string name = site.name + suffix;
      const NodeId node = machines.add_host(name, site);
      return Host{.name = name, .region = site.name, .host = name, .node = node, .speed = 1, .step_time = {}};
    };
    for (const PhysicalNetwork::Site& site : machines.sites) {
      const auto local = servers.local.find(site.name);
      placement.local_servers.push_back(local != servers.local.end() ? on_host(local->second, ".server")
                                                                     : add_server(site, ".server"));
      if (site.name == global_site && !servers.global) placement.global_server = add_server(site, ".global");
    }
    if (servers.global) placement.global_server = on_host(*servers.global, ".global");
  }
  placement.graph = std::move(machines.graph);
  return placement;
}

}  // namespace convoy
