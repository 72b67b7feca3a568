#include "training/host_workers.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

namespace convoy {
namespace {

/// What k devices exchange after each step: passes of a k-th of the bytes over the hops of their ring.
PhysicalNetwork::Group group_of(InsideExchange exchange, std::span<const NodeId> devices,
                                const NetworkGraph& graph, const std::string& path) {
  PhysicalNetwork::Group group{.devices = static_cast<int>(devices.size())};
  if (exchange == InsideExchange::none || devices.size() < 2) return group;
  group.passes = (exchange == InsideExchange::zero3 ? 3 : 2) * static_cast<double>(devices.size() - 1);
  try {
    for (std::size_t k = 0; k < devices.size(); ++k) {
      const PathSummary hop = graph.path(devices[k], devices[(k + 1) % devices.size()]);
      group.bandwidth = k == 0 ? hop.bandwidth : std::min(group.bandwidth, hop.bandwidth);
      group.latency = std::max(group.latency, hop.latency);
    }
  } catch (const ConfigError& error) {
    refuse_cluster(path + ".devices_per_worker", error.faults().front().message);
  }
  return group;
}

void place_on(const HostOptions& host, const WorkerOptions& entry, const HostMachine& machine,
              const std::string& path, PhysicalNetwork& machines) {
  const std::size_t size = static_cast<std::size_t>(entry.devices_per_worker), all = machine.devices.size();
  const std::size_t count = entry.count ? static_cast<std::size_t>(*entry.count) : all / size;
  if (size > all || count > all / size || (!entry.count && all % size != 0)) {
    refuse_cluster(
        path + (entry.count ? ".count" : ".devices_per_worker"),
        fmt::format("{} has {} devices, which do not make {} workers of {}", in_quotes(entry.on), all,
                    entry.count ? fmt::format("{}", *entry.count) : std::string("whole"), size));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i * size;
    PhysicalNetwork::Device worker{.name = fmt::format("{}.{}{}", host.name, size == 1 ? "g" : "w", i),
                                   .site = host.region,
                                   .host = host.name,
                                   .node = machine.devices[first],
                                   .model = machine.models[first],
                                   .speed = host.speed};
    if (count == 1) worker.name = host.name;
    for (std::size_t k = first; k < first + size; ++k) {
      if (machine.models[k] == worker.model) continue;
      refuse_cluster(path + ".devices_per_worker",
                     fmt::format("a worker of {} would join devices of two kinds, {} and {}",
                                 in_quotes(entry.on), worker.model, machine.models[k]));
    }
    if (host.price) worker.price = *host.price * static_cast<double>(size);
    worker.group =
        group_of(entry.inside, std::span(machine.devices).subspan(first, size), machines.graph, path);
    machines.devices.push_back(std::move(worker));
  }
}

}  // namespace

void place_workers(const ClusterOptions& cluster, const Names<HostMachine>& hosts,
                   const std::vector<std::string>& regions, PhysicalNetwork& machines) {
  if (cluster.worker_list.empty()) {
    for (std::size_t i = 0; i < cluster.hosts.size(); ++i) {
      const HostOptions& host = cluster.hosts[i];
      const std::string path = item_path("hosts", i);
      WorkerOptions all;
      all.on = host.name;
      if (host.count() > 0) place_on(host, all, hosts.at(host.name, path), path, machines);
    }
  }
  std::set<std::string> seen;
  for (std::size_t i = 0; i < cluster.worker_list.size(); ++i) {
    const WorkerOptions& entry = cluster.worker_list[i];
    const std::string path = item_path("workers", i);
    const HostMachine& machine = hosts.at(entry.on, path + ".on");
    if (!seen.insert(entry.on).second)
      refuse_cluster(path + ".on", "the workers of " + in_quotes(entry.on) + " are stated twice");
    const auto host = std::find_if(cluster.hosts.begin(), cluster.hosts.end(),
                                   [&](const HostOptions& one) { return one.name == entry.on; });
    place_on(*host, entry, machine, path, machines);
  }
  std::map<std::string, std::size_t> order;
  for (const std::string& region : regions) order.emplace(region, order.size());
  std::stable_sort(machines.devices.begin(), machines.devices.end(),
                   [&](const auto& a, const auto& b) { return order.at(a.site) < order.at(b.site); });
}

}  // namespace convoy
