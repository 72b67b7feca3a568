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
  static constexpr std::size_t most_edges = std::size_t{1} << 24;
  explicit Adjacency(int size) : in_(static_cast<std::size_t>(size)) {}
  [[nodiscard]] int size() const { return static_cast<int>(in_.size()); }
  /// `to` listens to `from`. A self loop or an edge that is there already changes nothing. Throws ConfigError
  /// beyond `most_edges` edges.
  void add(int from, int to);
  /// Both ways.
  void join(int a, int b) { add(a, b), add(b, a); }
  /// Whom a node listens to, ascending.
  [[nodiscard]] const std::vector<int>& in(int node) const { return in_[static_cast<std::size_t>(node)]; }
  [[nodiscard]] int in_degree(int node) const { return static_cast<int>(in(node).size()); }
  [[nodiscard]] std::vector<int> out_degrees() const;
  [[nodiscard]] bool undirected() const;
  /// Whether everyone hears of everyone, whatever is relayed.
  [[nodiscard]] bool connected() const;
  /// Two nodes of which the second never hears of the first. Throws std::logic_error in a connected graph.
  [[nodiscard]] std::pair<int, int> cut_off() const;
  [[nodiscard]] bool has(int from, int to) const;
  void remove(int from, int to);
  /// Pairs a < b that are joined, both or one way.
  [[nodiscard]] std::vector<std::pair<int, int>> pairs() const;

 private:
  /// First node that 0 does not reach (or that does not reach 0); -1 if there is none.
  [[nodiscard]] int unreached(bool outwards) const;

  std::vector<std::vector<int>> in_;
  std::size_t edges_ = 0;
};

}  // namespace convoy
