// Graphs that lay their nodes out in rows and columns, node r x columns + c at (r, c).
#pragma once

#include <optional>

#include "topologies/weighted_graph.hpp"

namespace convoy {

/// Declares `rows` and `columns`; either may be left out, and without both the rectangle is as square as it
/// can be.
class RectangularGraph : public WeightedGraph {
 public:
  void declare(Options& options) override;

 protected:
  struct Shape {
    int rows = 0, columns = 0;
  };
  /// Throws ConfigError where rows x columns is not the number of nodes.
  [[nodiscard]] Shape shape(int nodes) const;
  [[nodiscard]] Adjacency adjacency(int nodes) const final;
  /// Whether the last row (column) is joined to the first.
  [[nodiscard]] virtual bool wraps() const = 0;

 private:
  std::optional<std::int64_t> rows_, columns_;
};

}  // namespace convoy
