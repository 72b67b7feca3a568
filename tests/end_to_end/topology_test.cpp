// `sim topology`, and clusters that a fabric builds, through the command.
#include <doctest/doctest.h>

#include "sample.hpp"
#include "sim_process.hpp"

using namespace convoy::test;
namespace fs = std::filesystem;

namespace {

const std::string one_switch_cluster =
    R"("cluster": {"workers": 4, "link": {"bandwidth": "1 GB/s", "latency": "0 s"}, "servers": {"update_time": "0 s"}})";

/// The sample with a fabric for its cluster.
std::string on_fabric(const std::string& fabric,
                      const std::string& more = R"(, "servers": {"update_time": "0 s"})") {
  return with(quadratic_experiment, one_switch_cluster, "\"cluster\": {\"fabric\": " + fabric + more + "}");
}

const std::string fat_tree =
    R"({"kind": "leaf_spine", "leaves": 2, "spines": 2, "hosts_per_leaf": 2, "bandwidth": "1 GB/s"})";

void refused(const std::string& text, std::initializer_list<const char*> parts) {
  const Scratch scratch;
  const Finished check = sim({"check", scratch.write("bad.json", text)});
  CHECK(check.code == 2);
  for (const char* part : parts)
    CHECK_MESSAGE(check.says(part),
                  "\"" << std::string(part) << "\" is not in: " << check.err.substr(0, 2000));
}

}  // namespace

TEST_CASE("an experiment runs on a fabric, and check, plan and topology take it") {
  const Scratch scratch;
  const std::string file = scratch.write("fabric.json", on_fabric(fat_tree));
  CHECK(sim({"check", file}).code == 0);
  CHECK(sim({"plan", file}).code == 0);
  const Finished run = sim({"run", file, "--out", scratch.at("out")});
  REQUIRE_MESSAGE(run.code == 0, run.err);
  CHECK(run.out.find("4 workers") != std::string::npos);
  const Finished topology = sim({"topology", file});
  CHECK(topology.code == 0);
  // 4 hosts, 2 leaves, 2 spines; 4 + 4 links; 4 hops; each half of the leaves has two hosts of 8 Gbit/s.
  for (const char* part :
       {"8 nodes (4 workers, 4 switches and hubs), 8 links", "4 hops", "16 Gbit/s, each direction"})
    CHECK_MESSAGE(topology.out.find(part) != std::string::npos, topology.out);
}

TEST_CASE("a fabric's numbers are refused with their place, before anything runs") {
  refused(on_fabric(R"({"kind": "fat_tree", "k": 5, "bandwidth": "1 GB/s"})"),
          {"cluster.fabric.k", "5 is odd", "bad.json:3"});
  refused(on_fabric(R"({"kind": "fat_tree", "bandwidth": "1 GB/s"})"), {"cluster.fabric.k", "is required"});
  refused(
      on_fabric(
          R"({"kind": "dragonfly", "routers": 2, "hosts_per_router": 1, "global_links": 1, "groups": 9, "bandwidth": "1 GB/s"})"),
      {"cluster.fabric.groups", "at most routers x global_links + 1 = 3"});
  refused(on_fabric(R"({"kind": "fat_tee", "k": 4, "bandwidth": "1 GB/s"})"), {"fat_tree"});
  refused(on_fabric(fat_tree, R"(, "servers": {"update_time": "0 s", "global_region": "locale"})"),
          {"cluster.servers.global_region", "did you mean \"local\"?"});
}

TEST_CASE("forms of a cluster do not mix") {
  refused(on_fabric(fat_tree,
                    R"(, "workers": 4, "link": {"bandwidth": "1 GB/s"}, "servers": {"update_time": "0 s"})"),
          {"mixes \"fabric\" with another form of a cluster", "\"regions\" with \"wan\""});
}

TEST_CASE("a graph that does not fit the workers or the algorithm is refused before the run") {
  const auto on_graph = [](const std::string& graph) {
    return with(quadratic_experiment, R"({"kind": "local_sgd", "local_steps": 4})",
                R"({"kind": "decentralized_sgd", "graph": )" + graph + "}");
  };
  refused(on_graph(R"({"kind": "random_regular", "degree": 5})"),
          {"algorithms[0].graph.degree", "4 nodes cannot have 5"});
  refused(on_graph(R"({"kind": "edges", "edges": [[0, 1], [2, 3]]})"),
          {"algorithms[0].graph", "node 2 never hears of node 0", "bad.json:6"});
  refused(on_graph(R"({"kind": "random_peers", "form": "local"})"),
          {"algorithms[0].graph", "column stochastic"});
  refused(on_graph(R"({"kind": "edges", "edges": "nowhere.csv"})"),
          {"algorithms[0].graph.edges", "nowhere.csv"});
}

TEST_CASE("a graph is read from a file of edges: CSV, an edge list, JSON") {
  const Scratch scratch;
  scratch.write("ring.csv", "from,to\n0,1\n1,2\n\n2,3\r\n3,0");
  scratch.write("ring.edges", "# a ring\n0 1\n1 2  # comment\n2\t3\n3 0\n");
  scratch.write("ring.json", "[[0, 1], [1, 2], [2, 3], [3, 0]]");
  scratch.write("weights.csv", "0.5;0.25;0;0.25\n0.25;0.5;0.25;0\n0;0.25;0.5;0.25\n0.25;0;0.25;0.5\n");
  scratch.write("bad.csv", "0,1\n1,two\n");
  const auto shown = [&](const std::string& graph) {
    return sim({"topology", scratch.write("graph.json", graph), "--nodes", "4"});
  };
  const std::string ring = shown(R"({"kind": "ring"})").out;
  for (const char* file : {"ring.csv", "ring.edges", "ring.json"}) {
    const Finished done = shown(std::string(R"({"kind": "edges", "edges": ")") + file + "\"}");
    REQUIRE_MESSAGE(done.code == 0, done.err);
    CHECK(done.out.substr(done.out.find("8 directed")) == ring.substr(ring.find("8 directed")));
  }
  const Finished weights = shown(R"({"kind": "matrix", "rows": "weights.csv"})");
  REQUIRE_MESSAGE(weights.code == 0, weights.err);
  CHECK(weights.out.find("beta = |W - J|       0.5") != std::string::npos);  // 1, 1/2, 1/2, 0
  const Finished bad = shown(R"({"kind": "edges", "edges": "bad.csv"})");
  CHECK(bad.code == 2);
  CHECK(bad.says("bad.csv:2"));
}

TEST_CASE("topology says which algorithms a graph's weights fit, and proposes a lazy matrix") {
  const Scratch scratch;
  const std::string torus = scratch.write("torus.json", R"({"kind": "torus"})");
  const Finished all = sim({"topology", torus, "--nodes", "16"});
  CHECK(all.out.find("lambda_min           -0.6") != std::string::npos);
  CHECK(all.out.find("\"lazy\": 0.5 lifts it to 0.2") != std::string::npos);
  const Finished one = sim({"topology", torus, "--nodes", "16", "--for", "decentralized_sgd"});
  CHECK(one.out.find("decentralized_sgd            fits") != std::string::npos);
  CHECK(one.out.find("gradient_tracking            fits") == std::string::npos);
  const Finished unknown = sim({"topology", torus, "--nodes", "16", "--for", "local_sgd"});
  CHECK(unknown.code == 2);
  CHECK(unknown.says("decentralized_sgd"));
  const Finished described = sim({"describe", "decentralized_sgd"});
  CHECK(described.out.find("weights doubly stochastic") != std::string::npos);
  // Of an experiment: the graph of one of its algorithms, for as many nodes as it has workers.
  const std::string file = scratch.write(
      "experiment.json", with(quadratic_experiment, R"({"kind": "local_sgd", "local_steps": 4})",
                              R"({"kind": "decentralized_sgd", "graph": {"kind": "one_peer_exponential"}})"));
  const Finished changing = sim({"topology", file, "--for", "decentralized_sgd"});
  CHECK(changing.out.find("one_peer_exponential of 4 nodes, repeats after 2 rounds") != std::string::npos);
  CHECK(changing.out.find("every period is an exact average") != std::string::npos);
}

TEST_CASE("networks and graphs are drawn by Graphviz, and its absence is said") {
  const Scratch scratch;
  const std::string graph = scratch.write("ring.json", R"({"kind": "ring"})");
  CHECK(sim({"topology", graph, "--nodes", "4", "--dot"}).out.find("0 -> 1 [label=\"0.3333\"]") !=
        std::string::npos);
  const std::string cluster = CONVOY_SOURCE_DIR "/configs/clusters/fat_tree.json";
  CHECK(sim({"topology", cluster, "--dot"}).out.find("\"h0.g0\" [shape=box]") != std::string::npos);
  const Finished drawn = sim({"topology", cluster, "--svg", scratch.at("out.svg")});
  if (drawn.code == 0) {
    std::ifstream file(scratch.at("out.svg"));
    const std::string svg((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    CHECK(svg.find("<svg") != std::string::npos);
    CHECK(svg.find("h15.g0") != std::string::npos);
  } else {
    MESSAGE("SKIPPED: no graphviz here");
    CHECK(drawn.code == 2);
    CHECK(drawn.says("graphviz"));
  }
}

TEST_CASE("the shipped clusters can be looked at") {
  for (const auto& entry : fs::directory_iterator(CONVOY_SOURCE_DIR "/configs/clusters")) {
    const Finished done = sim({"topology", entry.path().string()});
    CHECK_MESSAGE(done.code == 0, entry.path().string() << ": " << done.err);
    CHECK(done.out.find("bisection") != std::string::npos);
  }
}
