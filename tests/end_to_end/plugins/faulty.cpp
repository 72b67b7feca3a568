// A plug-in whose algorithm waits for ever: after some steps worker 0 receives what nobody sends, the others
// the sum with it.
#include <memory>
#include <stdexcept>

#include "training/algorithm.hpp"
#include "training/cluster.hpp"

namespace {

using namespace convoy;

constexpr Stream average{"average", Payload::state};

class Faulty final : public Algorithm {
 public:
  [[nodiscard]] std::string_view kind() const override { return "faulty"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "Waits for a message that nobody sends",
            .family = "test",
            .source = "",
            .certainty = "",
            .equations = "",
            .deployed = "worker 0's"};
  }
  void declare(Options& options) override {
    options.add("steps", steps_).at_least(1).help("local steps before it waits");
    options.add("throws", throws_).help("throw instead of waiting");
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {average}; }
  void start(Cluster& cluster) override {
    deployed_ = cluster.initial_parameters();
    for (int i = 0; i < cluster.size(); ++i)
      cluster.spawn(cluster.worker(i).name(), worker(cluster, cluster.worker(i)));
  }
  [[nodiscard]] Deployed deployed() const override { return {{deployed_}}; }

 private:
  Process worker(Cluster& cluster, Worker& w) {
    for (int i = 0; i < steps_; ++i) co_await w.local_step();
    cluster.report_steps(steps_);
    if (throws_) throw std::runtime_error("worker " + w.name() + " is broken");
    if (w.index() == 0) static_cast<void>(co_await w.receive());
    static_cast<void>(co_await w.all_reduce(average, w.parameters()));
  }
  Vector deployed_;
  int steps_ = 3;
  bool throws_ = false;
};

}  // namespace

extern "C" void convoy_register(convoy::Registry& registry, int version) {
  if (version != convoy::interface_version)
    throw std::runtime_error("built for another version of the interface");
  registry.add_algorithm("faulty", [] { return std::make_unique<Faulty>(); });
}
