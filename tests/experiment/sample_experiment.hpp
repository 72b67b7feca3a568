// A small experiment to make variations of.
#pragma once

#include <string>

#include "algorithms/all.hpp"
#include "core/error.hpp"
#include "experiment/experiment_config.hpp"
#include "experiment/json_reader.hpp"
#include "experiment/node_path.hpp"
#include "topologies/all.hpp"

namespace convoy::test {

inline const Registry& registry() {
  static const Registry all = [] {
    Registry result;
    result.graphs = graph_makers();
    result.fabrics = fabric_makers();
    register_algorithms(result);
    return result;
  }();
  return all;
}

/// Four workers on quadratics; ends after 40 local steps.
inline Node sample(const std::string& set = {}) {
  Node root = read_json_text(R"({
  "name": "sample",
  "cluster": {"workers": 4, "link": {"bandwidth": "1 GB/s", "latency": "0 s"}, "servers": {"update_time": "0 s"}},
  "task": {"kind": "quadratic", "curvature": [1, 0.8, 1.2, 0.9], "linear": [0.1, -0.2, 0.3, 0], "initial": 1, "noise": 0.1},
  "workload": {"step_time": "1 s", "reference_batch": 1},
  "algorithms": [{"kind": "local_sgd", "local_steps": 4}, "data_parallel"],
  "training": {"optimizer": {"kind": "sgd", "learning_rate": 0.1}, "clip": 5},
  "stop": {"local_steps": 40},
  "seeds": [0, 3]
})",
                             "sample.json");
  if (!set.empty()) apply_override(root, set);
  return root;
}

/// All faults of the sample after one change, one a line; empty without any.
inline std::string faults_of(const Node& root) {
  try {
    static_cast<void>(read_experiment(root, registry()));
    return {};
  } catch (const ConfigError& error) {
    return error.what();
  }
}
inline std::string faults_of(const std::string& set) {
  return faults_of(sample(set));
}

}  // namespace convoy::test
