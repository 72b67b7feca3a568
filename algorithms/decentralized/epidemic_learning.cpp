// Epidemic learning: each round the model goes to s random others (de Vos et al. 2023, arXiv 2310.01972).
//
//   K local steps; the model is sent to s random others; x_i <- mean of its own and what it received
//
//   local:   each node draws its s receivers alone, so that some hear from many and some from none
//   oracle:  everybody also hears from s: s random cyclic shifts of one random order
//
// Rows sum to 1, columns only in expectation (local): the mean of the models drifts.
#include <numeric>

#include "algorithms/all.hpp"
#include "training/cluster.hpp"
#include "training/limits.hpp"
#include "training/mixing_sequence.hpp"
#include "training/push_pull.hpp"

namespace convoy {
namespace {

constexpr Stream model_stream{"model", Payload::state};

class EpidemicLearning final : public Algorithm {
 public:
  EpidemicLearning() { steps_.local_steps = 1; }
  [[nodiscard]] std::string_view kind() const override { return "epidemic_learning"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "Epidemic learning",
            .family = "decentralized",
            .source = "de Vos et al. 2023, arXiv 2310.01972",
            .certainty =
                "rule read in public code; the oracle's digraph is ours (cyclic shifts of a random order)",
            .equations = "K local steps;  x_i <- mean of x_i and of what s random others sent",
            .deployed = "the mean over workers"};
  }
  void declare(Options& options) override {
    steps_.declare(options);
    options.add("receivers", receivers_)
        .at_least(1)
        .default_text("about log2 of the workers")
        .help("s: others that each model is sent to");
    options.add("sampling", sampling_, {{"local", Sampling::local}, {"oracle", Sampling::oracle}})
        .help("local: each draws its receivers; oracle: everybody also hears from s");
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {model_stream}; }
  [[nodiscard]] Deployed deployed() const override { return mean_of_workers(*cluster_); }

  void start(Cluster& cluster) override {
    cluster_ = &cluster;
    const int n = cluster.size();
    int bits = 1;
    while ((1 << bits) < n) ++bits;
    const std::int64_t s = receivers_.value_or(std::min(bits, std::max(1, n - 1)));
    if (n > 1) require_at_most("receivers", s, n - 1, "other workers");
    graphs_ = std::make_shared<DrawnSequence>(
        n, [&cluster, s, this](std::int64_t round) { return draw(cluster, static_cast<int>(s), round); });
    cluster.spawn_workers([this, &cluster](Worker& w) { return worker(cluster, w); });
  }

 private:
  enum class Sampling { local, oracle };

  Process worker(Cluster& cluster, Worker& w) {
    while (true) {
      co_await w.local_steps(steps_.of(w));
      const Vector mixed = co_await w.mix(*graphs_, model_stream, w.parameters());
      w.set_parameters(mixed);
      w.merge_work();
      if (w.index() == 0) cluster.report_round();
    }
  }

  /// Row i: equal weights for i and those that send to i in this round.
  [[nodiscard]] MixingMatrix draw(const Cluster& cluster, int s, std::int64_t round) const {
    const int n = cluster.size();
    std::vector<std::vector<int>> senders(static_cast<std::size_t>(n));
    std::vector<int> others(static_cast<std::size_t>(n));
    std::iota(others.begin(), others.end(), 0);
    if (sampling_ == Sampling::oracle) {
      RandomStream stream = cluster.random("epidemic order", 0, static_cast<std::uint64_t>(round));
      stream.shuffle(others.begin(), others.end());
      std::vector<int> shifts(static_cast<std::size_t>(n - 1));
      std::iota(shifts.begin(), shifts.end(), 1);
      stream.shuffle(shifts.begin(), shifts.end());
      for (int k = 0; k < std::min(s, n - 1); ++k) {
        for (int i = 0; i < n; ++i) {
          const auto to = static_cast<std::size_t>((i + shifts[static_cast<std::size_t>(k)]) % n);
          senders[static_cast<std::size_t>(others[to])].push_back(others[static_cast<std::size_t>(i)]);
        }
      }
    } else {
      for (int i = 0; i < n; ++i) {
        std::vector<int> candidates;
        for (const int j : others) {
          if (j != i) candidates.push_back(j);
        }
        cluster.random("epidemic receivers", static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(round))
            .shuffle(candidates.begin(), candidates.end());
        for (int k = 0; k < std::min(s, n - 1); ++k)
          senders[static_cast<std::size_t>(candidates[static_cast<std::size_t>(k)])].push_back(i);
      }
    }
    std::vector<std::vector<MixingMatrix::Entry>> rows(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
      const auto& from = senders[static_cast<std::size_t>(i)];
      const double share = 1.0 / static_cast<double>(from.size() + 1);
      rows[static_cast<std::size_t>(i)].push_back({i, share});
      for (const int j : from) rows[static_cast<std::size_t>(i)].push_back({j, share});
    }
    return {"epidemic", std::move(rows)};
  }

  LocalStepOptions steps_;
  std::optional<std::int64_t> receivers_;
  Sampling sampling_ = Sampling::local;
  Cluster* cluster_ = nullptr;
  std::shared_ptr<const GraphSequence> graphs_;
};

}  // namespace

void register_epidemic_learning(Registry& registry) {
  registry.add_algorithm("epidemic_learning", [] { return std::make_unique<EpidemicLearning>(); });
}

}  // namespace convoy
