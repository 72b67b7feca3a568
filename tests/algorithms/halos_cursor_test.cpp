// HALoS invariant i: each worker's cursor strictly increases on a whole run, so that no sample repeats within
// an epoch of its own partition (tests/learning shows that mini-batch b is positions [b B, (b + 1) B) of the
// epochs' permutations).
#include <doctest/doctest.h>

#include <map>
#include <vector>

#include "algorithms/all.hpp"
#include "experiment/json_reader.hpp"
#include "experiment/run_setup.hpp"
#include "experiment/task_cache.hpp"
#include "topologies/all.hpp"

namespace convoy {
namespace {

/// A task that notes which mini-batches each worker takes. For a pool of one thread.
class Noting final : public LearningTask {
 public:
  explicit Noting(std::shared_ptr<const LearningTask> task)
      : LearningTask(task->layout(), task->precision(), task->workers()), task_(std::move(task)) {}
  [[nodiscard]] Vector initial_parameters() const override { return task_->initial_parameters(); }
  BatchResult gradient(const Vector& parameters, int worker, std::uint64_t step,
                       Vector& gradient) const override {
    taken[worker].push_back(step);
    return task_->gradient(parameters, worker, step, gradient);
  }
  [[nodiscard]] Evaluation evaluate(const Vector& parameters, Split split) const override {
    return task_->evaluate(parameters, split);
  }
  [[nodiscard]] std::size_t batch_size(int worker) const override { return task_->batch_size(worker); }
  [[nodiscard]] std::size_t worker_samples(int worker) const override {
    return task_->worker_samples(worker);
  }
  [[nodiscard]] std::string describe() const override { return task_->describe(); }

  mutable std::map<int, std::vector<std::uint64_t>> taken;

 private:
  std::shared_ptr<const LearningTask> task_;
};

TEST_CASE("on a HALoS run each worker's cursor strictly increases, by one mini-batch a step (invariant i)") {
  Registry registry;
  registry.graphs = graph_makers();
  registry.fabrics = fabric_makers();
  register_algorithms(registry);
  DataStore store(default_data_roots(CONVOY_SOURCE_DIR "/configs"));
  FileHashes hashes;
  const Plan plan = make_plan(read_json_text(R"({
    "cluster": {"regions": [{"name": "a", "bandwidth": "1 Gbit/s", "speeds": [1, 0.7]},
                            {"name": "b", "bandwidth": "1 Gbit/s", "speeds": [0.9, 0.4]}],
                "wan": [["a", "b", "50 Mbit/s"]], "servers": {"update_time": "0 s"}},
    "task": {"data": "digits", "partition": {"kind": "iid"}, "model": {"kind": "softmax_regression"}, "batch_size": 16},
    "workload": {"parameters": 1000000, "reference_batch": 16, "step_time": "500 ms"},
    "training": {"optimizer": {"kind": "sgd", "learning_rate": 0.01}},
    "algorithms": [{"kind": "halos", "local_steps": 4, "updates_per_exchange": 4}],
    "stop": {"local_steps": 400}, "seeds": [0]})",
                                             "test.json"),
                              registry, store, hashes);
  TaskCache tasks(store, 1);
  const PlanPoint& point = plan.points.at(0);
  const auto noting = std::make_shared<Noting>(tasks.task_of(point));
  const std::unique_ptr<Algorithm> algorithm = point.algorithm_block().make();
  JobPool pool(1);
  const RunResult result = simulate(setup_of(point, noting, *algorithm), pool);
  REQUIRE(result.stop_reason == StopReason::max_steps);
  REQUIRE(noting->taken.size() == 4);
  for (const auto& [worker, steps] : noting->taken) {
    // Mini-batches 0, 1, 2, ...: enough for more than one epoch of the fastest worker's share, and none
    // twice.
    for (std::size_t i = 0; i < steps.size(); ++i) CHECK(steps[i] == i);
  }
}

}  // namespace
}  // namespace convoy
