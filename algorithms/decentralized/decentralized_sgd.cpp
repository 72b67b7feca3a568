// Decentralized SGD on a communication graph with mixing matrix W (row i: the weights that node i puts on the
// others).
//
//   ATC (adapt then combine)   x_i <- sum_j w_ij (x_j - lr g_j(x_j))      compute, then communicate
//   CTA (combine then adapt)   x_i <- sum_j w_ij x_j - lr g_i(x_i)        communication of x beside the
//   gradient at x mixed point                y_i = sum_j w_ij x_j;  x_i <- y_i - lr g_i(y_i)
//
// W may change from round to round: round t mixes with W(t). Each node waits for its neighbours of the round
// only; there is no global barrier. With another inner optimizer than SGD the local step is that optimizer's.
// CTA is D-PSGD (Lian et al. 2017, arXiv 1705.09056); ATC is diffusion (Chen, Sayed 2012). With the graph
// "matcha" ATC is MATCHA.
#include "algorithms/all.hpp"
#include "training/mixing_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream model_stream{"model", Payload::state};

class DecentralizedSgd final : public MixingAlgorithm {
 public:
  using MixingAlgorithm::MixingAlgorithm;
  [[nodiscard]] std::string_view kind() const override { return "decentralized_sgd"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "Decentralized SGD (D-PSGD and diffusion)",
            .family = "decentralized",
            .source = "Lian et al. 2017, arXiv 1705.09056",
            .certainty = "fixed points and stability limits checked numerically",
            .equations =
                "atc: x_i <- sum_j w_ij (x_j - lr g_j(x_j));  cta: x_i <- sum_j w_ij x_j - lr g_i(x_i);  "
                "mixed_point: y = W x, x_i <- y_i - lr g_i(y_i)",
            .deployed = "the mean over workers"};
  }
  void declare(Options& options) override {
    options.add("form", form_, {{"atc", Form::atc}, {"cta", Form::cta}, {"mixed_point", Form::mixed_point}})
        .help(
            "atc: adapt, then combine; cta: combine, then adapt; mixed_point: the gradient at the combined "
            "model");
    MixingAlgorithm::declare(options);
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {model_stream}; }

 private:
  enum class Form { atc, cta, mixed_point };

  Process worker(Cluster& cluster, Worker& w) override {
    switch (form_) {
      case Form::atc:
        return adapt_then_combine(cluster, w);
      case Form::cta:
        return combine_then_adapt(cluster, w);
      case Form::mixed_point:
        break;
    }
    return adapt_at_mixed_point(cluster, w);
  }

  Process adapt_then_combine(Cluster& cluster, Worker& w) {
    while (true) {
      co_await w.local_step();
      Vector mixed = co_await mix(w, model_stream, w.parameters());
      end_round(cluster, w, std::move(mixed));
    }
  }

  Process combine_then_adapt(Cluster& cluster, Worker& w) {
    while (true) {
      const Completion<Vector> mixed = mix(w, model_stream, w.parameters());
      const Gradient gradient = co_await w.gradient();
      w.set_parameters(co_await mixed);
      w.apply(gradient.mean);
      end_round(cluster, w, w.parameters());
    }
  }

  Process adapt_at_mixed_point(Cluster& cluster, Worker& w) {
    while (true) {
      w.set_parameters(co_await mix(w, model_stream, w.parameters()));
      co_await w.local_step();
      end_round(cluster, w, w.parameters());
    }
  }

  Form form_ = Form::atc;
};

}  // namespace

void register_decentralized_sgd(Registry& registry) {
  add_mixing_algorithm<DecentralizedSgd>(registry, "decentralized_sgd");
}

}  // namespace convoy
