// A graph as a few matchings, and how often to use each (MATCHA).
#pragma once

#include <utility>
#include <vector>

#include "topologies/adjacency.hpp"

namespace convoy {

/// Pairs of nodes of which no two share a node.
using Matching = std::vector<std::pair<int, int>>;

/// The edges of an undirected graph as matchings that together are the graph: at most its largest degree + 1
/// (Vizing's bound, reached by the edge colouring of Misra and Gries 1992).
[[nodiscard]] std::vector<Matching> matchings_of(const Adjacency& graph);

/// How often each matching is used and what its pairs put on each other.
struct MatchaPlan {
  std::vector<double> probability;  ///< of each matching, independently in each round
  double weight = 0;                ///< alpha: W = I - alpha sum over active j of L_j
  double rho = 1;  ///< ||E[W^T W] - J||_2: squared deviations shrink by it a round, in expectation
};

/// Probabilities that maximise lambda_2(sum_j p_j L_j) with sum_j p_j <= budget x matchings (projected
/// subgradient), and the weight that minimises rho = largest eigenvalue of I - 2 a Lbar + a^2 (Lbar^2 + 2 Lt)
/// - J, Lbar = sum p_j L_j, Lt = sum p_j (1 - p_j) L_j. Wang et al., "MATCHA", arXiv 1905.09435. `budget` in
/// (0, 1].
[[nodiscard]] MatchaPlan matcha_plan(int nodes, const std::vector<Matching>& matchings, double budget);

}  // namespace convoy
