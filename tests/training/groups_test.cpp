// What a run does with algorithms of a test's own: groups, deadlocks, failures, divergence (peers.md, T3 and
// T22).
#include <doctest/doctest.h>

#include "support/run_json.hpp"
#include "training/cluster.hpp"

namespace convoy {
namespace {

constexpr Stream average{"average", Payload::state};

/// Runs `worker` on every worker.
class Probe : public Algorithm {
 public:
  [[nodiscard]] std::string_view kind() const override { return "probe"; }
  [[nodiscard]] AlgorithmCard card() const override { return {}; }
  [[nodiscard]] std::vector<Stream> streams() const override { return {average}; }
  void start(Cluster& cluster) override {
    cluster_ = &cluster;
    prepare(cluster);
    for (int i = 0; i < cluster.size(); ++i)
      cluster.spawn(cluster.worker(i).name(), worker(cluster.worker(i)));
  }
  [[nodiscard]] Deployed deployed() const override { return mean_of_workers(*cluster_); }

 protected:
  virtual void prepare(Cluster&) {}
  virtual Process worker(Worker& w) = 0;
  Cluster* cluster_ = nullptr;
};

template <class Algorithm>
std::vector<test::JsonRun> run_probe(const std::string& stop, int workers = 4) {
  std::string minimum = "0", curvature = "1";
  for (int i = 1; i < workers; ++i) {
    minimum += ", " + std::to_string(i);
    curvature += ", 1";
  }
  return test::run_json(R"({"cluster": {"workers": )" + std::to_string(workers) +
                            R"(, "link": {"bandwidth": "1 GB/s"}},
    "task": {"kind": "quadratic", "curvature": [)" +
                            curvature + R"(], "minimum": [)" + minimum + R"(], "initial": 0},
    "workload": {"reference_batch": 1, "step_time": "1 s"}, "training": {"optimizer": {"kind": "sgd", "learning_rate": 0.5}},
    "algorithms": [{"kind": "probe"}], "stop": {)" +
                            stop + R"(}, "seeds": [0]})",
                        1, [](Registry& registry) {
                          registry.add_algorithm("probe", [] { return std::make_unique<Algorithm>(); });
                        });
}

class Halves final : public Probe {
  void prepare(Cluster& cluster) override { groups_ = {cluster.group({0, 1}), cluster.group({3, 2})}; }
  Process worker(Worker& w) override {
    while (true) {
      co_await w.local_step();
      const Reduced mean =
          co_await w.all_reduce(groups_[static_cast<std::size_t>(w.index() / 2)], average, w.parameters());
      w.set_parameters(mean.mean);
      w.merge_work();
    }
  }
  std::vector<Group> groups_;
};

TEST_CASE("collectives of disjoint groups finish, each with the mean of its members (T22)") {
  // Minima 0, 1 | 2, 3: each half goes to its own mean, 0.5 and 2.5.
  const auto runs = run_probe<Halves>(R"("local_steps": 400)");
  const auto& x = runs.at(0).result.final_metrics.worker_parameters;
  for (const std::size_t w : {0u, 1u}) CHECK(x[w].at(0) == doctest::Approx(0.5));
  for (const std::size_t w : {2u, 3u}) CHECK(x[w].at(0) == doctest::Approx(2.5));
}

class Absent final : public Probe {
  Process worker(Worker& w) override {
    co_await w.local_step();
    if (w.index() == 2) (void)co_await w.receive();  // nobody sends
    co_await w.all_reduce(average, w.parameters());
  }
};

TEST_CASE("a collective with a member that never comes is a deadlock that names who waits for whom (T22)") {
  const auto runs = run_probe<Absent>(R"("time": "1000 s")");
  const RunResult& result = runs.at(0).result;
  CHECK(result.stop_reason == StopReason::deadlock);
  CHECK(result.virtual_time.to_seconds() == 1);
  REQUIRE(result.waiting.size() == 4);
  CHECK(result.waiting[0].process == "local.w0");
  CHECK(result.waiting[0].waits_for == "collective `average`, where these have not arrived: local.w2");
  CHECK(result.waiting[2].waits_for == "a message to local.w2");
  CHECK(result.waiting[2].since_s == 1);
}

class Sizes final : public Probe {
  Process worker(Worker& w) override {
    co_await w.local_step();
    const Vector longer(Layout::flat(3), Precision::float64);
    co_await w.all_reduce(average, w.index() == 1 ? longer : w.parameters());
  }
};

TEST_CASE("members of a collective that disagree on the size are named") {
  CHECK_THROWS_WITH_AS(run_probe<Sizes>(R"("time": "1000 s")"), doctest::Contains("local.w1"),
                       std::exception);
}

class Exploding final : public Probe {
  Process worker(Worker& w) override {
    while (true) {
      co_await w.local_step();
      Vector x = w.parameters();
      x.scale(1e200);
      w.set_parameters(x);
      w.merge_work();
    }
  }
};

TEST_CASE("a loss that is not finite ends the run as diverged and keeps what was measured") {
  const auto runs = run_probe<Exploding>(R"("time": "1000 s")");
  const RunResult& result = runs.at(0).result;
  CHECK(result.stop_reason == StopReason::diverged);
  CHECK(result.steps > 0);
  CHECK_FALSE(result.message.empty());
}

class Lockstep final : public Probe {
  Process worker(Worker& w) override {
    while (true) {
      co_await w.local_step();
      const Reduced mean = co_await w.all_reduce(average, w.parameters());
      w.set_parameters(mean.mean);
      w.merge_work();
    }
  }
};

TEST_CASE("fifty workers whose steps all take the same time finish (T3)") {
  const auto runs = run_probe<Lockstep>(R"("local_steps": 500)", 50);
  CHECK(runs.at(0).result.stop_reason == StopReason::max_steps);
  CHECK(runs.at(0).result.steps == 500);
}

class Spinning final : public Probe {
  Process worker(Worker& w) override {
    while (true) co_await w.local_step();  // never reports
  }
};

TEST_CASE("a run that computes for ever without reporting a step ends as stalled") {
  const auto runs = run_probe<Spinning>(R"("local_steps": 10)");
  CHECK(runs.at(0).result.stop_reason == StopReason::stalled);
}

}  // namespace
}  // namespace convoy
