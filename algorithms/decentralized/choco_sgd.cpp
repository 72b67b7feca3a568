// Choco-SGD: compressed gossip with replicas of what the neighbours know (Koloskova, Stich, Jaggi 2019,
// arXiv 1902.00340).
//
//   h_i = x_i - a g_i;   q_i = Q(h_i - xhat_i), sent;   xhat_j <- xhat_j + q_j for itself and its neighbours
//   x_i = h_i + gamma sum_j w_ij (xhat_j - xhat_i)
//
// Node i keeps xhat_i and s_i = sum_j w_ij xhat_j. The identity with gamma = 1 is adapt-then-combine SGD; the
// mean is kept for any compressor. The compressor is that of the stream "difference", "messages" included.
#include "algorithms/all.hpp"
#include "training/mixing_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream difference_stream{"difference", Payload::delta};

class ChocoSgd final : public MixingAlgorithm {
 public:
  explicit ChocoSgd(VariantMakers<GraphBuilder> graphs) : MixingAlgorithm(std::move(graphs)) {
    wire_.compressor = compressor_makers().at("top_k")();
  }
  [[nodiscard]] std::string_view kind() const override { return "choco_sgd"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "Choco-SGD: compressed decentralized SGD",
            .family = "decentralized",
            .source = "Koloskova, Stich and Jaggi 2019, arXiv 1902.00340",
            .certainty = "rule of the paper; mean preservation checked",
            .equations =
                "q_i = Q(h_i - xhat_i);  xhat_i <- xhat_i + q_i;  x_i = h_i + gamma (sum_j w_ij xhat_j - "
                "xhat_i), h_i = x_i - a g_i",
            .deployed = "the mean over workers"};
  }
  void declare(Options& options) override {
    options.add("compressor", wire_.compressor, compressor_makers()).help("Q");
    options.add("consensus_step", gamma_)
        .more_than(0)
        .at_most(1)
        .tunable(0.01, 1)
        .help("gamma; the theory's value is very pessimistic, tune it");
    MixingAlgorithm::declare(options);
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {difference_stream}; }
  [[nodiscard]] std::map<std::string, const EncodingOptions*> encodings() const override {
    return {{"difference", &wire_}};
  }

 private:
  Process worker(Cluster& cluster, Worker& w) override {
    Vector known = 0 * w.parameters();  // xhat_i
    Vector mixed = known;               // s_i
    while (true) {
      const double a = w.learning_rate();
      const Gradient g = co_await w.gradient();
      Vector half = w.parameters(), q;
      cluster.math([&] {
        half.axpy(-a, g.mean);
        // What is sent is encoded once more on its way; a compressor leaves its own output as it is.
        q = w.decoded(difference_stream, half - known);
      });
      const Vector arrived = co_await mix(w, difference_stream, q);
      cluster.math([&] {
        known += q;
        mixed += arrived;
        half.axpy(gamma_, mixed - known);
      });
      end_round(cluster, w, std::move(half));
    }
  }

  EncodingOptions wire_;
  double gamma_ = 0.1;
};

}  // namespace

void register_choco_sgd(Registry& registry) {
  add_mixing_algorithm<ChocoSgd>(registry, "choco_sgd");
}

}  // namespace convoy
