// SSP: stale synchronous parallel (Ho et al., NIPS 2013).
//
//   a worker may start iteration c while the slowest has finished at least c - 1 - s of them
//   server: on each gradient  x <- x - lr g / n;  whoever may go on gets x
//
// s = 0 is bulk-synchronous with gradients applied one by one as they come; without a bound it is ASGD.
#include <algorithm>
#include <limits>
#include <vector>

#include "algorithms/all.hpp"
#include "training/gradient_server.hpp"

namespace convoy {
namespace {

class Ssp final : public GradientServer {
 public:
  [[nodiscard]] std::string_view kind() const override { return "ssp"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "SSP: stale synchronous parallel SGD",
            .family = "asynchronous",
            .source = "Ho et al., NIPS 2013",
            .certainty =
                "bound as the paper states it; reads take all updates that have arrived, more than the bound "
                "asks",
            .equations = "start iteration c only while min_j clock_j >= c - 1 - s;  x <- x - lr g / n",
            .deployed = "the server's"};
  }
  void declare(Options& options) override {
    options.add("staleness", bound_)
        .at_least(0)
        .default_text("3")
        .help("s: iterations that a worker may be ahead of the slowest");
  }
  void start(Cluster& cluster) override {
    clock_.assign(static_cast<std::size_t>(cluster.size()), 0);
    blocked_.clear();
    GradientServer::start(cluster);
  }

 private:
  Task<void> arrived(Message gradient) override {
    const std::int64_t late = delay(gradient);
    co_await step(gradient.vector, 1.0 / cluster().size());
    merge(gradient, late);
    ++clock_[static_cast<std::size_t>(gradient.from->number())];
    blocked_.push_back(gradient.from);
    const std::int64_t slowest = *std::min_element(clock_.begin(), clock_.end());
    std::vector<Endpoint*> still;
    for (Endpoint* worker : blocked_) {
      if (clock_[static_cast<std::size_t>(worker->number())] - slowest <= bound_) {
        reply(*worker);
      } else {
        still.push_back(worker);
      }
    }
    blocked_ = std::move(still);
  }

  std::int64_t bound_ = 3;
  std::vector<std::int64_t> clock_;  // finished iterations by worker
  std::vector<Endpoint*> blocked_;   // in order of arrival
};

}  // namespace

void register_ssp(Registry& registry) {
  registry.add_algorithm("ssp", [] { return std::make_unique<Ssp>(); });
}

}  // namespace convoy
