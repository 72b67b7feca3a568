#include "topologies/rectangle.hpp"

#include <string>

namespace convoy {

void RectangularGraph::declare(Options& options) {
  options.add("rows", rows_)
      .at_least(1)
      .default_text("the divisor of the number of nodes nearest below its root");
  options.add("columns", columns_).at_least(1).default_text("nodes / rows");
  WeightedGraph::declare(options);
}

RectangularGraph::Shape RectangularGraph::shape(int nodes) const {
  int rows = 1;
  for (int divisor = 2; divisor * divisor <= nodes; ++divisor) {
    if (nodes % divisor == 0) rows = divisor;
  }
  const std::int64_t chosen_rows = rows_                                ? *rows_
                                   : columns_ && nodes % *columns_ == 0 ? nodes / *columns_
                                                                        : rows;
  const std::int64_t chosen_columns = columns_ ? *columns_ : nodes / chosen_rows;
  if (chosen_rows * chosen_columns != nodes) {
    refuse_graph(rows_ ? "rows" : "columns", std::to_string(nodes) + " nodes are not " +
                                                 std::to_string(chosen_rows) + " rows of " +
                                                 std::to_string(chosen_columns));
  }
  return {static_cast<int>(chosen_rows), static_cast<int>(chosen_columns)};
}

Adjacency RectangularGraph::adjacency(int nodes) const {
  const Shape s = shape(nodes);
  Adjacency graph(nodes);
  for (int r = 0; r < s.rows; ++r) {
    for (int c = 0; c < s.columns; ++c) {
      const int node = r * s.columns + c;
      if (r + 1 < s.rows || wraps()) graph.join(node, (r + 1) % s.rows * s.columns + c);
      if (c + 1 < s.columns || wraps()) graph.join(node, r * s.columns + (c + 1) % s.columns);
    }
  }
  return graph;
}

}  // namespace convoy
