#include "topologies/weighted_graph.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "topologies/spectrum.hpp"

namespace convoy {

MixingMatrix mixing_matrix(std::string name, const Adjacency& graph, MixingWeights weights, double lazy) {
  const bool constant = weights == MixingWeights::best_constant;
  if ((constant || weights == MixingWeights::metropolis) && !graph.undirected()) {
    refuse_graph("weights",
                 std::string(constant ? "best_constant" : "metropolis") + " weights need an undirected graph",
                 "uniform, max_degree, push_sum");
  }
  const double best = constant ? best_constant_weight(graph) : 0;
  const int n = graph.size();
  const std::vector<int> out_degrees = graph.out_degrees();
  int largest = 0;
  for (int i = 0; i < n; ++i) largest = std::max(largest, graph.in_degree(i));
  const auto weight = [&](int i, int j) {
    switch (weights) {
      case MixingWeights::metropolis:
        return 1.0 / (1 + std::max(graph.in_degree(i), graph.in_degree(j)));
      case MixingWeights::uniform:
        return 1.0 / (1 + graph.in_degree(i));
      case MixingWeights::max_degree:
        return 1.0 / (1 + largest);
      case MixingWeights::push_sum:
        return 1.0 / (1 + out_degrees[static_cast<std::size_t>(j)]);
      case MixingWeights::best_constant:
        return best;
      case MixingWeights::given:
        throw std::logic_error("given weights do not follow from the graph");
    }
    return 0.0;
  };
  std::vector<std::vector<MixingMatrix::Entry>> rows(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    std::vector<MixingMatrix::Entry>& row = rows[static_cast<std::size_t>(i)];
    double others = 0;
    for (const int j : graph.in(i)) {
      row.push_back({j, lazy * weight(i, j)});
      others += weight(i, j);
    }
    // Where self and neighbours weigh the same the self weight is that number, not what rounding leaves of 1.
    const bool shares_equally = weights == MixingWeights::uniform || weights == MixingWeights::push_sum;
    const double self = shares_equally ? weight(i, i) : 1 - others;
    row.push_back({i, 1 - lazy + lazy * self});
  }
  return MixingMatrix(std::move(name), std::move(rows));
}

void WeightedGraph::declare(Options& options) {
  std::vector<std::pair<std::string, MixingWeights>> words = {
      {"metropolis", MixingWeights::metropolis},
      {"uniform", MixingWeights::uniform},
      {"max_degree", MixingWeights::max_degree},
      {"push_sum", MixingWeights::push_sum},
      {"best_constant", MixingWeights::best_constant}};
  if (offers_given()) words.emplace_back("explicit", MixingWeights::given);
  options.add("weights", weights_, std::move(words))
      .help(
          "metropolis: 1/(1+max(d_i,d_j)); uniform: 1/(1+d_i); max_degree: 1/(1+max d); push_sum: "
          "1/(1+out-degree of j); best_constant: 2/(l_1+l_(n-1)) of the Laplacian" +
          std::string(offers_given() ? "; explicit: the third number of each edge" : ""))
      .source("Xiao, Boyd 2004");
  options.add("lazy", lazy_)
      .more_than(0)
      .at_most(1)
      .help("theta: mixes with (1-theta) I + theta W; 1/2 makes every eigenvalue >= 0");
}

MixingMatrix WeightedGraph::build(int nodes) const {
  if (nodes < 1) refuse_graph({}, "a communication graph needs at least one node");
  return weighted(adjacency(nodes));
}

MixingMatrix WeightedGraph::weighted(const Adjacency& graph) const {
  return mixing_matrix(std::string(kind()), graph, weights_, lazy_);
}

Spectrum WeightedGraph::spectrum(const MixingMatrix& matrix) const {
  return dense_spectrum(matrix);
}

void refuse_graph(std::string option, std::string message, std::string allowed, std::string hint) {
  ConfigFault fault;
  fault.path = option.empty() ? "graph" : "graph." + option;
  fault.message = std::move(message);
  fault.allowed = std::move(allowed);
  fault.hint = std::move(hint);
  throw ConfigError(std::move(fault));
}

}  // namespace convoy
