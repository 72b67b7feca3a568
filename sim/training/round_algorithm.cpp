#include "training/round_algorithm.hpp"

namespace convoy {

void RoundAlgorithm::start(Cluster& cluster) {
  deployed_ = cluster.initial_parameters();
  cluster.spawn_workers([this, &cluster](Worker& w) { return worker(cluster, w); });
}

void RoundAlgorithm::end_round(Cluster& cluster, Worker& w, const Vector& parameters) {
  end_round(cluster, w, parameters, parameters);
}

void RoundAlgorithm::end_round(Cluster& cluster, Worker& w, const Vector& parameters, const Vector& model) {
  w.set_parameters(parameters);
  w.merge_work();
  if (w.index() != 0) return;
  deployed_ = model;
  cluster.report_round();
}

}  // namespace convoy
