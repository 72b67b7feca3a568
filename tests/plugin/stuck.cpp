// An algorithm that cannot progress, to see what a user of a faulty one is told: the first worker waits for a message that
// nobody sends, and so never comes to the collective that the others wait in.
#include <stdexcept>

#include "training/cluster.hpp"

namespace {

using namespace convoy;

constexpr Stream average{"average", Payload::state};

class Stuck final : public Algorithm {
 public:
  [[nodiscard]] std::string_view kind() const override { return "stuck"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "Stuck", .family = "faulty", .source = "none", .certainty = "certain", .equations = "", .deployed = "worker 0's"};
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {average}; }
  void start(Cluster& cluster) override {
    deployed_ = cluster.initial_parameters();
    for (int i = 0; i < cluster.size(); ++i) cluster.spawn(cluster.worker(i).name(), worker(cluster.worker(i)));
  }
  [[nodiscard]] Deployed deployed() const override { return {{deployed_}}; }

 private:
  Process worker(Worker& w) {
    co_await w.local_steps(3);
    if (w.index() == 0) co_await w.receive();
    co_await w.all_reduce(average, w.parameters());
  }
  Vector deployed_;
};

}  // namespace

extern "C" void convoy_register(convoy::Registry& registry, int interface_version) {
  if (interface_version != convoy::interface_version) {
    throw std::runtime_error("it was built for interface version " + std::to_string(convoy::interface_version));
  }
  registry.add_algorithm("stuck", [] { return std::make_unique<Stuck>(); });
}
