// Who talks to whom is drawn anew in each round, from the stream (seed of the run, kind, 0, round):
//
//   random_matching  a random pairing of all nodes (one stays alone where they are odd); pairs average
//   random_group     one random group of g nodes averages, the others keep what they have (P-Reduce; Luo et
//   al.,
//                    ASPLOS 2020): the squared deviation shrinks by exactly 1 - (g-1)/(n-1) in expectation
//   random_peers     each node sends to s random others (epidemic learning, arXiv 2310.01972); `local`:
//   receivers
//                    average what came and their own, rows sum to 1 and the mean is kept in expectation only;
//                    `oracle`: everyone also receives s, so that columns sum to 1 too
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "topologies/changing_graph.hpp"
#include "topologies/graphs.hpp"
#include "topologies/random_graph.hpp"

namespace convoy {

namespace {

/// A graph that a stream of the round determines.
class DrawnEachRound : public ChangingGraph {
 public:
  [[nodiscard]] std::shared_ptr<const GraphSequence> sequence(int nodes, std::uint64_t seed) const final {
    require_nodes(nodes);
    require_possible(nodes);
    return std::make_shared<DrawnSequence>(nodes, [this, nodes, seed](std::int64_t round) {
      RandomStream random(seed, kind(), 0, static_cast<std::uint64_t>(round));
      return draw(nodes, random);
    });
  }

 protected:
  virtual void require_possible(int) const {}
  [[nodiscard]] virtual MixingMatrix draw(int nodes, RandomStream& random) const = 0;
  static std::vector<int> shuffled(int nodes, RandomStream& random) {
    std::vector<int> order(static_cast<std::size_t>(nodes));
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(order.begin(), order.end());
    return order;
  }
};

class RandomMatching final : public DrawnEachRound {
 public:
  [[nodiscard]] std::string_view kind() const override { return "random_matching"; }
  [[nodiscard]] std::string_view about() const override { return "a random pairing in each round"; }
  void declare(Options&) override {}

 protected:
  [[nodiscard]] MixingMatrix draw(int nodes, RandomStream& random) const override {
    const std::vector<int> order = shuffled(nodes, random);
    std::vector<std::vector<int>> pairs;
    for (std::size_t i = 0; i + 1 < order.size(); i += 2) pairs.push_back({order[i], order[i + 1]});
    return group_average("random_matching", nodes, pairs);
  }
};

class RandomGroup final : public DrawnEachRound {
 public:
  [[nodiscard]] std::string_view kind() const override { return "random_group"; }
  [[nodiscard]] std::string_view about() const override { return "one random group averages in each round"; }
  void declare(Options& options) override {
    options.add("members", members_).at_least(2).help("g: size of the group").source("ASPLOS 2020, Prague");
  }

 protected:
  void require_possible(int nodes) const override {
    if (members_ > nodes) {
      refuse_graph("members", std::to_string(nodes) + " nodes have no group of " + std::to_string(members_),
                   "at most the number of nodes");
    }
    require_edges("members", members_, members_);
  }
  [[nodiscard]] MixingMatrix draw(int nodes, RandomStream& random) const override {
    return group_average("random_group", nodes, {choose(nodes, static_cast<int>(members_), random)});
  }

 private:
  std::int64_t members_ = 3;
};

class RandomPeers final : public DrawnEachRound {
 public:
  [[nodiscard]] std::string_view kind() const override { return "random_peers"; }
  [[nodiscard]] std::string_view about() const override {
    return "each node sends to some random others in each round";
  }
  void declare(Options& options) override {
    options.add("peers", peers_)
        .at_least(1)
        .help("s: others that each node sends to")
        .source("arXiv 2310.01972");
    options.add("form", form_, {{"oracle", Form::oracle}, {"local", Form::local}})
        .help(
            "oracle: everyone receives as many as it sends, doubly stochastic; local: everyone draws alone, "
            "row "
            "stochastic");
  }

 protected:
  void require_possible(int nodes) const override {
    if (peers_ >= nodes) {
      refuse_graph("peers",
                   std::to_string(nodes) + " nodes have no " + std::to_string(peers_) + " others each",
                   "less than the number of nodes");
    }
    require_edges("peers", nodes, peers_);
  }
  [[nodiscard]] MixingMatrix draw(int nodes, RandomStream& random) const override {
    Adjacency graph(nodes);
    if (form_ == Form::local) {
      for (int i = 0; i < nodes; ++i) {
        for (const int pick : choose(nodes - 1, static_cast<int>(peers_), random))
          graph.add(i, pick < i ? pick : pick + 1);
      }
    } else {
      // A circulant of random offsets over a random order: the in-neighbours of a node are a random s-subset.
      const std::vector<int> order = shuffled(nodes, random);
      for (const int offset : choose(nodes - 1, static_cast<int>(peers_), random)) {
        for (std::size_t i = 0; i < order.size(); ++i)
          graph.add(order[i], order[(i + static_cast<std::size_t>(offset) + 1) % order.size()]);
      }
    }
    return mixing_matrix("random_peers", graph, MixingWeights::uniform);
  }

 private:
  enum class Form { oracle, local };
  std::int64_t peers_ = 1;
  Form form_ = Form::oracle;
};

}  // namespace

std::unique_ptr<GraphBuilder> make_random_matching() {
  return std::make_unique<RandomMatching>();
}
std::unique_ptr<GraphBuilder> make_random_group() {
  return std::make_unique<RandomGroup>();
}
std::unique_ptr<GraphBuilder> make_random_peers() {
  return std::make_unique<RandomPeers>();
}

}  // namespace convoy
