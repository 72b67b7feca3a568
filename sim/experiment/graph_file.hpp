// Communication graphs that stand in files of their own.
//
//   "graph": {"kind": "edges", "edges": "graph.csv"}      "graph": {"kind": "matrix", "rows": "weights.json"}
#pragma once

#include "core/options.hpp"

namespace convoy {

/// Puts the numbers of the file that "edges" or "rows" of a graph names in its place; a name is relative to
/// the file that names it. ".json": a list of lists of numbers. Else text: a line an edge or row, numbers
/// apart by commas, semicolons or blanks; empty lines, lines from "#" on and a first line of words (a header)
/// are passed over. Faults of the file go to `faults`, those of its content with its line.
void load_graph_file(Node& graph, const std::string& path, FaultSink& faults);

}  // namespace convoy
