// Algorithm A with option x equals algorithm B: to 1e-12 relative in float64 with plain SGD inside, bitwise
// where the same operations happen in the same order.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <fstream>

#include "support/run_json.hpp"

namespace convoy {
namespace {

using test::find;

/// A quadratic in three coordinates with gradient noise, on `workers` equal workers with links that take no
/// time to speak of.
std::string experiment(
    const std::string& algorithms, const std::string& stop,
    const std::string& optimizer = R"({"kind": "sgd", "learning_rate": 0.1})",
    const std::string& cluster =
        R"({"workers": 4, "link": {"bandwidth": "1000 TB/s"}, "servers": {"update_time": "0 s"}, "network": {"contention": false}})",
    const std::string& task =
        R"({"kind": "quadratic", "curvature": [[1, 2, 3], [0.8, 1, 1], [1.2, 0.5, 0.7], [0.9, 1, 2]],
                         "linear": [[0.1, 0.3, -0.2], [-0.2, 1, 0], [0.3, 0, 0.5], [0, -1, 0.4]], "noise": 0.1, "initial": [1, -1, 0.5]})") {
  return fmt::format(R"({{"cluster": {}, "task": {}, "workload": {{"reference_batch": 1, "step_time": "1 s"}},
    "training": {{"optimizer": {}}}, "algorithms": [{}], "stop": {{{}}}, "seeds": [3]}})",
                     cluster, task, optimizer, algorithms, stop);
}

void check_equal(const std::vector<double>& a, const std::vector<double>& b, double relative = 1e-12) {
  REQUIRE(a.size() == b.size());
  REQUIRE(!a.empty());
  for (std::size_t i = 0; i < a.size(); ++i)
    CHECK(std::abs(a[i] - b[i]) <= relative * std::max(1.0, std::abs(b[i])));
}

const std::vector<double>& deployed(const RunResult& result) {
  return result.final_metrics.parameters;
}

double entry(const RunResult& result, std::string_view name) {
  for (const ReportEntry& e : result.algorithm_report) {
    if (e.name == name) return e.value.number;
  }
  FAIL("no report entry");
  return 0;
}

TEST_CASE("local SGD with one local step is data-parallel SGD") {
  const auto runs = test::run_json(experiment(
      R"({"kind": "data_parallel"}, {"kind": "local_sgd", "local_steps": 1})", R"("local_steps": 200)"));
  check_equal(deployed(find(runs, "local_sgd", 3)), deployed(find(runs, "data_parallel", 3)));
}

TEST_CASE("DiLoCo with outer learning rate 1 and no momentum is local SGD") {
  const auto runs = test::run_json(experiment(
      R"({"kind": "local_sgd", "local_steps": 8}, {"kind": "diloco", "local_steps": 8, "outer": {"kind": "sgd", "learning_rate": 1}})",
      R"("local_steps": 320)"));
  check_equal(deployed(find(runs, "diloco", 3)), deployed(find(runs, "local_sgd", 3)));
}

TEST_CASE("synchronous DiLoCo with one step of SGD is data-parallel SGD") {
  const auto runs = test::run_json(experiment(
      R"({"kind": "data_parallel"}, {"kind": "diloco", "local_steps": 1, "outer": {"kind": "sgd", "learning_rate": 1}})",
      R"("local_steps": 200)"));
  check_equal(deployed(find(runs, "diloco", 3)), deployed(find(runs, "data_parallel", 3)));
}

TEST_CASE("dynamic local steps change nothing when the speeds are equal") {
  const auto runs = test::run_json(experiment(
      R"({"kind": "diloco", "local_steps": 4}, {"kind": "diloco", "label": "dynamic", "local_steps": 4, "dynamic_local_steps": true})",
      R"("local_steps": 160)"));
  CHECK(find(runs, "diloco", 3).digest == find(runs, "dynamic", 3).digest);
}

TEST_CASE("delayed Nesterov with period 1 is Nesterov, bit for bit") {
  const auto runs = test::run_json(experiment(
      R"({"kind": "async_local_sgd", "label": "a", "local_steps": 2, "server": {"kind": "nesterov", "learning_rate": 0.4, "momentum": 0.9}},
         {"kind": "async_local_sgd", "label": "b", "local_steps": 2, "server": {"kind": "delayed_nesterov", "learning_rate": 0.4, "momentum": 0.9, "period": 1}})",
      R"("local_steps": 200)"));
  CHECK(deployed(find(runs, "a", 3)) == deployed(find(runs, "b", 3)));
  CHECK(find(runs, "a", 3).digest == find(runs, "b", 3).digest);
}

constexpr const char* plain_local = R"("local_server": {"kind": "sgd", "learning_rate": 1})";
constexpr const char* plain_global = R"("global_server": {"kind": "sgd", "learning_rate": 1})";

TEST_CASE("HALoS invariant a: one worker without delay and momentum is the serial inner optimizer") {
  const std::string one =
      R"({"workers": 1, "link": {"bandwidth": "1000 TB/s"}, "servers": {"update_time": "0 s"}, "network": {"contention": false}})";
  const std::string task =
      R"({"kind": "quadratic", "curvature": [[1, 2, 3]], "linear": [[0.1, 0.3, -0.2]], "noise": 0.1, "initial": [1, -1, 0.5]})";
  const std::string adamw = R"({"kind": "adamw", "learning_rate": 0.02})";
  for (const char* variant : {R"("updates_per_exchange": 1, "global_weight": 1)",
                              R"("updates_per_exchange": 1, "global_weight": 0.3)",
                              R"("updates_per_exchange": 5, "global_weight": 0.25)",
                              R"("updates_per_exchange": 3, "global_weight": 0)"}) {
    const auto runs = test::run_json(experiment(
        fmt::format(R"({{"kind": "data_parallel"}}, {{"kind": "halos", "local_steps": 4, {}, {}, {}}})",
                    variant, plain_local, plain_global),
        R"("local_steps": 120)", adamw, one, task));
    // 120 steps are reported at the global server once the 30th push is in a Delta: K divides 30.
    check_equal(find(runs, "halos", 3).final_metrics.worker_parameters.at(0),
                find(runs, "data_parallel", 3).final_metrics.worker_parameters.at(0));
    CHECK(find(runs, "halos", 3).steps == find(runs, "data_parallel", 3).steps);
  }
}

TEST_CASE(
    "HALoS invariant b: one region that takes over the global model without delay is asynchronous local "
    "SGD") {
  const std::string momentum =
      R"({"kind": "delayed_nesterov", "learning_rate": 0.8, "momentum": 0.6, "period": 4})";
  // Scalar: theta_merged - (theta_merged - theta) is exact while theta stays within a factor 2 of
  // theta_merged.
  const std::string task =
      R"({"kind": "quadratic", "curvature": [1, 0.8, 1.2, 0.9], "linear": [0.9, 1, 1.1, 1], "noise": 0.01, "initial": 1})";
  const std::string cluster =
      R"({"speeds": [1, 0.77, 0.59, 0.24], "link": {"bandwidth": "1000 TB/s"}, "servers": {"update_time": "0 s"}, "network": {"contention": false}})";
  for (const int k : {1, 4}) {
    const auto runs = test::run_json(experiment(
        fmt::format(
            R"({{"kind": "async_local_sgd", "local_steps": 1, "dynamic_local_steps": false, "server": {}}},
                        {{"kind": "halos", "local_steps": 1, "dynamic_local_steps": false, "updates_per_exchange": {}, "global_weight": 1, "local_server": {}, {}}})",
            momentum, k, momentum, plain_global),
        R"("local_steps": 200)", R"({"kind": "sgd", "learning_rate": 0.05})", cluster, task));
    const RunResult& halos = find(runs, "halos", 3);
    CHECK(deployed(halos) == deployed(find(runs, "async_local_sgd", 3)));  // bitwise
    CHECK(halos.staleness_histogram == find(runs, "async_local_sgd", 3).staleness_histogram);
  }
}

TEST_CASE(
    "HALoS invariant c: regions that ignore the global model are independent runs of asynchronous local "
    "SGD") {
  const std::string two =
      R"({"regions": [{"name": "a", "bandwidth": "1000 TB/s", "speeds": [1, 0.7]}, {"name": "b", "bandwidth": "1000 TB/s", "speeds": [0.9, 0.4]}],
    "wan": [["a", "b", "1 kB/s", "1 s"]], "servers": {"update_time": "0 s"}, "network": {"contention": false}})";
  const std::string task =
      R"({"kind": "quadratic", "curvature": [1, 0.8, 1.2, 0.9], "linear": [0.1, -0.2, 0.3, 0], "initial": 1})";
  const std::string local =
      R"({"kind": "delayed_nesterov", "learning_rate": 0.8, "momentum": 0.6, "period": 4})";
  const auto both = test::run_json(experiment(
      fmt::format(
          R"({{"kind": "halos", "local_steps": 2, "dynamic_local_steps": false, "updates_per_exchange": 2, "global_weight": 0, "local_server": {}}})",
          local),
      R"("time": "60.5 s")", R"({"kind": "sgd", "learning_rate": 0.05})", two, task));
  const auto alone = [&](const char* speeds, const char* curvature, const char* linear) {
    return test::run_json(experiment(
        fmt::format(
            R"({{"kind": "async_local_sgd", "local_steps": 2, "dynamic_local_steps": false, "server": {}}})",
            local),
        R"("time": "60.5 s")", R"({"kind": "sgd", "learning_rate": 0.05})",
        fmt::format(
            R"({{"speeds": {}, "link": {{"bandwidth": "1000 TB/s"}}, "servers": {{"update_time": "0 s"}}, "network": {{"contention": false}}}})",
            speeds),
        fmt::format(R"({{"kind": "quadratic", "curvature": {}, "linear": {}, "initial": 1}})", curvature,
                    linear)));
  };
  const auto a = alone("[1, 0.7]", "[1, 0.8]", "[0.1, -0.2]");
  const auto b = alone("[0.9, 0.4]", "[1.2, 0.9]", "[0.3, 0]");
  const auto& workers = both.at(0).result.final_metrics.worker_parameters;
  for (std::size_t w = 0; w < 2; ++w) {
    CHECK(workers[w] == a.at(0).result.final_metrics.worker_parameters[w]);
    CHECK(workers[2 + w] == b.at(0).result.final_metrics.worker_parameters[w]);
  }
}

TEST_CASE(
    "HALoS invariants d and e: the global model is the sum of the Deltas, and work done during an exchange "
    "is lost") {
  // Round trip of 3.8 s to the global server, a push a second, K = 1, alpha = 1: the three pushes made during
  // it are overwritten.
  const std::string far =
      R"({"regions": [{"name": "g", "bandwidth": "1000 TB/s", "speeds": [0.001]}, {"name": "r", "bandwidth": "1000 TB/s", "speeds": [1]}],
    "wan": [["g", "r", "1000 TB/s", "1.9 s"]], "servers": {"update_time": "0 s", "global_region": "g"}, "network": {"contention": false}})";
  const std::string task =
      R"({"kind": "quadratic", "curvature": [1, 0.8], "linear": [0.1, -0.2], "initial": 1})";
  const auto runs = test::run_json(experiment(
      fmt::format(
          R"({{"kind": "halos", "local_steps": 1, "dynamic_local_steps": false, "updates_per_exchange": 1, "global_weight": 1, {}, {}}})",
          plain_local, plain_global),
      R"("time": "500.5 s")", R"({"kind": "sgd", "learning_rate": 0.05})", far, task));
  const RunResult& halos = runs.at(0).result;
  CHECK(entry(halos, "delta_balance") < 1e-12);
  // One exchange every 4 s (the first push after the round trip): 125 of 500 pushes get through.
  for (const ReportEntry& e : halos.algorithm_report) {
    if (e.name != "regions") continue;
    const Node& region = e.value.items[1];
    const std::int64_t sends = region.find("sends")->integer, merges = region.find("merges")->integer,
                       updates = region.find("updates")->integer;
    CHECK(updates == 500);
    CHECK(sends == 125);
    CHECK((sends == merges || sends == merges + 1));  // never more than one outstanding
  }
  CHECK(halos.work_total.discarded.at("overwritten_at_merge").steps >= 370);
}

TEST_CASE(
    "ACCO invariants a and h: with deterministic gradients it is data parallel for any optimizer, so the "
    "estimate leaves no trace") {
  const std::string task =
      R"({"kind": "quadratic", "curvature": [[1, 2, 3], [0.8, 1, 1], [1.2, 0.5, 0.7], [0.9, 1, 2]],
    "linear": [[0.1, 0.3, -0.2], [-0.2, 1, 0], [0.3, 0, 0.5], [0, -1, 0.4]], "initial": [1, -1, 0.5]})";
  for (const char* optimizer : {R"({"kind": "adamw", "learning_rate": 0.05, "weight_decay": 0.1})",
                                R"({"kind": "nesterov", "learning_rate": 0.05, "momentum": 0.9})"}) {
    const auto runs = test::run_json(experiment(
        R"({"kind": "acco"}, {"kind": "data_parallel"})", R"("rounds": 50)", optimizer,
        R"({"workers": 4, "link": {"bandwidth": "1000 TB/s"}, "network": {"contention": false}})", task));
    check_equal(deployed(find(runs, "acco", 3)), deployed(find(runs, "data_parallel", 3)));
  }
}

TEST_CASE("ACCO invariant b: with constant gradients ACCO, delayed updates and data parallel agree") {
  const std::string task =
      R"({"kind": "quadratic", "curvature": [0, 0, 0, 0], "linear": [0.1, -0.2, 0.3, 0.5], "initial": 1})";
  const auto runs = test::run_json(experiment(
      R"({"kind": "acco"}, {"kind": "delayed_parameter_update"}, {"kind": "data_parallel"})",
      R"("rounds": 20)", R"({"kind": "sgd", "learning_rate": 0.1})",
      R"({"workers": 4, "link": {"bandwidth": "1000 TB/s"}, "network": {"contention": false}})", task));
  check_equal(deployed(find(runs, "acco", 3)), deployed(find(runs, "data_parallel", 3)));
  check_equal(deployed(find(runs, "delayed_parameter_update", 3)), deployed(find(runs, "data_parallel", 3)));
}

TEST_CASE(
    "ACCO invariant c: on a quadratic data parallel and ACCO are stable up to 2, delayed updates up to 1") {
  const std::string task = R"({"kind": "quadratic", "curvature": [1, 1], "minimum": [0, 0], "initial": 1})";
  const std::string cluster =
      R"({"workers": 2, "link": {"bandwidth": "1000 TB/s"}, "network": {"contention": false}})";
  const auto final_size = [&](const char* algorithm, double rate) {
    const auto runs = test::run_json(
        experiment(fmt::format(R"({{"kind": "{}"}})", algorithm), R"("rounds": 1000)",
                   fmt::format(R"({{"kind": "sgd", "learning_rate": {}}})", rate), cluster, task));
    return std::abs(deployed(runs.at(0).result).at(0));
  };
  for (const char* algorithm : {"data_parallel", "acco"}) {
    CHECK(final_size(algorithm, 1.94) < 1e-6);
    CHECK(final_size(algorithm, 2.06) > 1e6);
  }
  // x' = x - a x_previous: |roots| < 1 iff a < 1.
  CHECK(final_size("delayed_parameter_update", 0.97) < 1e-3);
  CHECK(final_size("delayed_parameter_update", 1.03) > 1e3);
}

TEST_CASE("ACCO invariant d: the distance of estimate and model shrinks by a(1 - w) a round") {
  // Unequal speeds and minima: the very first estimate weighs workers equally, later ones by their
  // micro-batches (4, 4, 4, 1), so it starts off the model. Equal curvature 1, learning rate a = 0.6, halves
  // of equal weight: factor 0.6 x 0.5.
  const std::string task =
      R"({"kind": "quadratic", "curvature": [1, 1, 1, 1], "minimum": [1, 2, 3, 8], "initial": 0})";
  const std::string cluster =
      R"({"speeds": [1, 1, 1, 0.25], "link": {"bandwidth": "5 B/s"}, "network": {"contention": false}})";
  std::string text = experiment(R"({"kind": "acco"})", R"("rounds": 12)",
                                R"({"kind": "sgd", "learning_rate": 0.6})", cluster, task);
  text.insert(1, R"("evaluate": {"every_steps": 1}, )");
  const RunResult result = test::run_json(text).at(0).result;
  const auto column =
      std::find(result.extra_columns.begin(), result.extra_columns.end(), "x.estimate_distance") -
      result.extra_columns.begin();
  std::vector<double> distances;
  for (const MetricsRow& row : result.metrics) {
    const double value = row.extra.at(static_cast<std::size_t>(column));
    if (!std::isnan(value) && (distances.empty() || value != distances.back())) distances.push_back(value);
  }
  REQUIRE(distances.size() >= 8);
  for (std::size_t i = 2; i < 8; ++i)
    CHECK(distances[i] / distances[i - 1] == doctest::Approx(0.3).epsilon(1e-6));
}

TEST_CASE("gradient tracking keeps sum y = sum g for every form") {
  for (const char* form : {"atc", "semi_atc", "diging"}) {
    const auto runs = test::run_json(experiment(
        fmt::format(R"({{"kind": "gradient_tracking", "form": "{}", "graph": {{"kind": "ring"}}}})", form),
        R"("local_steps": 404)", R"({"kind": "sgd", "learning_rate": 0.05})"));
    CHECK(entry(runs.at(0).result, "tracker_sum_error") < 1e-12);
  }
}

TEST_CASE("decentralized SGD on the complete graph is data-parallel SGD") {
  const auto runs = test::run_json(
      experiment(R"({"kind": "decentralized_sgd", "graph": {"kind": "complete"}}, {"kind": "data_parallel"})",
                 R"("local_steps": 200)"));
  check_equal(deployed(find(runs, "decentralized_sgd", 3)), deployed(find(runs, "data_parallel", 3)));
}

TEST_CASE("one DiLoCo worker with outer SGD 1 on w^2/2 ends at 0.81 after two steps of 0.1 (T23)") {
  const auto runs = test::run_json(
      experiment(R"({"kind": "diloco", "local_steps": 2, "outer": {"kind": "sgd", "learning_rate": 1}})",
                 R"("local_steps": 2)", R"({"kind": "sgd", "learning_rate": 0.1})",
                 R"({"workers": 1, "link": {"bandwidth": "1 GB/s"}})",
                 R"({"kind": "quadratic", "curvature": [1], "minimum": [0], "initial": 1})"));
  CHECK(deployed(runs.at(0).result).at(0) == doctest::Approx(0.81).epsilon(1e-14));
}

TEST_CASE("two clients at w = 10 whose steps change it by -1 and -3 average to 8 (T23)") {
  // Gradient 10 and 30 at learning rate 0.1: curvature 0, linear -10 and -30.
  const auto runs = test::run_json(experiment(
      R"({"kind": "diloco", "local_steps": 1, "outer": {"kind": "sgd", "learning_rate": 1}}, {"kind": "local_sgd", "local_steps": 1})",
      R"("local_steps": 2)", R"({"kind": "sgd", "learning_rate": 0.1})",
      R"({"workers": 2, "link": {"bandwidth": "1 GB/s"}})",
      R"({"kind": "quadratic", "curvature": [0, 0], "linear": [-10, -30], "initial": 10})"));
  CHECK(deployed(find(runs, "diloco", 3)).at(0) == doctest::Approx(8).epsilon(1e-14));
  CHECK(deployed(find(runs, "local_sgd", 3)).at(0) == doctest::Approx(8).epsilon(1e-14));
}

TEST_CASE(
    "gossip averaging with one node leaves it alone, and gradient tracking finds the mean of four (T21)") {
  const auto one = test::run_json(
      experiment(R"({"kind": "decentralized_sgd", "graph": {"kind": "ring"}}, {"kind": "data_parallel"})",
                 R"("local_steps": 20)", R"({"kind": "sgd", "learning_rate": 0.1})",
                 R"({"workers": 1, "link": {"bandwidth": "1 GB/s"}})",
                 R"({"kind": "quadratic", "curvature": [1], "minimum": [2], "initial": 1})"));
  CHECK(deployed(find(one, "decentralized_sgd", 3)) == deployed(find(one, "data_parallel", 3)));
  // f_i = (x - a_i)^2 / 2, a = 0..3: the mean 1.5 at every node.
  const auto four = test::run_json(experiment(
      R"({"kind": "gradient_tracking", "form": "diging", "graph": {"kind": "ring"}})",
      R"("local_steps": 4000)", R"({"kind": "sgd", "learning_rate": 0.1})",
      R"({"workers": 4, "link": {"bandwidth": "1 GB/s"}})",
      R"({"kind": "quadratic", "curvature": [1, 1, 1, 1], "minimum": [0, 1, 2, 3], "initial": 0})"));
  for (const auto& x : four.at(0).result.final_metrics.worker_parameters)
    CHECK(x.at(0) == doctest::Approx(1.5).epsilon(1e-10));
}

}  // namespace
}  // namespace convoy
