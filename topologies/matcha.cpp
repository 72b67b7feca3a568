// MATCHA (Wang et al., arXiv 1905.09435): the base graph as matchings, each of which is active in a round
// with a probability of its own, independently; W = I - alpha sum of the Laplacians of the active ones. A
// round sends one message a node for each active matching, budget x matchings in expectation.
//
// pairwise: one pair averages in a round, node i uniform, j a uniform neighbour of i (randomised gossip, Boyd
// et al. 2006; AD-PSGD's exchanges): on a d-regular graph E[W^T W] = I - L/(n d).
#include <string>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "topologies/all.hpp"
#include "topologies/changing_graph.hpp"
#include "topologies/graphs.hpp"
#include "topologies/matchings.hpp"
#include "topologies/weighted_graph.hpp"

namespace convoy {

namespace {

/// A graph whose edges are used in turns.
class EdgesOfBase : public ChangingGraph {
 public:
  void declare(Options& options) override {
    options.add("base", base_, static_graph_makers()).default_text("ring").help("graph whose edges are used");
  }

 protected:
  [[nodiscard]] Adjacency base(int nodes) const {
    require_nodes(nodes);
    const MixingMatrix matrix = (base_ ? *base_ : *make_ring()).build(nodes);
    Adjacency graph(nodes);
    for (int i = 0; i < nodes; ++i) {
      for (const int j : matrix.in_neighbours(i)) graph.add(j, i);
    }
    if (!graph.undirected()) refuse_graph("base", "must be an undirected graph: pairs average both ways");
    if (!graph.connected()) {
      const auto [from, to] = graph.cut_off();
      refuse_graph("base", "must be connected: node " + std::to_string(to) + " never hears of node " +
                               std::to_string(from));
    }
    return graph;
  }

 private:
  std::unique_ptr<GraphBuilder> base_;
};

class Matcha final : public EdgesOfBase {
 public:
  [[nodiscard]] std::string_view kind() const override { return "matcha"; }
  [[nodiscard]] std::string_view about() const override {
    return "matchings of a base graph, each active now and then";
  }
  void declare(Options& options) override {
    options.add("budget", budget_)
        .more_than(0)
        .at_most(1)
        .help("expected share of the matchings that are active in a round; 1: the base graph in every round")
        .source("arXiv 1905.09435");
    EdgesOfBase::declare(options);
  }
  [[nodiscard]] std::shared_ptr<const GraphSequence> sequence(int nodes, std::uint64_t seed) const override {
    constexpr int most_nodes = 256;  // of the optimisation, O(n^3) an iteration
    if (nodes > most_nodes) {
      refuse_graph({}, "matcha's probabilities are optimised with dense eigenvalues",
                   "at most " + std::to_string(most_nodes) + " nodes");
    }
    const std::vector<Matching> matchings = matchings_of(base(nodes));
    if (matchings.empty()) return constant_sequence(group_average("matcha", nodes, {}));
    const MatchaPlan plan = matcha_plan(nodes, matchings, budget_);
    if (budget_ == 1) {
      return constant_sequence(
          active(nodes, matchings, plan.weight, std::vector<bool>(matchings.size(), true)));
    }
    return std::make_shared<DrawnSequence>(nodes, [nodes, matchings, plan, seed](std::int64_t round) {
      RandomStream random(seed, "matcha", 0, static_cast<std::uint64_t>(round));
      std::vector<bool> chosen;
      for (const double p : plan.probability) chosen.push_back(random.uniform() < p);
      return active(nodes, matchings, plan.weight, chosen);
    });
  }

 private:
  static MixingMatrix active(int nodes, const std::vector<Matching>& matchings, double weight,
                             const std::vector<bool>& chosen) {
    std::vector<std::vector<MixingMatrix::Entry>> rows(static_cast<std::size_t>(nodes));
    std::vector<double> self(static_cast<std::size_t>(nodes), 1);
    for (std::size_t j = 0; j < matchings.size(); ++j) {
      if (!chosen[j]) continue;
      for (const auto& [a, b] : matchings[j]) {
        rows[static_cast<std::size_t>(a)].push_back({b, weight});
        rows[static_cast<std::size_t>(b)].push_back({a, weight});
        self[static_cast<std::size_t>(a)] -= weight;
        self[static_cast<std::size_t>(b)] -= weight;
      }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back({static_cast<int>(i), self[i]});
    return MixingMatrix("matcha", std::move(rows));
  }

  double budget_ = 0.5;
};

class Pairwise final : public EdgesOfBase {
 public:
  [[nodiscard]] std::string_view kind() const override { return "pairwise"; }
  [[nodiscard]] std::string_view about() const override {
    return "one random pair of neighbours averages in each round";
  }
  [[nodiscard]] std::shared_ptr<const GraphSequence> sequence(int nodes, std::uint64_t seed) const override {
    const Adjacency graph = base(nodes);
    return std::make_shared<DrawnSequence>(nodes, [graph, seed](std::int64_t round) {
      RandomStream random(seed, "pairwise", 0, static_cast<std::uint64_t>(round));
      const int i = static_cast<int>(random.below(static_cast<std::uint64_t>(graph.size())));
      const std::vector<int>& others = graph.in(i);
      if (others.empty()) return group_average("pairwise", graph.size(), {});
      return group_average("pairwise", graph.size(), {{i, others[random.below(others.size())]}});
    });
  }
};

}  // namespace

std::unique_ptr<GraphBuilder> make_matcha() {
  return std::make_unique<Matcha>();
}
std::unique_ptr<GraphBuilder> make_pairwise() {
  return std::make_unique<Pairwise>();
}

}  // namespace convoy
