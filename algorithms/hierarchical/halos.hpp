// HALoS: hierarchical asynchronous local SGD over slow networks (Kim et al., ICML 2025, arXiv 2506.04531).
//
// Worker -> local server (one a region) -> global server. Pseudo-gradients are start - end.
//
//   worker         receive theta of its local server;  H_w inner steps;  push g = start - end
//   local server   on push g:       theta <- DN_l(theta, g);  ver += 1
//                                   if ver == merged_ver + K:  send Delta = theta_merged - theta to the
//                                   global server theta goes back to that worker
//                  on Theta:        theta <- (1 - alpha) theta + alpha Theta;  theta_merged <- theta;
//                  merged_ver <- ver
//   global server  on Delta:        Theta <- DN_g(Theta, Delta);  Theta goes back to that region, and only to
//   it
//
// DN is delayed Nesterov (training/outer_optimizer.hpp). The equality test leaves at most one exchange in
// flight a region. Updates between a send and the arrival of Theta stay in theta with weight 1 - alpha but
// enter no Delta: their work is discarded as "overwritten_at_merge", and counts as trained. alpha is the
// weight of the GLOBAL model, as in the authors' code. Certainty: read in the authors' repository (commit
// 4b5bf73).
#pragma once

#include <memory>
#include <vector>

#include "training/push_pull.hpp"

namespace convoy {

class Halos : public Algorithm {
 public:
  static constexpr Stream worker_to_local{"worker_to_local", Payload::delta};
  static constexpr Stream local_to_worker{"local_to_worker", Payload::state};
  static constexpr Stream local_to_global{"local_to_global", Payload::delta};
  static constexpr Stream global_to_local{"global_to_local", Payload::state};

  Halos();
  [[nodiscard]] std::string_view kind() const override { return "halos"; }
  [[nodiscard]] AlgorithmCard card() const override;
  void declare(Options& options) override;
  [[nodiscard]] std::vector<Stream> streams() const override;
  [[nodiscard]] bool uses_servers() const override { return true; }
  void start(Cluster& cluster) override;
  [[nodiscard]] Deployed deployed() const override { return {{global_->parameters()}}; }
  [[nodiscard]] std::vector<ReportEntry> report() const override;

 protected:
  /// What one region counts.
  struct RegionCounts {
    std::string name;
    std::int64_t updates = 0, sends = 0, sent_updates = 0, merges = 0;
  };

 private:
  Process local_server(Cluster& cluster, Server& s, const Region& region, ServerModel& model, Server& global,
                       RegionCounts& counts);
  Process global_server(Cluster& cluster, Server& s);

  LocalStepOptions steps_;
  std::int64_t updates_per_exchange_ = 32;  // K
  double global_weight_ = 0.25;             // alpha
  OuterOptimizerOptions local_options_;
  OuterOptimizerOptions global_options_;
  std::unique_ptr<ServerModel> global_;
  Vector initial_, delta_sum_;
  std::vector<std::unique_ptr<ServerModel>> locals_;
  std::vector<std::unique_ptr<RegionCounts>> counts_;
};

}  // namespace convoy
