// Which devices of listed hosts are a worker.
#pragma once

#include <string>
#include <vector>

#include "training/cluster_options.hpp"
#include "training/host_names.hpp"
#include "training/physical_network.hpp"

namespace convoy {

/// A host's own nodes in the network.
struct HostMachine {
  NodeId hub;                       ///< where cluster links and a single NIC attach
  std::vector<NodeId> devices;      ///< g0, g1, ...
  std::vector<std::string> models;  ///< one a device; empty: none stated
};

/// Makes the workers that the cluster lists, or one of each device, in the order of `regions`. Throws
/// ConfigError for devices that make no whole workers.
void place_workers(const ClusterOptions& cluster, const Names<HostMachine>& hosts,
                   const std::vector<std::string>& regions, PhysicalNetwork& machines);

}  // namespace convoy
