// CoCoD-SGD: computation and communication decoupled (Shen, Xu, Liu, Chen, Cheng, IJCAI 2019, arXiv
// 1906.12043).
//
//   at the end of a round of tau local steps, s_i the snapshot whose mean was launched one round ago:
//     x_i <- (1/n) sum_j s_j + (x_i - s_i)               keeps the progress made meanwhile
//     s_i <- x_i;  launch the all-reduce of s_i
//
// Averaging never changes sum_i x_i.
#include "algorithms/all.hpp"
#include "training/push_pull.hpp"
#include "training/round_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream average_stream{"average", Payload::state};

class CocodSgd final : public RoundAlgorithm {
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
  Process worker(Cluster& cluster, Worker& w) override {
    Vector snapshot = w.parameters();
    Completion<Reduced> launched = w.all_reduce(average_stream, snapshot);
    while (true) {
      co_await w.local_steps(steps_.of(w));
      const Reduced average = co_await launched;
      Vector x = w.parameters();
      cluster.math([&] { x += average.mean - snapshot; });
      snapshot = x;
      launched = w.all_reduce(average_stream, snapshot);
      end_round(cluster, w, x);
    }
  }

  LocalStepOptions steps_;
  Cluster* cluster_ = nullptr;
};

}  // namespace

void register_cocod_sgd(Registry& registry) {
  registry.add_algorithm("cocod_sgd", [] { return std::make_unique<CocodSgd>(); });
}

}  // namespace convoy
