#include "training/mixing_algorithm.hpp"

#include <utility>

namespace convoy {

MixingAlgorithm::MixingAlgorithm(VariantMakers<GraphBuilder> graphs) : makers_(std::move(graphs)) {}
MixingAlgorithm::~MixingAlgorithm() = default;

void MixingAlgorithm::declare(Options& options) {
  options.add("graph", graph_, makers_).required().help("communication graph and its weights");
}

void MixingAlgorithm::start(Cluster& cluster) {
  cluster_ = &cluster;
  graphs_ = graph_requirement()->require(*graph_, cluster.size(), cluster.seed(), kind());
  cluster.spawn_workers([this, &cluster](Worker& w) { return worker(cluster, w); });
}

Completion<Vector> MixingAlgorithm::mix(Worker& w, const Stream& stream, const Vector& x,
                                        const ModelPart& part) {
  return w.mix(*graphs_, stream, x, part);
}

void MixingAlgorithm::end_round(Cluster& cluster, Worker& w, Vector x) {
  w.set_parameters(std::move(x));
  w.merge_work();
  if (w.index() == 0) cluster.report_round();
}

}  // namespace convoy
