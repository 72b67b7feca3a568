// K-sync, K-batch-sync SGD and backup workers: an update waits for the first K gradients of the present
// model, and what the others were computing is cut off (Dutta et al. 2018, arXiv 1803.01113; Chen et al.
// 2016, arXiv 1604.00981).
//
//   all workers start at x;  x <- x - lr (1/K) (sum of the first K gradients of x);  the others stop, all
//   start anew
//
//   K-sync          a worker gives one gradient an update
//   K-batch-sync    it draws its next mini-batch at once, so that fast workers give several
//   backup_workers  K-sync with K = n - b: the b slowest of each update are left out
//
// A worker learns of an update when the new model reaches it, and stops then; a gradient that is under way by
// that time comes too late.
#include <vector>

#include "algorithms/all.hpp"
#include "core/channel.hpp"
#include "training/gradient_server.hpp"
#include "training/limits.hpp"

namespace convoy {
namespace {

constexpr std::string_view too_late = "too_late";

class KSync : public GradientServer {
 public:
  [[nodiscard]] std::string_view kind() const override { return "k_sync"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "K-sync and K-batch-sync SGD",
            .family = "synchronous",
            .source = "Dutta et al. 2018, arXiv 1803.01113",
            .certainty = "rule from the abstract and memory; mean times of an update checked by closed forms",
            .equations = "x <- x - lr mean of the first K gradients of x; the other workers stop",
            .deployed = "the server's"};
  }
  void declare(Options& options) override {
    options.add("gradients", k_).required().at_least(1).help("K: gradients of an update");
    options.add("batch", batch_).help("a worker draws its next mini-batch without waiting for the update");
  }
  void start(Cluster& cluster) override {
    if (!batch_)
      require_at_most("gradients", k_, cluster.size(), "workers, each of which gives one an update");
    for (int i = 0; i < cluster.size(); ++i) models_.push_back(std::make_unique<Channel<Message>>());
    GradientServer::start(cluster);
  }

 protected:
  Task<void> arrived(Message gradient) override {
    if (delay(gradient) > 0) {
      discard(gradient, too_late);
      co_return;
    }
    merge(gradient, 0);
    fresh_.push_back(std::move(gradient.vector));
    if (static_cast<std::int64_t>(fresh_.size()) < k_) co_return;
    Vector average;
    cluster().math([&] { average = mean(fresh_); });
    fresh_.clear();
    co_await step(std::move(average));
    for (int i = 0; i < cluster().size(); ++i) reply(cluster().worker(i));
  }

  Process worker(Worker& w) override {
    Channel<Message>& models = *models_[static_cast<std::size_t>(w.index())];
    cluster().spawn(w.name() + " hears", hear(w, models));
    Message model = co_await models.receive();
    while (true) {
      const Gradient gradient = co_await w.gradient(model.vector);
      if (!gradient.aborted) {
        w.send(server(), worker_to_server,
               {.vector = gradient.mean, .version = model.version, .work = w.take_work(), .steps = 1});
      }
      if (!batch_ || models.size() > 0) model = co_await models.receive();
    }
  }

  std::int64_t k_ = 1;
  bool batch_ = false;

 private:
  /// A new model ends what its worker computes at the old one.
  Process hear(Worker& w, Channel<Message>& models) {
    while (true) {
      models.send(co_await w.receive());
      w.abort_steps();
    }
  }

  std::vector<Vector> fresh_;
  std::vector<std::unique_ptr<Channel<Message>>> models_;
};

class BackupWorkers final : public KSync {
 public:
  [[nodiscard]] std::string_view kind() const override { return "backup_workers"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "Synchronous SGD with backup workers",
            .family = "synchronous",
            .source = "Chen, Pan, Monga, Bengio, Jozefowicz 2016, arXiv 1604.00981",
            .certainty = "rule from the abstract",
            .equations = "x <- x - lr mean of the first n - b gradients of x; the b others stop",
            .deployed = "the server's"};
  }
  void declare(Options& options) override {
    options.add("backups", backups_)
        .required()
        .at_least(0)
        .help("b: workers of an update that are not waited for")
        .source("arXiv 1604.00981: 4 of 100");
  }
  void start(Cluster& cluster) override {
    require_at_most("backups", backups_, cluster.size() - 1, "workers but one");
    k_ = cluster.size() - backups_;
    KSync::start(cluster);
  }

 private:
  std::int64_t backups_ = 0;
};

}  // namespace

void register_k_sync(Registry& registry) {
  registry.add_algorithm("k_sync", [] { return std::make_unique<KSync>(); });
  registry.add_algorithm("backup_workers", [] { return std::make_unique<BackupWorkers>(); });
}

}  // namespace convoy
