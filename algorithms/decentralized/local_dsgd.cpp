// Local decentralized SGD, and OLDSGD, which hides the exchange behind the local steps (Zhou, Pu 2026,
// arXiv 2601.01493).
//
//   local_dsgd  K local steps;  x <- W x                                    round: K c + m
//   oldsgd      s = x, start sending s;  tau local steps;                   round: max(tau c, m)
//               x <- x + W s - s      (stale snapshots of the neighbours, own fresh gradients)
//
// K = 1 is adapt-then-combine SGD, tau = 1 combine-then-adapt. The mean moves by the mean of the gradients in
// both.
#include "algorithms/all.hpp"
#include "training/mixing_algorithm.hpp"
#include "training/push_pull.hpp"

namespace convoy {
namespace {

constexpr Stream model_stream{"model", Payload::state};

class LocalDsgd : public MixingAlgorithm {
 public:
  using MixingAlgorithm::MixingAlgorithm;
  [[nodiscard]] std::string_view kind() const override { return "local_dsgd"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "Local decentralized SGD",
            .family = "decentralized",
            .source = "Koloskova et al. 2020, arXiv 2003.10422",
            .certainty = "golden iterates checked numerically",
            .equations = "K local steps, then x <- W x",
            .deployed = "the mean over workers"};
  }
  void declare(Options& options) override {
    steps_.declare(options);
    MixingAlgorithm::declare(options);
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {model_stream}; }

 protected:
  Process worker(Cluster& cluster, Worker& w) override {
    while (true) {
      co_await w.local_steps(steps_.of(w));
      Vector next = co_await mix(w, model_stream, w.parameters());
      end_round(cluster, w, std::move(next));
    }
  }

  LocalStepOptions steps_;
};

class Oldsgd final : public LocalDsgd {
 public:
  using LocalDsgd::LocalDsgd;
  [[nodiscard]] std::string_view kind() const override { return "oldsgd"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "OLDSGD: overlapping local decentralized SGD",
            .family = "decentralized",
            .source = "Zhou and Pu 2026, arXiv 2601.01493",
            .certainty = "rule from a review page, in the consistent reading of its two cases",
            .equations = "s = x;  tau local steps;  x <- x + W s - s",
            .deployed = "the mean over workers"};
  }

 private:
  Process worker(Cluster& cluster, Worker& w) override {
    while (true) {
      const Vector snapshot = w.parameters();
      const Completion<Vector> mixed = mix(w, model_stream, snapshot);
      co_await w.local_steps(steps_.of(w));
      const Vector arrived = co_await mixed;
      Vector x = w.parameters();
      cluster.math([&] { x += arrived - snapshot; });
      end_round(cluster, w, std::move(x));
    }
  }
};

}  // namespace

void register_local_dsgd(Registry& registry) {
  add_mixing_algorithm<LocalDsgd>(registry, "local_dsgd");
  add_mixing_algorithm<Oldsgd>(registry, "oldsgd");
}

}  // namespace convoy
