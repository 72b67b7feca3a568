// How much traffic a physical network carries between its halves.
#pragma once

#include <optional>
#include <string>

#include "training/physical_network.hpp"

namespace convoy {

struct Bisection {
  double bandwidth = 0;  ///< B/s of one direction
  bool exact = true;     ///< false: some halves carry no more, others may carry less
  std::string how{};     ///< "closed form of fat_tree", "all halves of 16 devices"
};

/// The least of what any half of the devices can send to the other half (one more on one side where they are
/// odd). By `fabric`'s closed form where it has one; exact for sites of devices on a switch (at most 16
/// sites, all their sides are tried) and for at most 16 devices (maximum flow for each half); else the least
/// over some halves, an upper bound. Traffic may take any way: where routes are listed it is an upper bound.
/// Nothing for fewer than two devices, and where links have no ends.
[[nodiscard]] std::optional<Bisection> bisection_bandwidth(const PhysicalNetwork& machines,
                                                           const FabricBuilder* fabric = nullptr);

/// The least over all halves of the devices by maximum flow: at most 20 devices. Throws std::logic_error
/// beyond.
[[nodiscard]] double least_cut_of_halves(const PhysicalNetwork& machines);

}  // namespace convoy
