// Axes that multiply the runs of an experiment: the plain product of the values of "sweep".
//
//   "sweep": {"/cluster/network/contention": [true, false], "/algorithms/halos/local_steps": [4, 8, 16]}
//
// An axis below /algorithms/NAME multiplies that algorithm alone (* every one); any other axis multiplies
// all.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/node.hpp"
#include "core/options.hpp"
#include "experiment/experiment_config.hpp"
#include "experiment/node_path.hpp"

namespace convoy {

/// The experiment with one value of each axis in place.
struct SweepPoint {
  Node root;
  Node axes;  ///< path -> value; empty without axes
};

class Sweep {
 public:
  /// `root` is the experiment's node, `config` what was read from it. Throws ConfigError for paths and lists
  /// that are not right.
  Sweep(const Node& root, const ExperimentConfig& config);

  /// The points of the algorithm number `block`, the first axis outermost.
  [[nodiscard]] std::vector<SweepPoint> points_of(std::size_t block) const;

 private:
  struct Axis {
    NodePath path;
    std::vector<std::size_t> blocks;  ///< the algorithms it multiplies; empty: all
    std::vector<Node> values;
    [[nodiscard]] NodePath path_in(std::size_t block) const;
    [[nodiscard]] bool multiplies(std::size_t block) const;
  };
  void add(const Node::Member& member, FaultSink& faults);

  const Node& root_;
  std::vector<Axis> axes_;
};

/// "halos local_steps=8": the label with the last step and value of each axis.
[[nodiscard]] std::string row_name(const std::string& label, const Node& axes);

}  // namespace convoy
