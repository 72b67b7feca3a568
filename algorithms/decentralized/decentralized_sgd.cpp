// Decentralized SGD on a communication graph with mixing matrix W (row i: the weights that node i puts on the
// others).
//
//   ATC (adapt then combine)   x_i <- sum_j w_ij (x_j - lr g_j(x_j))         compute, then communicate
//   CTA (combine then adapt)   x_i <- sum_j w_ij x_j - lr g_i(x_i)           communication of x beside the
//   gradient at x
//
// Each node waits for its neighbours only; there is no global barrier. With another inner optimizer than SGD
// the local step is that optimizer's. CTA is D-PSGD (Lian et al. 2017, arXiv 1705.09056); ATC is diffusion
// (Chen, Sayed 2012).
#include "algorithms/all.hpp"
#include "training/cluster.hpp"
#include "training/mixing_matrix.hpp"

namespace convoy {
namespace {

constexpr Stream model_stream{"model", Payload::state};

class DecentralizedSgd final : public Algorithm {
 public:
  explicit DecentralizedSgd(VariantMakers<GraphBuilder> graphs) : makers_(std::move(graphs)) {}
  [[nodiscard]] std::string_view kind() const override { return "decentralized_sgd"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {
        .title = "Decentralized SGD (D-PSGD and diffusion)",
        .family = "decentralized",
        .source = "Lian et al. 2017, arXiv 1705.09056",
        .certainty = "fixed points and stability limits checked numerically",
        .equations = "atc: x_i <- sum_j w_ij (x_j - lr g_j(x_j));  cta: x_i <- sum_j w_ij x_j - lr g_i(x_i)",
        .deployed = "the mean over workers"};
  }
  void declare(Options& options) override {
    options.add("form", form_, {{"atc", Form::atc}, {"cta", Form::cta}})
        .help("atc: adapt, then combine; cta: combine, then adapt");
    options.add("graph", graph_, makers_).required().help("communication graph and its weights");
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {model_stream}; }

  void start(Cluster& cluster) override {
    cluster_ = &cluster;
    matrix_ = std::make_unique<MixingMatrix>(graph_->build(cluster.size()));
    matrix_->require(
        {MixingProperty::row_stochastic, MixingProperty::column_stochastic, MixingProperty::connected},
        kind());
    cluster.spawn_workers([&](Worker& w) {
      return form_ == Form::atc ? adapt_then_combine(cluster, w) : combine_then_adapt(cluster, w);
    });
  }
  [[nodiscard]] Deployed deployed() const override { return mean_of_workers(*cluster_); }

 private:
  enum class Form { atc, cta };

  Process adapt_then_combine(Cluster& cluster, Worker& w) {
    while (true) {
      co_await w.local_step();
      w.set_parameters(co_await w.mix(*matrix_, model_stream, w.parameters()));
      w.merge_work();
      if (w.index() == 0) cluster.report_round();
    }
  }

  Process combine_then_adapt(Cluster& cluster, Worker& w) {
    while (true) {
      const Completion<Vector> mixed = w.mix(*matrix_, model_stream, w.parameters());
      const Gradient gradient = co_await w.gradient();
      w.set_parameters(co_await mixed);
      w.apply(gradient.mean);
      w.merge_work();
      if (w.index() == 0) cluster.report_round();
    }
  }

  VariantMakers<GraphBuilder> makers_;
  Form form_ = Form::atc;
  std::unique_ptr<GraphBuilder> graph_;
  std::unique_ptr<MixingMatrix> matrix_;
  Cluster* cluster_ = nullptr;
};

}  // namespace

void register_decentralized_sgd(Registry& registry) {
  registry.add_algorithm("decentralized_sgd",
                         [graphs = registry.graphs] { return std::make_unique<DecentralizedSgd>(graphs); });
}

}  // namespace convoy
