// What synchronous algorithms share: every worker makes the same rounds, and the deployed model is what
// worker 0 holds at the end of one.
//
//   class LocalSgd final : public RoundAlgorithm {
//     Process worker(Cluster& cluster, Worker& w) override {
//       while (true) {
//         co_await w.local_steps(steps_.of(w));
//         const Reduced average = co_await w.all_reduce(average_stream, w.parameters());
//         end_round(cluster, w, average.mean);
//       }
//     }
//   };
#pragma once

#include "training/cluster.hpp"

namespace convoy {

class RoundAlgorithm : public Algorithm {
 public:
  void start(Cluster& cluster) override;
  [[nodiscard]] Deployed deployed() const override { return {{deployed_}}; }

 protected:
  /// The rounds of one worker, without end.
  virtual Process worker(Cluster& cluster, Worker& w) = 0;
  /// w goes on from `parameters`, and the steps of the round count as merged.
  void end_round(Cluster& cluster, Worker& w, const Vector& parameters);
  /// The same where the model of the round is not what w goes on from (overlapped algorithms).
  void end_round(Cluster& cluster, Worker& w, const Vector& parameters, const Vector& model);

 private:
  Vector deployed_;
};

}  // namespace convoy
