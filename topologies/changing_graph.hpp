// Graphs that change from round to round.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "training/mixing_sequence.hpp"

namespace convoy {

/// A builder that only has to give its sequence.
class ChangingGraph : public GraphBuilder {
 public:
  /// Throws ConfigError: there is no one graph.
  [[nodiscard]] MixingMatrix build(int nodes) const final;
  [[nodiscard]] Spectrum spectrum(const MixingMatrix& matrix) const final;

 protected:
  /// Throws ConfigError for less than one node.
  static void require_nodes(int nodes);
  /// Throws ConfigError at an option where `nodes` rows of up to `neighbours` edges are too many.
  static void require_edges(const char* option, std::int64_t nodes, std::int64_t neighbours);
};

/// The fault of a graph that changes where one that stays is needed.
[[noreturn]] void refuse_static_use(std::string_view kind);

/// A matrix in which the members of each group average, and everyone else keeps what it has: 1/|group| to
/// each other and to oneself (P-Reduce; a matching is groups of two). Symmetric and doubly stochastic.
[[nodiscard]] MixingMatrix group_average(std::string name, int nodes,
                                         const std::vector<std::vector<int>>& groups);

}  // namespace convoy
