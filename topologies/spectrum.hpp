// Eigenvalues of a mixing matrix.
#pragma once

#include <vector>

#include "topologies/adjacency.hpp"
#include "training/mixing_matrix.hpp"
#include "training/mixing_sequence.hpp"

namespace convoy {

/// Dense eigenvalues cost O(n^3); more nodes are refused.
inline constexpr int most_nodes_of_spectrum = 4096;

/// By a dense solver: self-adjoint for a symmetric matrix, general otherwise; beta is the largest singular
/// value of W - J.
[[nodiscard]] Spectrum dense_spectrum(const MixingMatrix& matrix);

/// ||W(T-1) ... W(1) W(0) - J||_2: what the first T = `rounds` rounds leave of a deviation from the mean.
[[nodiscard]] double product_beta(const GraphSequence& graphs, std::int64_t rounds);

/// Eigenvalues of the Laplacian D - A of an undirected graph, ascending.
[[nodiscard]] std::vector<double> laplacian_spectrum(const Adjacency& graph);

/// 2 / (l_1 + l_{n-1}), the constant edge weight with the smallest beta (Xiao, Boyd, "Fast linear iterations
/// for distributed averaging", Systems & Control Letters 2004); 0 for one node. Throws ConfigError for a
/// graph that is not connected or has more than 4096 nodes.
[[nodiscard]] double best_constant_weight(const Adjacency& graph);

}  // namespace convoy
