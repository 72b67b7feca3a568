// Files of edges over damaged and random input: rows of numbers or faults with a line, never a crash.
#include "experiment/graph_file.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/error.hpp"
#include "core/random.hpp"

using namespace convoy;

TEST_CASE("a damaged file of edges gives lists of numbers or faults with their line") {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("convoy_edges_" + std::to_string(::getpid()) + ".csv");
  const std::string good = "from,to\n0,1\n1,2.5e-3\n# rest\n2;3\n\n3 0\n",
                    bytes = "0123456789,;. \t\r\n#-+eEx\xEF\xBB\xBF\"[]";
  for (std::uint64_t i = 0; i < 2000; ++i) {
    RandomStream random(1, "graph file", i);
    std::string text = i % 2 == 0 ? good : std::string();
    for (std::uint64_t k = random.below(20) + 1; k > 0; --k) {
      const char byte =
          random.below(8) == 0 ? static_cast<char>(random.below(256)) : bytes[random.below(bytes.size())];
      text.insert(text.begin() + static_cast<std::ptrdiff_t>(random.below(text.size() + 1)), byte);
    }
    std::ofstream(file, std::ios::binary) << text;
    Node graph = Node::object();
    graph.set("edges", Node::of(file.string()));
    FaultSink faults;
    load_graph_file(graph, "graph", faults);
    const Node* edges = graph.find("edges");
    REQUIRE(edges != nullptr);
    REQUIRE(edges->is_list());
    for (const Node& row : edges->items) {
      REQUIRE(row.is_list());
      CHECK_FALSE(row.items.empty());
      for (const Node& number : row.items) CHECK(number.is_number());
    }
    for (const ConfigFault& fault : faults.faults()) {
      CHECK(fault.path == "graph.edges");
      CHECK(fault.line > 0);
    }
  }
  std::filesystem::remove(file);
}
