// CoCoD-SGD: computation and communication decoupled (Shen, Xu, Liu, Chen, Cheng, IJCAI 2019, arXiv
// 1906.12043).
//
//   at the end of a round of tau local steps, s_i the snapshot whose mean was launched one round ago:
//     x_i <- (1/n) sum_j s_j + (x_i - s_i)               keeps the progress made meanwhile
//     s_i <- x_i;  launch the all-reduce of s_i
//
// Averaging never changes sum_i x_i.
//
// LOSCAR averages a small share of the coordinates S of each round in the same way, drawn from a shared seed;
// with all of them it is CoCoD:
//
//   x_i[S] <- (1/n) sum_j s_j[S] + (x_i[S] - s_i[S])
#include "algorithms/all.hpp"
#include "training/push_pull.hpp"
#include "training/round_algorithm.hpp"
#include "training/shared_mask.hpp"

namespace convoy {
namespace {

constexpr Stream average_stream{"average", Payload::state};

class CocodSgd : public RoundAlgorithm {
 public:
  CocodSgd() { steps_.local_steps = 5; }
  [[nodiscard]] std::string_view kind() const override { return "cocod_sgd"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "CoCoD-SGD: computation and communication decoupled SGD",
            .family = "overlapped",
            .source = "Shen et al., IJCAI 2019, arXiv 1906.12043",
            .certainty = "rule read in the code of Overlap-Local-SGD's authors",
            .equations = "x_i <- mean_j s_j + (x_i - s_i);  s_i <- x_i",
            .deployed = "the mean over the workers"};
  }
  void declare(Options& options) override { steps_.declare(options); }
  [[nodiscard]] std::vector<Stream> streams() const override { return {average_stream}; }
  [[nodiscard]] Deployed deployed() const override { return mean_of_workers(*cluster_); }

  void start(Cluster& cluster) override {
    cluster_ = &cluster;
    RoundAlgorithm::start(cluster);
  }

 private:
  /// The coordinates that are averaged in a round.
  [[nodiscard]] virtual ModelPart part(const Cluster&, std::int64_t) const { return {}; }

  Process worker(Cluster& cluster, Worker& w) override {
    Vector x = w.parameters();
    for (std::int64_t round = 0;; ++round) {
      const ModelPart shared = part(cluster, round);
      const Vector snapshot = shared.of(x);
      const Completion<Reduced> launched = w.all_reduce(average_stream, snapshot, 1, shared);
      co_await w.local_steps(steps_.of(w));
      const Reduced average = co_await launched;
      x = w.parameters();
      cluster.math([&] { shared.write(x, shared.of(x) + (average.mean - snapshot)); });
      end_round(cluster, w, x);
    }
  }

  Cluster* cluster_ = nullptr;

 protected:
  LocalStepOptions steps_;
};

class Loscar final : public CocodSgd {
 public:
  [[nodiscard]] std::string_view kind() const override { return "loscar"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "LOSCAR: sparse averaging behind local steps",
            .family = "overlapped",
            .source = "a public summary of LOSCAR's delay-corrected merge",
            .certainty = "rule read in a summary; share and period are neutral starting values",
            .equations = "x_i[S] <- mean_j s_j[S] + (x_i[S] - s_i[S]) for a random S",
            .deployed = "the mean over the workers"};
  }
  void declare(Options& options) override {
    mask_.declare(options);
    steps_.declare(options);
  }

 private:
  [[nodiscard]] ModelPart part(const Cluster& cluster, std::int64_t round) const override {
    return mask_.of(cluster, round);
  }
  SharedMaskOptions mask_;
};

}  // namespace

void register_cocod_sgd(Registry& registry) {
  registry.add_algorithm("cocod_sgd", [] { return std::make_unique<CocodSgd>(); });
  registry.add_algorithm("loscar", [] { return std::make_unique<Loscar>(); });
}

}  // namespace convoy
