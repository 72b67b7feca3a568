// Experiments that take milliseconds, to make variations of by replacing a text.
#pragma once

#include <map>
#include <stdexcept>
#include <string>

#include "experiment/json_reader.hpp"
#include "experiment/node_access.hpp"

namespace convoy::test {

/// Quadratics on four workers; one block a line, so that a fault's line is known.
inline const std::string quadratic_experiment = R"({
  "name": "sample",
  "cluster": {"workers": 4, "link": {"bandwidth": "1 GB/s", "latency": "0 s"}, "servers": {"update_time": "0 s"}},
  "task": {"kind": "quadratic", "curvature": [1, 0.8, 1.2, 0.9], "linear": [0.1, -0.2, 0.3, 0], "initial": 1, "noise": 0.1},
  "workload": {"step_time": "1 s", "reference_batch": 1},
  "algorithms": [{"kind": "local_sgd", "local_steps": 4}, {"kind": "data_parallel"}],
  "training": {"optimizer": {"kind": "sgd", "learning_rate": 0.1}},
  "stop": {"local_steps": 400},
  "seeds": [0, 1]
}
)";

/// Digits on four workers, raced to an accuracy.
inline const std::string digits_experiment =
    R"({
  "name": "digits",
  "cluster": {"workers": 4, "speeds": [1, 0.5, 0.9, 0.7], "link": {"bandwidth": "10 MB/s", "latency": "1 ms"}, "servers": {"update_time": "0 s"}},
  "task": {"data": "digits", "path": ")" CONVOY_SOURCE_DIR
    R"(/configs/data/digits", "model": "softmax_regression", "batch_size": 32},
  "workload": {"step_time": "10 ms", "reference_batch": 32},
  "algorithms": [{"kind": "diloco", "local_steps": 8}, "async_local_sgd", "halos"],
  "training": {"optimizer": {"kind": "sgd", "learning_rate": 0.2}},
  "target": {"metric": "validation_accuracy", "at_least": [0.7, 0.8]},
  "stop": {"time": "60 s"},
  "evaluate": {"from": "100 ms", "ratio": 1.1},
  "seeds": [0, 1]
}
)";

/// `text` with the only place where `from` stands replaced.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos || text.find(from, at + 1) != std::string::npos)
    throw std::logic_error("not once in the sample: " + from);
  return text.replace(at, from.size(), to);
}

/// "label seed" -> digest, from summary.json below `folder`.
inline std::map<std::string, std::string> digests(const std::string& folder) {
  std::map<std::string, std::string> result;
  const Node summary = read_json_file(folder + "/summary.json");
  for (const Node& row : summary.find("rows")->items) {
    if (text_or(row, "label", "") == "ideal") continue;
    result[text_or(row, "label", "") + " " + std::to_string(row.find("seed")->integer)] =
        text_or(row, "digest", "");
  }
  return result;
}

}  // namespace convoy::test
