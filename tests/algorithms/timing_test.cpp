// What users of other simulators found wrong in the time accounting of algorithms (peers.md, cases T9, T18,
// T22).
#include <doctest/doctest.h>

#include "support/run_json.hpp"

namespace convoy {
namespace {

using test::find;

TEST_CASE("staleness counts from the version that was read (T9)") {
  // No communication time, A's period 1 s, B's a little over 3 s: A's pushes make versions 1, 2, 3 at 1, 2, 3
  // s; B's push read version 0 and has staleness 3; it makes version 4.
  const auto runs = test::run_json(R"({
    "cluster": {"speeds": [1, 0.3333], "link": {"bandwidth": "1000 TB/s"}, "servers": {"update_time": "0 s"},
                "network": {"contention": false}},
    "task": {"kind": "clock_only"},
    "workload": {"parameters": 1, "reference_batch": 1, "step_time": "1 s"},
    "algorithms": [{"kind": "async_local_sgd", "local_steps": 1, "dynamic_local_steps": false, "server": {"kind": "sgd"}}],
    "stop": {"local_steps": 4}, "seeds": [0]})");
  const RunResult& result = runs.at(0).result;
  CHECK(result.virtual_time.to_seconds() == doctest::Approx(3.0003).epsilon(1e-5));
  CHECK(result.staleness_histogram == std::map<std::int64_t, std::int64_t>{{0, 3}, {3, 1}});
}

TEST_CASE("a straggler makes a synchronous round wait, and an asynchronous one not (T18)") {
  // Four workers at 1 s a step, the last at 6 s: the round is 6 s for all and the others wait 5 s each; the
  // first asynchronous update is at 1 s.
  const char* head = R"({
    "cluster": {"speeds": [1, 1, 1, 0.16666666666666666], "link": {"bandwidth": "1000 TB/s"}, "servers": {"update_time": "0 s"},
                "network": {"contention": false}},
    "task": {"kind": "clock_only"},
    "workload": {"parameters": 1, "reference_batch": 1, "step_time": "1 s"}, "seeds": [0],)";
  const auto sync = test::run_json(std::string(head) +
                                   R"("algorithms": [{"kind": "data_parallel"}], "stop": {"rounds": 1}})");
  const RunResult& round = sync.at(0).result;
  CHECK(round.virtual_time.to_seconds() == doctest::Approx(6).epsilon(1e-6));
  for (std::size_t w = 0; w < 3; ++w)
    CHECK(round.ledger[w].wait.to_seconds() == doctest::Approx(5).epsilon(1e-6));
  CHECK(round.ledger[3].wait.to_seconds() == doctest::Approx(0));

  const auto async = test::run_json(std::string(head) + R"(
    "algorithms": [{"kind": "async_local_sgd", "local_steps": 1, "dynamic_local_steps": false, "server": {"kind": "sgd"}}],
    "stop": {"local_steps": 1}})");
  CHECK(async.at(0).result.virtual_time.to_seconds() == doctest::Approx(1).epsilon(1e-6));
}

TEST_CASE("ACCO fills the time of its exchanges: gradients a second are the sum of the workers' rates") {
  // Recursion of the authors' schedule, step times (1, 1, 1, 4): k = (4, 4, 4, 1), a stage of 4 s, 3.25
  // gradients/s.
  const auto runs = test::run_config_file("papers/acco_clock.json");
  const RunResult& acco = find(runs, "acco");
  CHECK(static_cast<double>(acco.work_total.computed.steps) / acco.virtual_time.to_seconds() ==
        doctest::Approx(3.25).epsilon(0.002));
  for (const ReportEntry& entry : acco.algorithm_report) {
    if (entry.name != "micro_batches_last_stage") continue;
    const std::vector<std::int64_t> expected = {4, 4, 4, 1};
    for (std::size_t w = 0; w < 4; ++w) CHECK(entry.value.items[w].integer == expected[w]);
  }
  // Data parallel with one micro-batch each: 4 / (4 + 0.3) = 0.93 gradients/s.
  const RunResult& ddp = find(runs, "data_parallel");
  CHECK(static_cast<double>(ddp.steps) / ddp.virtual_time.to_seconds() ==
        doctest::Approx(0.93).epsilon(0.002));
}

TEST_CASE("ACCO and data parallel have the replayed rates at every exchange time") {
  struct Case {
    const char* speeds;
    const char* bandwidth;  // 1.5 GB over it is the exchange time
    double stage_s, acco, ddp;
    std::vector<std::int64_t> micro_batches;
  };
  // Replay of the recursion: equal workers, T_comm 0.3 and 1.0: k = 1, stage 1.0 s, 4.0 gradients/s; 2.5: k =
  // 3, stage 3.0. One 4x slower worker: k = (4, 4, 4, 1), stage 4.0 s, 3.25 gradients/s; data parallel 0.93,
  // 0.80, 0.62.
  const std::vector<Case> cases = {{"[1, 1, 1, 1]", "5 GB/s", 1, 4.0, 4 / 1.3, {1, 1, 1, 1}},
                                   {"[1, 1, 1, 1]", "1.5 GB/s", 1, 4.0, 2.0, {1, 1, 1, 1}},
                                   {"[1, 1, 1, 1]", "0.6 GB/s", 3, 4.0, 4 / 3.5, {3, 3, 3, 3}},
                                   {"[1, 1, 1, 0.25]", "5 GB/s", 4, 3.25, 0.93, {4, 4, 4, 1}},
                                   {"[1, 1, 1, 0.25]", "1.5 GB/s", 4, 3.25, 0.80, {4, 4, 4, 1}},
                                   {"[1, 1, 1, 0.25]", "0.6 GB/s", 4, 3.25, 0.62, {4, 4, 4, 1}}};
  for (const Case& c : cases) {
    CAPTURE(c.speeds);
    CAPTURE(c.bandwidth);
    const auto runs = test::run_json(std::string(R"({
      "cluster": {"network": {"contention": false}, "speeds": )") +
                                     c.speeds + R"(, "link": {"bandwidth": ")" + c.bandwidth + R"("}},
      "task": {"kind": "clock_only"},
      "workload": {"parameters": 250000000, "reference_batch": 1, "step_time": "1 s"},
      "algorithms": [{"kind": "acco"}, {"kind": "data_parallel"}], "stop": {"time": "2000 s"}, "seeds": [0]})");
    const RunResult& acco = find(runs, "acco");
    CHECK(static_cast<double>(acco.work_total.computed.steps) / acco.virtual_time.to_seconds() ==
          doctest::Approx(c.acco).epsilon(0.005));
    // Two stages an update.
    CHECK(static_cast<double>(acco.rounds) == doctest::Approx(2000 / (2 * c.stage_s)).epsilon(0.005));
    for (const ReportEntry& entry : acco.algorithm_report) {
      if (entry.name != "micro_batches_last_stage") continue;
      for (std::size_t w = 0; w < 4; ++w) CHECK(entry.value.items[w].integer == c.micro_batches[w]);
    }
    const RunResult& ddp = find(runs, "data_parallel");
    CHECK(static_cast<double>(ddp.steps) / ddp.virtual_time.to_seconds() ==
          doctest::Approx(c.ddp).epsilon(0.008));
  }
}

}  // namespace
}  // namespace convoy
