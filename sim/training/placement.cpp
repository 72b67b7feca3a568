// What a run is charged for, and where its workers and servers stand.
#include <fmt/format.h>

#include "hardware/catalogue.hpp"
#include "training/run_state.hpp"

namespace convoy {
namespace {

constexpr double default_wire_bytes = 4;  // float32

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
  }
  for (const TensorShape& tensor : charged.costs.tensors)
    charged.shape.tensor_elements.push_back(tensor.elements());
  charged.shape.bytes_per_element = charged.costs.bytes_per_parameter;
  return charged;
}

Duration ChargedWorkload::step_time(const RunSetup& setup, const RegionOptions& region, std::size_t position,
                                    int worker) const {
  const double speed = region.speeds[position];
  const auto batch = static_cast<std::int64_t>(setup.task->batch_size(worker));
  if (stated) return stated->time(setup.task->has_math() ? batch : stated->reference_batch, speed);
  if (setup.cluster->compute && !region.devices.empty()) {
    const bool proxy_only = setup.workload == nullptr || !setup.workload->workload();
    ComputeCost cost = costs.training_cost(batch);
    if (proxy_only) cost.flops = setup.task->flops_per_sample() * static_cast<double>(batch);
    return setup.cluster->compute->time(cost, find_device(region.devices[position], "cluster.devices"),
                                        speed);
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
  const ClusterOptions& cluster = *setup.cluster;
  const std::vector<RegionOptions> regions = cluster.expanded();
  const std::string global_region = cluster.servers.global_region.value_or(regions.front().name);
  Placement placement;
  NetworkGraph& graph = placement.graph;
  std::map<std::string, NodeId> switches;
  for (const RegionOptions& region : regions) {
    const NodeId center = graph.add_node(NodeSpec{.name = region.name, .site = region.name, .loopback = {}});
    switches[region.name] = center;
    const auto add_host = [&](std::string name) {
      const NodeId node = graph.add_node(NodeSpec{.name = name, .site = region.name, .loopback = {}});
      graph.add_link(node, center,
                     LinkSpec{.bandwidth = region.bandwidth,
                              .latency = region.latency,
                              .sharing = Sharing::full_duplex,
                              .name = {}});
      return Host{.name = std::move(name), .region = region.name, .node = node, .speed = 1, .step_time = {}};
    };
    for (std::size_t i = 0; i < static_cast<std::size_t>(region.workers); ++i) {
      const int index = static_cast<int>(placement.workers.size());
      Host host = add_host(fmt::format("{}.w{}", region.name, i));
      host.speed = region.speeds[i];
      host.step_time = workload.step_time(setup, region, i, index);
      placement.workers.push_back(std::move(host));
    }
    if (!with_servers) continue;
    placement.local_servers.push_back(add_host(region.name + ".server"));
    if (region.name == global_region) placement.global_server = add_host(region.name + ".global");
  }
  for (const WanLink& link : cluster.wan) {
    graph.add_link(switches.at(link.from), switches.at(link.to),
                   LinkSpec{.bandwidth = link.bandwidth,
                            .latency = link.latency,
                            .sharing = Sharing::full_duplex,
                            .name = {}});
  }
  return placement;
}

}  // namespace convoy
