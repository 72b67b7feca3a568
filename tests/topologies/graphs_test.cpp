#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/options.hpp"
#include "topologies/all.hpp"

using namespace convoy;

namespace {

Node number(double value) {
  return Node::of(value);
}
Node integer(std::int64_t value) {
  return Node::of(value);
}
Node text(const char* value) {
  return Node::of(std::string(value));
}
Node list(std::vector<Node> items) {
  return Node::list(std::move(items));
}

/// A builder of that kind with options set; fails the test if they are refused.
std::unique_ptr<GraphBuilder> builder(const std::string& kind,
                                      std::initializer_list<std::pair<const char*, Node>> set = {}) {
  std::unique_ptr<GraphBuilder> graph = graph_makers().at(kind)();
  Node node = Node::object();
  for (const auto& [key, value] : set) node.set(key, value);
  Options options;
  graph->declare(options);
  FaultSink faults;
  read_options(node, "graph", options, faults);
  faults.throw_if_any();
  return graph;
}

std::vector<int> in(const MixingMatrix& w, int i) {
  return {w.in_neighbours(i).begin(), w.in_neighbours(i).end()};
}

bool has_all(const MixingMatrix& w, std::initializer_list<MixingProperty> properties) {
  return std::all_of(properties.begin(), properties.end(), [&](MixingProperty p) { return w.has(p); });
}

std::string fault_of(auto&& action) {
  try {
    action();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no fault";
}

const char* const undirected[] = {"complete", "grid", "path", "ring", "star", "torus"};

}  // namespace

TEST_CASE("every kind is listed under the name that it says it has") {
  const VariantMakers<GraphBuilder> makers = graph_makers();
  CHECK(makers.size() == 24);
  for (const auto& [kind, make] : makers) CHECK(make()->kind() == kind);
}

TEST_CASE("neighbours are those of the graph's definition") {
  CHECK(in(builder("ring")->build(5), 0) == std::vector<int>{1, 4});
  CHECK(in(builder("path")->build(5), 0) == std::vector<int>{1});
  CHECK(in(builder("path")->build(5), 2) == std::vector<int>{1, 3});
  CHECK(in(builder("star")->build(4), 0) == std::vector<int>{1, 2, 3});
  CHECK(in(builder("star")->build(4), 2) == std::vector<int>{0});
  CHECK(in(builder("complete")->build(4), 2) == std::vector<int>{0, 1, 3});
  CHECK(in(builder("hypercube")->build(8), 5) == std::vector<int>{1, 4, 7});
  // 3 x 4: node 5 is at (1, 1); node 0 wraps to (2, 0) = 8 and (0, 3) = 3.
  CHECK(in(builder("torus", {{"rows", integer(3)}})->build(12), 5) == std::vector<int>{1, 4, 6, 9});
  CHECK(in(builder("torus", {{"rows", integer(3)}})->build(12), 0) == std::vector<int>{1, 3, 4, 8});
  CHECK(in(builder("grid", {{"rows", integer(3)}})->build(12), 0) == std::vector<int>{1, 4});
  // Node i listens to i - 2^k: node 0 of 6 to 5, 4 and 2; who listens to node 0: 1, 2 and 4.
  const MixingMatrix exponential = builder("static_exponential")->build(6);
  CHECK(in(exponential, 0) == std::vector<int>{2, 4, 5});
  CHECK(std::vector<int>(exponential.out_neighbours(0).begin(), exponential.out_neighbours(0).end()) ==
        std::vector<int>{1, 2, 4});
}

TEST_CASE("metropolis weights of a regular graph are 1/(d+1) everywhere") {
  for (const auto& [kind, nodes, degree] :
       {std::tuple{"ring", 9, 2}, {"torus", 16, 4}, {"hypercube", 16, 4}, {"complete", 7, 6}}) {
    const MixingMatrix w = builder(kind)->build(nodes);
    for (int i = 0; i < nodes; ++i) {
      for (const MixingMatrix::Entry& entry : w.row(i))
        CHECK(entry.weight == doctest::Approx(1.0 / (degree + 1)).epsilon(1e-15));
    }
  }
}

TEST_CASE(
    "metropolis and max_degree weights are symmetric and doubly stochastic on every undirected graph of any "
    "size") {
  using P = MixingProperty;
  for (const char* kind : undirected) {
    for (const char* weights : {"metropolis", "max_degree"}) {
      for (int nodes = 1; nodes <= 40; ++nodes) {
        CAPTURE(kind);
        CAPTURE(nodes);
        const MixingMatrix w = builder(kind, {{"weights", text(weights)}})->build(nodes);
        CHECK(has_all(w, {P::nonnegative, P::row_stochastic, P::column_stochastic, P::connected, P::aperiodic,
                          P::symmetric}));
        CHECK(w.graph() == kind);
      }
    }
  }
}

TEST_CASE(
    "uniform weights are doubly stochastic on regular graphs only, and push_sum weights column stochastic") {
  using P = MixingProperty;
  CHECK(builder("ring", {{"weights", text("uniform")}})->build(6).has(P::column_stochastic));
  const MixingMatrix star = builder("star", {{"weights", text("uniform")}})->build(6);
  CHECK(star.has(P::row_stochastic));
  CHECK_FALSE(star.has(P::column_stochastic));
  const MixingMatrix push = builder("star", {{"weights", text("push_sum")}})->build(6);
  CHECK(push.has(P::column_stochastic));
  CHECK_FALSE(push.has(P::row_stochastic));
  for (int nodes = 1; nodes < 20; ++nodes) {
    CHECK(has_all(builder("static_exponential")->build(nodes),
                  {P::row_stochastic, P::column_stochastic, P::connected, P::aperiodic}));
  }
}

TEST_CASE("star weights by Metropolis are 1/n to the hub and the rest to oneself") {
  // d_hub = n - 1, d_leaf = 1: w = 1/n; leaf 1 - 1/n, hub 1/n.
  const MixingMatrix w = builder("star")->build(5);
  CHECK(w.weight(0, 3) == 0.2);
  CHECK(w.weight(3, 0) == 0.2);
  CHECK(w.weight(3, 3) == 0.8);
  CHECK(w.weight(0, 0) == doctest::Approx(0.2));
}

TEST_CASE("a lazy matrix keeps a part of oneself") {
  // (1 - 1/4) I + 1/4 W.
  const MixingMatrix w = builder("ring", {{"lazy", number(0.25)}})->build(6);
  CHECK(w.weight(0, 1) == doctest::Approx(1.0 / 12).epsilon(1e-15));
  CHECK(w.weight(0, 0) == doctest::Approx(0.75 + 1.0 / 12).epsilon(1e-15));
  CHECK(fault_of([] { (void)builder("ring", {{"lazy", number(0)}}); }).find("lazy") != std::string::npos);
}

TEST_CASE("small sizes have no double edges") {
  // One node mixes with itself; two nodes of a ring, torus or exponential graph share one edge: all weights
  // 1/2.
  for (const auto& entry : static_graph_makers()) {
    // These have options without a default.
    if (entry.first == "matrix" || entry.first == "edges" || entry.first == "random_regular") continue;
    CAPTURE(entry.first);
    const MixingMatrix one = entry.second()->build(1);
    CHECK(one.weight(0, 0) == 1);
    CHECK(one.edges() == 0);
    const MixingMatrix two = entry.second()->build(2);
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) CHECK(two.weight(i, j) == 0.5);
    }
  }
  // A 2 x 3 torus: one edge across, two around: degree 3.
  CHECK(in(builder("torus", {{"rows", integer(2)}})->build(6), 0) == std::vector<int>{1, 2, 3});
}

TEST_CASE("rectangles are as square as they can be, or as written") {
  CHECK(in(builder("grid")->build(12), 0) == std::vector<int>{1, 4});                             // 3 x 4
  CHECK(in(builder("grid", {{"columns", integer(2)}})->build(12), 0) == std::vector<int>{1, 2});  // 6 x 2
  CHECK(in(builder("grid")->build(7), 0) == std::vector<int>{1});                                 // 1 x 7
  CHECK(fault_of([] {
          (void)builder("torus", {{"rows", integer(5)}})->build(12);
        }).find("graph.rows") != std::string::npos);
  CHECK(fault_of([] {
          (void)builder("torus", {{"columns", integer(5)}})->build(12);
        }).find("graph.columns") != std::string::npos);
  CHECK(fault_of([] {
          (void)builder("torus", {{"rows", integer(13)}})->build(12);
        }).find("graph.rows") != std::string::npos);
}

TEST_CASE("graphs that do not exist are refused") {
  CHECK(fault_of([] { (void)builder("hypercube")->build(6); }).find("power of two") != std::string::npos);
  CHECK(fault_of([] { (void)builder("ring")->build(0); }).find("at least one") != std::string::npos);
  CHECK(fault_of([] {
          (void)builder("static_exponential", {{"weights", text("metropolis")}})->build(5);
        }).find("undirected") != std::string::npos);
}

TEST_CASE("a graph may be given by its edges") {
  const Node triangle =
      list({list({integer(0), integer(1)}), list({integer(1), integer(2)}), list({integer(2), integer(0)})});
  CHECK(in(builder("edges", {{"edges", triangle}})->build(3), 0) == std::vector<int>{1, 2});
  const MixingMatrix directed =
      builder("edges", {{"edges", triangle}, {"directed", Node::of(true)}, {"weights", text("uniform")}})
          ->build(3);
  CHECK(in(directed, 0) == std::vector<int>{2});
  CHECK(in(directed, 1) == std::vector<int>{0});
  CHECK(fault_of([&] {
          (void)builder("edges", {{"edges", triangle}})->build(2);
        }).find("edges[1]") != std::string::npos);
  CHECK(fault_of([] {
          (void)builder("edges", {{"edges", list({list({integer(0)})})}})->build(2);
        }).find("pair") != std::string::npos);
}

TEST_CASE("explicit weights are taken as they are, rows as receivers unless transposed") {
  // A directed cycle in which 0 takes a quarter of what 2 has. Its columns do not sum to 1, its rows do.
  const Node rows =
      list({list({number(0.75), number(0), number(0.25)}), list({number(0.5), number(0.5), number(0)}),
            list({number(0), number(0.5), number(0.5)})});
  const MixingMatrix w = builder("matrix", {{"rows", rows}})->build(3);
  CHECK(w.weight(0, 2) == 0.25);
  CHECK(w.has(MixingProperty::row_stochastic));
  const MixingMatrix t = builder("matrix", {{"rows", rows}, {"transposed", Node::of(true)}})->build(3);
  CHECK(t.weight(2, 0) == 0.25);
  CHECK(t.has(MixingProperty::column_stochastic));
  CHECK(fault_of([&] {
          (void)builder("matrix", {{"rows", rows}})->build(4);
        }).find("3 rows for 4 nodes") != std::string::npos);
  const Node ragged = list({list({number(1), number(0)}), list({number(1)})});
  CHECK(fault_of([&] {
          (void)builder("matrix", {{"rows", ragged}})->build(2);
        }).find("rows[1]") != std::string::npos);
  const Node unbalanced = list({list({number(0.6), number(0.5)}), list({number(0.5), number(0.5)})});
  CHECK(fault_of([&] {
          (void)builder("matrix", {{"rows", unbalanced}})->build(2);
        }).find("sum to 1") != std::string::npos);
}
