// K-async, K-batch-async SGD and n-softsync: the server steps with the mean of K gradients (Dutta et al.
// 2018, arXiv 1803.01113; Zhang et al. 2016, arXiv 1511.05950).
//
//   x <- x - lr (1/K) (sum of K gradients that have arrived)
//
//   batch: false  K-async: a worker whose gradient was taken waits for the update
//   batch: true   K-batch-async: it draws its next mini-batch at once, at the present model; with
//                 K = floor(n / s) this is s-softsync
#include <vector>

#include "algorithms/all.hpp"
#include "training/gradient_server.hpp"
#include "training/limits.hpp"

namespace convoy {
namespace {

/// K is an option here, and follows from the workers in n-softsync.
/// workers.
class KAsync : public GradientServer {
 public:
  [[nodiscard]] std::string_view kind() const override { return "k_async"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "K-async and K-batch-async SGD",
            .family = "asynchronous",
            .source = "Dutta et al. 2018, arXiv 1803.01113",
            .certainty = "rule from the abstract and memory; mean times of an update checked by closed forms",
            .equations = "x <- x - lr mean of K arrived gradients, stale or not",
            .deployed = "the server's"};
  }
  void declare(Options& options) override {
    options.add("gradients", k_).at_least(1).help("K: gradients of an update");
    options.add("batch", batch_).help("a worker draws its next mini-batch without waiting for the update");
  }
  void start(Cluster& cluster) override {
    if (!batch_)
      require_at_most("gradients", k_, cluster.size(), "workers, each of which gives one an update");
    GradientServer::start(cluster);
  }

 protected:
  Task<void> arrived(Message gradient) override {
    const std::int64_t late = delay(gradient);
    merge(gradient, late);
    gradients_.push_back(std::move(gradient.vector));
    waiting_.push_back(gradient.from);
    if (static_cast<std::int64_t>(gradients_.size()) < k_) {
      if (batch_) reply_waiting();
      co_return;
    }
    Vector average;
    cluster().math([&] { average = mean(gradients_); });
    gradients_.clear();
    co_await step(std::move(average));
    reply_waiting();
  }

  std::int64_t k_ = 1;
  bool batch_ = false;

 private:
  void reply_waiting() {
    for (Endpoint* worker : waiting_) reply(*worker);
    waiting_.clear();
  }

  std::vector<Vector> gradients_;
  std::vector<Endpoint*> waiting_;
};

class SoftSync final : public KAsync {
 public:
  SoftSync() { batch_ = true; }
  [[nodiscard]] std::string_view kind() const override { return "n_softsync"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "n-softsync SGD",
            .family = "asynchronous",
            .source = "Zhang et al. 2016, arXiv 1511.05950",
            .certainty = "rule from the paper's abstract and memory",
            .equations = "c = floor(workers / n); x <- x - lr mean of c arrived gradients",
            .deployed = "the server's"};
  }
  void declare(Options& options) override {
    options.add("splits", splits_)
        .at_least(1)
        .help("n: an update takes floor(workers / n) gradients; workers: ASGD, 1: as many as workers");
  }
  void start(Cluster& cluster) override {
    require_at_most("splits", splits_, cluster.size(), "workers");
    k_ = cluster.size() / splits_;
    KAsync::start(cluster);
  }

 private:
  std::int64_t splits_ = 1;
};

}  // namespace

void register_k_async(Registry& registry) {
  registry.add_algorithm("k_async", [] { return std::make_unique<KAsync>(); });
  registry.add_algorithm("n_softsync", [] { return std::make_unique<SoftSync>(); });
}

}  // namespace convoy
