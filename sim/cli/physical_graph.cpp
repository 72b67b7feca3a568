#include "cli/physical_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "core/node.hpp"
#include "core/units.hpp"

namespace convoy::cli {

double bisection_bandwidth(const ClusterOptions& cluster) {
  constexpr std::size_t most_regions = 16;
  const std::vector<RegionOptions> regions = cluster.expanded();
  if (regions.size() > most_regions) return 0;
  std::map<std::string, std::size_t> index;
  for (const RegionOptions& region : regions) index.emplace(region.name, index.size());
  const std::int64_t half = cluster.worker_count() / 2;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t sides = 0; sides < (1U << regions.size()); ++sides) {
    const auto side = [sides](std::size_t region) { return (sides >> region) & 1U; };
    double cut = 0;
    for (const WanLink& link : cluster.wan) {
      if (side(index.at(link.from)) != side(index.at(link.to))) cut += link.bandwidth;
    }
    std::int64_t on_first = 0;
    for (std::size_t r = 0; r < regions.size(); ++r) on_first += side(r) == 0 ? regions[r].workers : 0;
    // Hosts are moved over their own links from the side that has too many, the slowest links first.
    std::int64_t to_move = on_first - half;
    const std::uint32_t from = to_move > 0 ? 0 : 1;
    std::vector<std::pair<double, std::int64_t>> hosts;
    for (std::size_t r = 0; r < regions.size(); ++r) {
      if (side(r) == from) hosts.emplace_back(regions[r].bandwidth, regions[r].workers);
    }
    std::sort(hosts.begin(), hosts.end());
    to_move = std::abs(to_move);
    for (const auto& [bandwidth, count] : hosts) {
      const std::int64_t moved = std::min(to_move, count);
      cut += static_cast<double>(moved) * bandwidth;
      to_move -= moved;
    }
    least = std::min(least, cut);
  }
  return least;
}

std::string to_dot(const NetworkGraph& graph) {
  std::string text = "graph cluster {\n";
  for (std::size_t i = 0; i < graph.nodes(); ++i) {
    text += fmt::format("  {};\n", in_quotes(graph.node({static_cast<std::int32_t>(i)}).name));
  }
  for (std::size_t i = 0; i < graph.links(); ++i) {
    const LinkId link{static_cast<std::int32_t>(i)};
    text += fmt::format("  {} -- {} [label=\"{}\"];\n", in_quotes(graph.node(graph.tail(forward(link))).name),
                        in_quotes(graph.node(graph.head(forward(link))).name),
                        format_quantity(graph.link(link).bandwidth, Dimension::bandwidth));
  }
  return text + "}\n";
}

}  // namespace convoy::cli
