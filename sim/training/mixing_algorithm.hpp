// What decentralized algorithms with neighbour barriers share: the graph, its weights, and rounds that end
// with what the neighbours sent.
//
//   class LocalDsgd final : public MixingAlgorithm {
//     Process worker(Cluster& cluster, Worker& w) override {
//       while (true) {
//         co_await w.local_steps(steps_);
//         end_round(cluster, w, co_await mix(w, model_stream, w.parameters()));
//       }
//     }
//   };
//
// The learning rate of rules that are no inner optimizer (trackers, corrections) is w.learning_rate(): plain
// SGD.
#pragma once

#include <memory>
#include <vector>

#include "training/cluster.hpp"
#include "training/mixing_matrix.hpp"
#include "training/mixing_sequence.hpp"

namespace convoy {

class MixingAlgorithm : public Algorithm {
 public:
  explicit MixingAlgorithm(VariantMakers<GraphBuilder> graphs);
  ~MixingAlgorithm() override;
  /// The option "graph".
  void declare(Options& options) override;
  /// Builds the weights, checks them, and starts worker(w) for each worker.
  void start(Cluster& cluster) override;
  [[nodiscard]] Deployed deployed() const override { return mean_of_workers(*cluster_); }
  [[nodiscard]] const GraphBuilder* graph() const override { return graph_.get(); }
  /// Doubly stochastic and connected, unless the algorithm says otherwise.
  [[nodiscard]] const MixingRequirement* graph_requirement() const override {
    return &doubly_stochastic_mixing();
  }

 protected:
  virtual Process worker(Cluster& cluster, Worker& w) = 0;
  /// sum_j w_ij x_j once the in-neighbours' vectors of the same round are here.
  Completion<Vector> mix(Worker& w, const Stream& stream, const Vector& x, const ModelPart& part = {});
  /// The weights of each round.
  [[nodiscard]] const GraphSequence& graphs() const { return *graphs_; }
  /// w goes on from x, the work of its round counts as merged.
  void end_round(Cluster& cluster, Worker& w, Vector x);

 private:
  VariantMakers<GraphBuilder> makers_;
  std::unique_ptr<GraphBuilder> graph_;
  std::shared_ptr<const GraphSequence> graphs_;
  Cluster* cluster_ = nullptr;
};

/// Registers an algorithm that takes the registry's graphs.
template <class T>
void add_mixing_algorithm(Registry& registry, const char* kind) {
  registry.add_algorithm(kind, [graphs = registry.graphs] { return std::make_unique<T>(graphs); });
}

}  // namespace convoy
