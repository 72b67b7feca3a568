#include "experiment/experiment_config.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "experiment/json_reader.hpp"
#include "experiment/plan.hpp"
#include "hardware/catalogue.hpp"
#include "sample_experiment.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

bool says(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) {
    if (text.find(part) == std::string::npos) {
      MESSAGE("\"" << part << "\" is not in: " << text);
      return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("a small experiment is read with its defaults") {
  const auto config = read_experiment(sample(), registry());
  CHECK(config->name == "sample");
  CHECK(config->cluster.worker_count() == 4);
  REQUIRE(config->algorithms.size() == 2);
  CHECK(config->algorithms[0]->label() == "local_sgd");
  CHECK(config->algorithms[1]->kind() == "data_parallel");
  CHECK(config->seeds == std::vector<std::int64_t>{0, 3});
  CHECK_FALSE(config->evaluate);
  CHECK(config->target_on == TargetOn::validation);
}

TEST_CASE("every fault is reported at once, with its place") {
  const std::string text = R"({
  "cluster": {"workers": 0, "link": {"bandwidth": "1 GB"}},
  "task": {"kind": "quadratic", "curvature": 1, "curvature": 2},
  "workloads": {},
  "algorithms": [{"kind": "locl_sgd"}],
  "stop": {}, "seeds": [1, 1]
})";
  // A key that stands twice is no JSON to go on with: it is reported with its second line, before all else.
  CHECK_THROWS_WITH_AS(static_cast<void>(read_json_text(text, "bad.json")), doctest::Contains("bad.json:3"),
                       ConfigError);

  std::string once = text;
  once.replace(once.find(", \"curvature\": 2"), 16, "");
  const std::string faults = faults_of(read_json_text(once, "bad.json"));
  CHECK(says(faults, {"bad.json:2", "cluster.workers", "cluster.link.bandwidth", "bad.json:4", "workloads",
                      "did you mean \"workload\"?", "locl_sgd", "local_sgd", "stop", "seeds[1]"}));
}

TEST_CASE("a run without a compute-time model is refused by the name of its key") {
  Node root = sample();
  root.find("workload")->members.clear();
  CHECK(says(faults_of(root), {"sample.json:5", "workload.step_time", "how long a step takes"}));
  // A device alone is not enough: its efficiency has to be stated.
  apply_override(root, "cluster.devices=[\"A100-SXM-80GB\"]");
  CHECK(says(faults_of(root), {"cluster.compute"}));
}

TEST_CASE("a batch that the stated step time is not for is refused") {
  CHECK(says(faults_of("task.batch_size=32"), {"task.batch_size", "batches of 1", "fixed_time"}));
  Node affine = sample("task.batch_size=32");
  apply_override(affine, "workload.fixed_time=\"0.5 s\"");
  CHECK(faults_of(affine).empty());
  CHECK(says(faults_of("task.global_batch=2"), {"task.global_batch", "4 workers"}));
  CHECK(faults_of("task.global_batch=4").empty());
  CHECK(says(faults_of("task.global_batch=8"), {"task.global_batch"}));
}

TEST_CASE("variation that concerns a worker beyond the cluster is refused") {
  const char* source =
      R"(cluster.variation=[{"kind": "bernoulli", "probability": 0.5, "slowdown": 2, "workers": [3, 4]}])";
  CHECK(says(faults_of(source), {"cluster.variation[0].workers", "worker 4 of 4", "0 to 3"}));
  CHECK(says(faults_of(R"(cluster.variation=[{"kind": "bernoulli", "probability": 1.5, "slowdown": 2}])"),
             {"cluster.variation[0].probability"}));
}

TEST_CASE("names of algorithms, streams, metrics and devices get the nearest one as a hint") {
  CHECK(says(faults_of(R"(algorithms[0].messages={"avrage": {"compressor": "bf16"}})"),
             {"algorithms[0].messages.avrage", "no message stream", "average"}));
  Node target = sample(R"(target={"metric": "validation_los", "at_most": 0.1})");
  CHECK(says(faults_of(target), {"target.metric", "did you mean \"validation_loss\"?", "evaluate"}));
  CHECK(says(faults_of("cluster.devices=[\"A100-SXM-80G\"]"), {"cluster.devices[0]", "A100-SXM-80GB"}));
}

TEST_CASE("a lossy encoding of a state is refused, one of a delta is not") {
  // The streams of the algorithm say which of them is a state.
  const auto algorithm = registry().algorithms.at("async_local_sgd")();
  for (const Stream& stream : algorithm->streams()) {
    const std::string block = std::string(R"(algorithms=[{"kind": "async_local_sgd", "messages": {")") +
                              std::string(stream.name) +
                              R"(": {"compressor": {"kind": "top_k", "density": 0.1}}}}])";
    const bool refused = !faults_of(block).empty();
    CHECK(refused == (stream.payload == Payload::state && !stream.lossy_state_allowed));
  }
}

TEST_CASE("labels are unique, and two of a kind need them") {
  CHECK(says(faults_of(R"(algorithms=["data_parallel", "data_parallel"])"), {"algorithms[1]", "label"}));
  CHECK(faults_of(R"(algorithms=["data_parallel", {"kind": "data_parallel", "label": "again"}])").empty());
  CHECK(says(faults_of(R"(algorithms=[{"kind": "data_parallel", "label": "ideal"}])"), {"ideal"}));
}

TEST_CASE("seeds are there, whole, distinct and not negative; 0 is a seed") {
  CHECK(says(faults_of("seeds=[]"), {"seeds"}));
  CHECK(says(faults_of("seeds=[-1]"), {"seeds[0]"}));
  CHECK(says(faults_of("seeds=[1.5]"), {"seeds[0]"}));
  CHECK(faults_of("seeds=[0]").empty());
  CHECK(says(faults_of("algorithms=[]"), {"algorithms"}));
}

TEST_CASE("servers need the time of an update, and only they") {
  Node root = sample();
  root.find("cluster")->find("servers")->members.clear();
  CHECK(faults_of(root).empty());
  apply_override(root, R"(algorithms=["halos"])");
  CHECK(says(faults_of(root), {"cluster.servers.update_time", "\"0 s\" has to be written"}));
}

TEST_CASE("a stop rule, and an optimizer where there are gradients, have to be written") {
  CHECK(says(faults_of("stop={}"), {"stop", "no rule"}));
  Node root = sample();
  root.find("training")->members.clear();
  CHECK(says(faults_of(root), {"training.optimizer"}));
  apply_override(root, R"(task={"kind": "clock_only"})");
  CHECK(faults_of(root).empty());
}

TEST_CASE("a target needs evaluations on a grid of virtual times, and a metric that exists") {
  Node root = sample(R"(target={"metric": "validation_loss", "at_most": [0.1, 0.05]})");
  CHECK(says(faults_of(root), {"target", "evaluate"}));
  apply_override(root, R"(evaluate={"every_steps": 4})");
  CHECK(says(faults_of(root), {"evaluate.every_steps"}));
  apply_override(root, R"(evaluate={"every": "1 s"})");
  CHECK(faults_of(root).empty());
  apply_override(root, R"(task={"kind": "clock_only"})");
  CHECK(says(faults_of(root), {"target.metric", "clock_only"}));
}

TEST_CASE("a cluster may stand in a file of its own, named relative to the file that names it") {
  const auto folder = std::filesystem::temp_directory_path() / "convoy_config_test";
  std::filesystem::create_directories(folder / "clusters");
  std::ofstream(folder / "clusters" / "four.json") << R"({"workers": 4, "link": {"bandwidth": "1 GB/s"}})";
  std::ofstream(folder / "bad_cluster.json") << "{\"workers\": 4,\n \"link\": {\"bandwidth\": \"1 GB\"}}";
  const std::string rest =
      R"(, "task": {"kind": "clock_only"}, "workload": {"step_time": "1 s", "reference_batch": 1},
      "algorithms": ["data_parallel"], "stop": {"time": "1 s"}, "seeds": [0]})";
  std::ofstream(folder / "good.json") << R"({"cluster": "clusters/four.json")" + rest;
  std::ofstream(folder / "bad.json") << R"({"cluster": "bad_cluster.json")" + rest;
  std::ofstream(folder / "missing.json") << R"({"cluster": "nowhere.json")" + rest;
  const auto config = read_experiment(read_experiment_file(folder / "good.json"), registry());
  CHECK(config->cluster.worker_count() == 4);
  CHECK(config->name == "good");
  CHECK(says(faults_of(read_experiment_file(folder / "bad.json")),
             {"bad_cluster.json:2", "cluster.link.bandwidth"}));
  CHECK_THROWS_WITH_AS(static_cast<void>(read_experiment_file(folder / "missing.json")),
                       doctest::Contains("nowhere.json"), ConfigError);
  // Overrides reach into it.
  const std::vector<std::string> set = {"/cluster/workers=6"};
  CHECK(
      read_experiment(read_experiment_file(folder / "good.json", set), registry())->cluster.worker_count() ==
      6);
  std::filesystem::remove_all(folder);
}

TEST_CASE("an algorithm's own block overrides the training block, part by part") {
  Node root = sample(
      R"(algorithms=[{"kind": "data_parallel", "optimizer": {"kind": "momentum", "learning_rate": 0.2}},
                                    {"kind": "local_sgd", "clip": null}])");
  const auto config = read_experiment(root, registry());
  const EffectiveTraining own = effective_training(config->training, *config->algorithms[0]);
  CHECK(own.optimizer->kind() == "momentum");
  CHECK(own.clip == 5.0);
  const EffectiveTraining common = effective_training(config->training, *config->algorithms[1]);
  CHECK(common.optimizer->kind() == "sgd");
  CHECK_FALSE(common.clip);
}

TEST_CASE("batches by speed are shares of the global batch") {
  Node root = sample("cluster.speeds=[1, 2, 1, 4]");
  apply_override(root, "task.global_batch=16");
  apply_override(root, "task.batch_split=by_speed");
  apply_override(root, "workload.fixed_time=0 s");
  const auto config = read_experiment(root, registry());
  CHECK(config->batch_sizes() == std::vector<std::size_t>{2, 4, 2, 8});
}

TEST_CASE("the resolved experiment reads back to itself") {
  Node root = sample(
      R"(algorithms=["halos", {"kind": "gradient_tracking", "graph": "ring", "clip": null}, "acco", "diloco",
                                    "async_local_sgd", {"kind": "decentralized_sgd", "graph": {"kind": "torus", "rows": 2}},
                                    "delayed_parameter_update"])");
  const auto config = read_experiment(root, registry());
  const Node resolved = resolved_config(*config);
  const std::string faults = faults_of(resolved);
  CHECK_MESSAGE(faults.empty(), faults);
  CHECK(resolved_config(*read_experiment(resolved, registry())) == resolved);
}

TEST_CASE("a cluster describes devices of its own, here or in a file in the form of configs/hardware") {
  Node root =
      sample(R"(cluster.hardware={"devices": [{"name": "H100-SXM", "like": "H100-SXM", "price": "2 USD/h"},
                                                      {"name": "mine", "like": "T4", "memory": "32 GB"}]})");
  apply_override(root, "cluster.devices=[\"mine\"]");
  CHECK(faults_of(root).empty());
  apply_override(root, "cluster.devices=[\"mime\"]");
  CHECK(says(faults_of(root), {"cluster.devices[0]", "did you mean \"mine\""}));

  const std::string folder = std::string(CONVOY_SOURCE_DIR) + "/configs/hardware/";
  const Node nvidia = read_json_file(folder + "nvidia.json");
  root.find("cluster")->set("hardware", nvidia);
  apply_override(root, "cluster.devices=[\"H100-PCIE\"]");
  CHECK(faults_of(root).empty());
  // What the file says is what is embedded.
  const auto config = read_experiment(root, registry());
  const std::vector<DeviceSpec> own = config->cluster.hardware.specs();
  CHECK(own.size() == nvidia.find("devices")->items.size());
  for (const DeviceSpec& device : own) {
    CAPTURE(device.name);
    const DeviceSpec& embedded = find_device(device.name);
    CHECK(device.memory.value == embedded.memory.value);
    CHECK(device.memory.source == embedded.memory.source);
    CHECK(device.peer_to_peer == embedded.peer_to_peer);
    CHECK(device.interconnect == embedded.interconnect);
    for (std::size_t i = 0; i < number_formats; ++i) {
      const auto format = static_cast<NumberFormat>(i);
      CHECK(device.peak_flops(format) == embedded.peak_flops(format));
    }
  }
}

TEST_CASE("a link takes its figures from the kind that it is like") {
  // InfiniBand NDR: 50 GB/s, of which 94.5 % are used; 1.5 us.
  Node root = sample(R"(cluster.link={"like": "InfiniBand-NDR"})");
  const auto config = read_experiment(root, registry());
  CHECK(config->cluster.link->bandwidth == 47.25e9);
  CHECK(config->cluster.link->latency == Duration::nanoseconds(1500));
  const Node resolved = resolved_config(*config);
  CHECK(resolved_config(*read_experiment(resolved, registry())) == resolved);
  apply_override(root, R"(cluster.link={"latency": "2 us", "like": "InfiniBand-NDR"})");
  CHECK(read_experiment(root, registry())->cluster.link->latency == Duration::nanoseconds(2000));
  apply_override(root, R"(cluster.link={"like": "InfiniBand-NRD"})");
  CHECK(says(faults_of(root), {"cluster.link.like", "did you mean \"InfiniBand-NDR\""}));
  apply_override(root, R"(cluster.link={"latency": "2 us"})");
  CHECK(says(faults_of(root), {"cluster.link.bandwidth", "is missing"}));
}

TEST_CASE("a fabric of devices that nothing describes is refused with the nearest") {
  Node root = sample();
  Node cluster = Node::object();
  cluster.set("fabric", read_json_text(R"({"kind": "single_switch", "hosts": 3, "bandwidth": "1 GB/s",
                                       "devices": "V100-SMX-16GB"})",
                                       "fabric"));
  root.set("cluster", cluster);
  CHECK(says(faults_of(root), {"cluster.fabric.devices", "V100-SXM-16GB"}));
}
