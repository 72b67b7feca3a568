// Post-local SGD: data-parallel steps first, local SGD from a point on (Lin, Stich, Patel, Jaggi, ICLR 2020,
// arXiv 1808.07217).
//
//   t <  switch_after:  x_i <- (1/n) sum_j (x_j - lr g_j)            H = 1
//   t >= switch_after:  H local steps, then x_i <- (1/n) sum_j x_j
#include "algorithms/all.hpp"
#include "training/push_pull.hpp"
#include "training/round_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream average_stream{"average", Payload::state};

class PostLocalSgd final : public RoundAlgorithm {
 public:
  PostLocalSgd() { steps_.local_steps = 16; }
  [[nodiscard]] std::string_view kind() const override { return "post_local_sgd"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "Post-local SGD",
            .family = "local",
            .source = "Lin et al., ICLR 2020, arXiv 1808.07217",
            .certainty = "rule as the paper's abstract states it; H = 16 from memory",
            .equations = "H = 1 for the first switch_after steps of a worker, then H local steps a round",
            .deployed = "the last average"};
  }
  void declare(Options& options) override {
    steps_.declare(options);
    options.add("switch_after", switch_after_)
        .required()
        .at_least(0)
        .help("local steps of each worker before local SGD begins")
        .source("arXiv 1808.07217: the first decay of the learning rate");
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {average_stream}; }

 private:
  Process worker(Cluster& cluster, Worker& w) override {
    while (true) {
      co_await w.local_steps(w.steps() < switch_after_ ? 1 : steps_.of(w));
      const Reduced average = co_await w.all_reduce(average_stream, w.parameters());
      end_round(cluster, w, average.mean);
    }
  }

  LocalStepOptions steps_;
  std::int64_t switch_after_ = 0;
};

}  // namespace

void register_post_local_sgd(Registry& registry) {
  registry.add_algorithm("post_local_sgd", [] { return std::make_unique<PostLocalSgd>(); });
}

}  // namespace convoy
