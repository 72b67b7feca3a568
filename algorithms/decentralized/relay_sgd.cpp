// RelaySGD: models relayed on a spanning tree, so that every one arrives everywhere, delayed but undiluted
// (Vogels et al. 2021, arXiv 2110.04175).
//
//   h_i = x_i - a g_i
//   m_ij = h_i + sum of m_ki over the other neighbours k of i;   c_ij = 1 + sum of c_ki    sent to neighbour
//   j x_i <- (h_i + sum_j m_ji) / (1 + sum_j c_ji)
//
// m_ki and c_ki on the right are those of the round before. After as many rounds as the tree is wide every
// count is n.
#include <deque>
#include <map>

#include "algorithms/all.hpp"
#include "training/mixing_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream relay_stream{"relay", Payload::state};

class RelaySgd final : public MixingAlgorithm {
 public:
  using MixingAlgorithm::MixingAlgorithm;
  [[nodiscard]] std::string_view kind() const override { return "relay_sgd"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "RelaySGD",
            .family = "decentralized",
            .source = "Vogels et al. 2021, arXiv 2110.04175",
            .certainty = "rule from memory; exactness on unequal quadratics checked",
            .equations =
                "m_ij = h_i + sum_k m_ki;  x_i <- (h_i + sum_j m_ji) / (1 + sum_j c_ji), h_i = x_i - a g_i",
            .deployed = "the mean over workers"};
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {relay_stream}; }
  [[nodiscard]] const MixingRequirement* graph_requirement() const override {
    return &static_doubly_stochastic_mixing();
  }

  void start(Cluster& cluster) override {
    MixingAlgorithm::start(cluster);
    const auto matrix = graphs().at(0);
    if (matrix->edges() != 2 * static_cast<std::size_t>(matrix->size() - 1)) {
      throw ConfigError(
          ConfigFault{.path = "graph",
                      .message = "must be a tree: models are relayed along its edges without cycles",
                      .found = matrix->graph(),
                      .allowed = "\"path\", \"star\", \"tree\", or edges that form a tree",
                      .hint = {},
                      .file = {}});
    }
  }

 private:
  struct Relayed {
    Vector sum;
    std::int64_t count = 0;
  };

  Process worker(Cluster& cluster, Worker& w) override {
    std::map<int, Relayed> heard;               // of the last round, by neighbour
    std::map<int, std::deque<Message>> queues;  // a neighbour may be a round ahead
    while (true) {
      co_await w.local_step();
      const Vector half = w.parameters();
      const auto neighbours = graphs().at(0)->in_neighbours(w.index());
      for (const int j : neighbours) {
        Relayed sent{half, 1};
        for (const auto& [k, relayed] : heard) {
          if (k == j) continue;
          cluster.math([&, &from = relayed] { sent.sum += from.sum; });
          sent.count += relayed.count;
        }
        w.send(cluster.worker(j), relay_stream, {.vector = std::move(sent.sum), .version = sent.count});
      }
      for (const int j : neighbours) {
        std::deque<Message>& queue = queues[j];
        while (queue.empty()) {
          Message message = co_await w.receive();
          queues[message.from->number()].push_back(std::move(message));
        }
        heard[j] = {std::move(queue.front().vector), queue.front().version};
        queue.pop_front();
      }
      Vector x = half;
      std::int64_t count = 1;
      for (const auto& [j, relayed] : heard) {
        cluster.math([&, &from = relayed] { x += from.sum; });
        count += relayed.count;
      }
      cluster.math([&] { x.scale(1 / static_cast<double>(count)); });
      end_round(cluster, w, std::move(x));
    }
  }
};

}  // namespace

void register_relay_sgd(Registry& registry) {
  add_mixing_algorithm<RelaySgd>(registry, "relay_sgd");
}

}  // namespace convoy
