// Random d-regular graph: each node has d stubs, and a random pairing of stubs makes the edges. Pairs that
// would be a loop or a double edge are swapped with a random other pair until none is left (configuration
// model with edge switches). beta is near (1 + 2 sqrt(d-1)) / (d+1) for large n (Friedman: l_2(A) -> 2
// sqrt(d-1)).
#include <string>
#include <utility>
#include <vector>

#include "topologies/graphs.hpp"
#include "topologies/random_graph.hpp"

namespace convoy {

namespace {

class RandomRegular final : public RandomGraph {
 public:
  [[nodiscard]] std::string_view kind() const override { return "random_regular"; }
  [[nodiscard]] std::string_view about() const override {
    return "every node has the same number of random neighbours";
  }
  void declare(Options& options) override {
    options.add("degree", degree_).required().at_least(1).help("neighbours of each node");
    RandomGraph::declare(options);
  }

 protected:
  void require_possible(int nodes) const override {
    if (nodes == 1) return;
    if (degree_ >= nodes) {
      refuse_graph(
          "degree",
          std::to_string(nodes) + " nodes cannot have " + std::to_string(degree_) + " neighbours each",
          "at most " + std::to_string(nodes - 1));
    }
    if (nodes * degree_ % 2 != 0) {
      refuse_graph("degree", "nodes x degree must be even, since each edge has two ends, and " +
                                 std::to_string(nodes) + " x " + std::to_string(degree_) + " is odd");
    }
    if (static_cast<std::size_t>(nodes * degree_) > Adjacency::most_edges) {
      refuse_graph("degree", "the graph has too many edges",
                   "nodes x degree of at most " + std::to_string(Adjacency::most_edges));
    }
  }
  [[nodiscard]] Adjacency draw(int nodes, RandomStream& random) const override {
    if (nodes == 1) return Adjacency(1);
    if (degree_ > (nodes - 1) / 2) return complement(sparse(nodes, nodes - 1 - degree_, random));
    return sparse(nodes, degree_, random);
  }

 private:
  /// By pairing; quick up to about half of all possible neighbours.
  static Adjacency sparse(int nodes, std::int64_t degree, RandomStream& random) {
    std::vector<int> stubs;
    for (int i = 0; i < nodes; ++i) stubs.insert(stubs.end(), static_cast<std::size_t>(degree), i);
    for (;;) {
      random.shuffle(stubs.begin(), stubs.end());
      Adjacency graph(nodes);
      std::vector<std::pair<int, int>> edges, bad;
      for (std::size_t i = 0; i + 1 < stubs.size(); i += 2) {
        const auto edge = std::pair(stubs[i], stubs[i + 1]);
        if (edge.first == edge.second || graph.has(edge.first, edge.second)) {
          bad.push_back(edge);
        } else {
          graph.join(edge.first, edge.second);
          edges.push_back(edge);
        }
      }
      if (repair(graph, edges, bad, random)) return graph;
    }
  }
  /// (a, b) is bad: with a good edge (c, d) it becomes (a, c) and (b, d). False if that does not end.
  static bool repair(Adjacency& graph, std::vector<std::pair<int, int>>& edges,
                     const std::vector<std::pair<int, int>>& bad, RandomStream& random) {
    for (const auto& [a, b] : bad) {
      bool mended = false;
      for (std::size_t attempt = 0; attempt < 100 + 20 * edges.size() && !edges.empty() && !mended;
           ++attempt) {
        std::pair<int, int>& edge = edges[random.below(edges.size())];
        auto [c, d] = edge;
        if (random.below(2) == 1) std::swap(c, d);
        if (a == c || b == d || graph.has(a, c) || graph.has(b, d)) continue;
        if (std::pair(a, c) == std::pair(b, d) || std::pair(a, c) == std::pair(d, b)) continue;
        graph.remove(c, d), graph.remove(d, c);
        graph.join(a, c), graph.join(b, d);
        edge = {a, c};
        edges.emplace_back(b, d);
        mended = true;
      }
      if (!mended) return false;
    }
    return true;
  }
  static Adjacency complement(const Adjacency& graph) {
    Adjacency result(graph.size());
    for (int i = 1; i < graph.size(); ++i) {
      for (int j = 0; j < i; ++j) {
        if (!graph.has(i, j)) result.join(i, j);
      }
    }
    return result;
  }

  std::int64_t degree_ = 0;
};

}  // namespace

std::unique_ptr<GraphBuilder> make_random_regular() {
  return std::make_unique<RandomRegular>();
}

}  // namespace convoy
