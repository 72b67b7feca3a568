// A communication graph without weights.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace convoy {

/// Directed edges between nodes 0 to size-1, without self loops and without doubles.
class Adjacency {
 public:
  explicit Adjacency(int size) : in_(static_cast<std::size_t>(size)) {}
  [[nodiscard]] int size() const { return static_cast<int>(in_.size()); }
  /// `to` listens to `from`. A self loop or an edge that is there already changes nothing.
  void add(int from, int to);
  /// Both ways.
  void join(int a, int b) { add(a, b), add(b, a); }
  /// Whom a node listens to, ascending.
  [[nodiscard]] const std::vector<int>& in(int node) const { return in_[static_cast<std::size_t>(node)]; }
  [[nodiscard]] int in_degree(int node) const { return static_cast<int>(in(node).size()); }
  [[nodiscard]] std::vector<int> out_degrees() const;
  [[nodiscard]] bool undirected() const;

 private:
  std::vector<std::vector<int>> in_;
};

}  // namespace convoy
