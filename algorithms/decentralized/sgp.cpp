// SGP: stochastic gradient push on directed graphs (Assran et al. 2019, arXiv 1811.10792).
//
//   p_ij: share of j's mass that is sent to i (columns sum to 1). Weight w_i = 1 at the start, z_i = x_i /
//   w_i. x_i <- sum_j p_ij (x_j - a g_j(z_j));   w_i <- sum_j p_ij w_j;   z_i = x_i / w_i
//
// overlap: what the others sent is taken in one iteration late, so that it travels behind the next gradient
// (OSGP with a delay of 1). The weights follow from the graph alone, so each node knows its own without being
// told; the one scalar a message would carry is not counted. On regular graphs all weights are 1 and SGP is
// adapt-then-combine SGD.
#include <algorithm>

#include "algorithms/all.hpp"
#include "training/mixing_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream model_stream{"model", Payload::state};

class StochasticGradientPush final : public MixingAlgorithm {
 public:
  using MixingAlgorithm::MixingAlgorithm;
  [[nodiscard]] std::string_view kind() const override { return "sgp"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "SGP: stochastic gradient push",
            .family = "decentralized",
            .source = "Assran et al. 2019, arXiv 1811.10792",
            .certainty = "rule read in public code; mass conservation checked",
            .equations = "x <- P (x - a g(x / w));  w <- P w;  z = x / w",
            .deployed = "the mean over workers of z"};
  }
  void declare(Options& options) override {
    options.add("overlap", overlap_).help("take in what others sent one iteration late (OSGP)");
    MixingAlgorithm::declare(options);
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {model_stream}; }
  [[nodiscard]] const MixingRequirement* graph_requirement() const override { return &push_sum_mixing(); }
  /// Sum of the weights at the last round that all have finished, in flight included: the number of nodes.
  [[nodiscard]] std::vector<ReportEntry> report() const override {
    double sum = 0;
    for (std::size_t i = 0; i < mass_.size(); ++i) sum += mass_[i] + in_flight_[i];
    return {{"weight_sum", Node::of(sum)}};
  }

  void start(Cluster& cluster) override {
    const auto n = static_cast<std::size_t>(cluster.size());
    mass_.assign(n, 1);
    in_flight_.assign(n, 0);
    finished_.assign(n, 0);
    history_ = {{mass_, in_flight_}};
    MixingAlgorithm::start(cluster);
  }

 private:
  /// Weights of all nodes before a round, and what is on its way to each.
  struct Weights {
    std::vector<double> mass, arriving;
  };

  /// The weights before round t, and those after it, which follow from the graph alone.
  const Weights& weights_before(std::int64_t round) {
    while (static_cast<std::int64_t>(history_.size()) + dropped_ <= round) {
      const auto matrix = graphs().at(static_cast<std::int64_t>(history_.size()) + dropped_ - 1);
      const Weights& now = history_.back();
      Weights next = now;
      for (int i = 0; i < matrix->size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        double kept = 0, sent = 0;
        for (const MixingMatrix::Entry& entry : matrix->row(i)) {
          const double mass = entry.weight * now.mass[static_cast<std::size_t>(entry.node)];
          (entry.node == i ? kept : sent) += mass;
        }
        next.mass[at] = kept + (overlap_ ? now.arriving[at] : sent);
        next.arriving[at] = overlap_ ? sent : 0;
      }
      history_.push_back(std::move(next));
    }
    return history_[static_cast<std::size_t>(round - dropped_)];
  }

  /// Drops the weights of rounds that every node has finished.
  void forget(std::size_t node, std::int64_t round) {
    constexpr std::size_t kept = 1024;
    finished_[node] = round;
    if (history_.size() < kept) return;
    const std::int64_t needed = *std::min_element(finished_.begin(), finished_.end());
    history_.erase(history_.begin(), history_.begin() + (needed - dropped_));
    dropped_ = needed;
  }

  Process worker(Cluster& cluster, Worker& w) override {
    const auto me = static_cast<std::size_t>(w.index());
    Vector x = w.parameters();
    std::optional<Completion<Vector>> arriving;
    Vector kept_before;
    for (std::int64_t round = 0;; ++round) {
      const double a = w.learning_rate();
      const Gradient g = co_await w.gradient();  // at z
      cluster.math([&] { x.axpy(-a, g.mean); });
      const double share = graphs().at(round)->weight(w.index(), w.index());
      const Completion<Vector> mixed = mix(w, model_stream, x);
      if (overlap_) {
        Vector kept;
        cluster.math([&] { kept = share * x; });
        x = kept;
        if (arriving) {
          const Vector others = co_await *arriving;
          cluster.math([&] { x += others - kept_before; });
        }
        arriving = mixed;
        kept_before = kept;
      } else {
        x = co_await mixed;
      }
      const Weights& weights = weights_before(round + 1);
      mass_[me] = weights.mass[me];
      in_flight_[me] = weights.arriving[me];
      forget(me, round + 1);
      Vector z;
      cluster.math([&] { z = (1 / mass_[me]) * x; });
      end_round(cluster, w, std::move(z));
    }
  }

  bool overlap_ = false;
  std::vector<double> mass_, in_flight_;
  std::vector<Weights> history_;  // one a round
  std::int64_t dropped_ = 0;      // rounds before the first of history_
  std::vector<std::int64_t> finished_;
};

}  // namespace

void register_sgp(Registry& registry) {
  add_mixing_algorithm<StochasticGradientPush>(registry, "sgp");
}

}  // namespace convoy
