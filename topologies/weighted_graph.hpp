// Builders of a graph whose weights follow from its degrees.
#pragma once

#include <string>

#include "topologies/adjacency.hpp"
#include "training/mixing_matrix.hpp"

namespace convoy {

/// How the weights w_ij, of i on its in-neighbour j, follow from the degrees d; the rest of each row is the
/// self weight.
enum class MixingWeights {
  metropolis,     ///< 1 / (1 + max(d_i, d_j)): doubly stochastic on any undirected graph (Xiao, Boyd 2004)
  uniform,        ///< 1 / (1 + d_i): row stochastic; doubly stochastic on regular graphs only
  max_degree,     ///< 1 / (1 + max over nodes of d): doubly stochastic on any undirected graph
  push_sum,       ///< 1 / (1 + out-degree of j), self likewise: column stochastic, for push-sum algorithms
  best_constant,  ///< 2 / (l_1 + l_{n-1}), l the largest and smallest positive eigenvalue of the Laplacian:
                  ///< the fastest constant weight (Xiao, Boyd 2004); the self weight may be negative
  given,  ///< stated edge by edge
};

/// Weights on the edges of `graph`. `lazy` in (0, 1]: (1 - lazy) I + lazy W, which lifts the smallest
/// eigenvalue; 1 is W itself. Throws ConfigError for metropolis or best_constant weights on a directed graph,
/// and for best_constant on one that is not connected or has more than 4096 nodes. Not for `given`.
[[nodiscard]] MixingMatrix mixing_matrix(std::string name, const Adjacency& graph, MixingWeights weights,
                                         double lazy = 1);

/// A builder that only has to say who is joined to whom.
class WeightedGraph : public GraphBuilder {
 public:
  void declare(Options& options) override;
  /// Throws ConfigError where the graph does not exist for that many nodes (at least 1).
  [[nodiscard]] MixingMatrix build(int nodes) const override;
  [[nodiscard]] Spectrum spectrum(const MixingMatrix& matrix) const final;

 protected:
  explicit WeightedGraph(MixingWeights weights = MixingWeights::metropolis) : weights_(weights) {}
  [[nodiscard]] virtual Adjacency adjacency(int nodes) const = 0;
  /// The weights and laziness that were chosen, on those edges.
  [[nodiscard]] MixingMatrix weighted(const Adjacency& graph) const;
  [[nodiscard]] MixingWeights weights() const { return weights_; }
  [[nodiscard]] double lazy() const { return lazy_; }
  /// Whether edges may state their weights.
  [[nodiscard]] virtual bool offers_given() const { return false; }

 private:
  MixingWeights weights_;
  double lazy_ = 1;
};

/// The fault of a graph that does not exist, at "graph.<option>".
[[noreturn]] void refuse_graph(std::string option, std::string message, std::string allowed = {},
                               std::string hint = {});

}  // namespace convoy
