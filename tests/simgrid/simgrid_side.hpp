// What SimGrid says about transfers, each call in a process of its own: SimGrid's engine is a singleton.
#pragma once

#include <string>
#include <vector>

namespace convoy::cross_check {

enum class Policy { shared, fat_pipe };

struct Link {
  double bandwidth = 0, latency = 0;  // B/s, s
  Policy policy = Policy::shared;
};
struct Flow {
  double start = 0, bytes = 0;  // s
  std::vector<int> links;  // crossed in this order; what SimGrid's own routing says where a platform is given
  int from = 0, to = 0;    // hosts of a platform
};
struct Scenario {
  std::vector<Link> links;
  std::vector<Flow> flows;
  std::string platform{};  // platform XML, whose routes and links are used in place of the above
};

/// Ends of the flows in seconds, with network/model CM02 and neither cross-traffic nor TCP window. Where a
/// platform is given, its links and the flows' routes are entered into the scenario. Throws
/// std::runtime_error where SimGrid fails.
std::vector<double> simgrid_ends(Scenario& scenario);

/// Wall seconds that SimGrid takes for `hosts` around a switch, each on one shared (half-duplex) link, that
/// send `rounds` messages to their right neighbour one after the other.
double simgrid_ring_seconds(int hosts, int rounds, double bytes, double bandwidth, double latency);

}  // namespace convoy::cross_check
