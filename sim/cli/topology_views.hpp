// What `sim topology` prints and draws.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "training/algorithm.hpp"
#include "training/cluster_options.hpp"
#include "training/mixing_sequence.hpp"

namespace convoy::cli {

/// Nodes, links, sites, diameter and bisection.
[[nodiscard]] std::string cluster_text(const ClusterOptions& cluster);

/// Who a requirement belongs to.
struct Judge {
  std::string name;
  const MixingRequirement* requirement = nullptr;
};
/// Who asks something of mixing matrices: the registry's algorithms, and families that have requirements.
[[nodiscard]] std::vector<Judge> judges(const Registry& registry);

/// Edges, properties, spectrum, step limits, and which requirements the weights meet, with a remedy.
[[nodiscard]] std::string graph_text(const GraphBuilder& builder, int nodes,
                                     const std::vector<Judge>& judges);

/// Graphviz text; for a changing graph its first rounds, each in a colour of its own.
[[nodiscard]] std::string graph_dot(const GraphBuilder& builder, int nodes);

/// Lays out Graphviz text as SVG with the program `dot` and writes the file. Throws ConfigError where there
/// is no such program, or it fails.
void write_svg(const std::string& dot, const std::string& file);

}  // namespace convoy::cli
