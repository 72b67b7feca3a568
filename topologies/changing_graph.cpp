#include "topologies/changing_graph.hpp"

#include <string>
#include <utility>
#include <vector>

#include "topologies/spectrum.hpp"
#include "topologies/weighted_graph.hpp"

namespace convoy {

MixingMatrix ChangingGraph::build(int) const {
  refuse_static_use(kind());
}

Spectrum ChangingGraph::spectrum(const MixingMatrix& matrix) const {
  return dense_spectrum(matrix);
}

void ChangingGraph::require_nodes(int nodes) {
  if (nodes < 1) refuse_graph({}, "a communication graph needs at least one node");
}

void ChangingGraph::require_edges(const char* option, std::int64_t nodes, std::int64_t neighbours) {
  constexpr auto most = static_cast<std::int64_t>(Adjacency::most_edges);
  if (neighbours <= most / nodes) return;
  refuse_graph(option,
               std::to_string(nodes) + " nodes with up to " + std::to_string(neighbours) +
                   " neighbours each are too many edges",
               "at most " + std::to_string(most) + " directed edges");
}

void refuse_static_use(std::string_view kind) {
  refuse_graph({},
               "the graph \"" + std::string(kind) +
                   "\" changes from round to round, and a graph that stays "
                   "the same is needed here",
               "a graph that does not change, such as ring, torus or hypercube");
}

MixingMatrix group_average(std::string name, int nodes, const std::vector<std::vector<int>>& groups) {
  std::vector<std::vector<MixingMatrix::Entry>> rows(static_cast<std::size_t>(nodes));
  for (const std::vector<int>& group : groups) {
    const double share = 1.0 / static_cast<double>(group.size());
    for (const int i : group) {
      for (const int j : group) rows[static_cast<std::size_t>(i)].push_back({j, share});
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].empty()) rows[i].push_back({static_cast<int>(i), 1});
  }
  return MixingMatrix(std::move(name), std::move(rows));
}

}  // namespace convoy
