// Trees, bipartite graphs, hubs and spokes, hierarchies, random graphs, weights: definitions and spectra.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "tests/topologies/build_part.hpp"
#include "topologies/random_graph.hpp"
#include "topologies/spectrum.hpp"
#include "topologies/step_limits.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

constexpr double exact = 1e-12;

std::vector<int> in(const MixingMatrix& w, int i) {
  return {w.in_neighbours(i).begin(), w.in_neighbours(i).end()};
}

std::vector<double> values(const GraphBuilder& builder, int nodes) {
  const MixingMatrix w = builder.build(nodes);
  REQUIRE(w.has(MixingProperty::symmetric));
  std::vector<double> result;
  for (const auto& value : builder.spectrum(w).eigenvalues) result.push_back(value.real());
  return result;  // descending
}

void check_values(const GraphBuilder& builder, int nodes, std::vector<double> expected) {
  std::sort(expected.rbegin(), expected.rend());
  const std::vector<double> got = values(builder, nodes);
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(std::abs(got[i] - expected[i]) < exact);
}

std::set<std::pair<int, int>> edges(const MixingMatrix& w) {
  std::set<std::pair<int, int>> result;
  for (int i = 0; i < w.size(); ++i) {
    for (const int j : w.in_neighbours(i)) result.emplace(j, i);
  }
  return result;
}

}  // namespace

TEST_CASE("tree: node i hangs on (i-1)/branches, one branch is the path") {
  const MixingMatrix w = graph("tree")->build(7);
  CHECK(in(w, 0) == std::vector<int>{1, 2});
  CHECK(in(w, 1) == std::vector<int>{0, 3, 4});
  CHECK(in(w, 6) == std::vector<int>{2});
  CHECK(w.edges() == 12);
  const MixingMatrix path = graph("path")->build(6), one = graph("tree", {{"branches", whole(1)}})->build(6);
  CHECK(edges(one) == edges(path));
}

TEST_CASE("bipartite: edges only across, and the complete one's spectrum") {
  // K_{m,m} with 1/(m+1): W = (I + A)/(m+1), A with eigenvalues m, -m and zeros: 1, (1-m)/(1+m), 1/(m+1).
  for (const int m : {2, 3, 5}) {
    std::vector<double> expected(static_cast<std::size_t>(2 * m - 2), 1.0 / (m + 1));
    expected.push_back(1);
    expected.push_back((1.0 - m) / (1 + m));
    check_values(*graph("bipartite"), 2 * m, expected);
  }
  const MixingMatrix w = graph("bipartite", {{"left", whole(3)}, {"degree", whole(2)}})->build(8);
  CHECK(in(w, 0) == std::vector<int>{3, 4});
  CHECK(in(w, 1) == std::vector<int>{4, 5});
  CHECK(in(w, 2) == std::vector<int>{6, 7});
  CHECK(contains(fault_of([] { (void)graph("bipartite", {{"left", whole(8)}})->build(8); }), "graph.left"));
  CHECK(contains(fault_of([] {
                   (void)graph("bipartite", {{"degree", whole(5)}})->build(8);
                 }),
                 "only 4 nodes"));
}

TEST_CASE("hub-spoke: hubs know each other, one hub is a star") {
  const MixingMatrix w = graph("hub_spoke", {{"hubs", whole(3)}, {"hubs_per_spoke", whole(2)}})->build(7);
  CHECK(in(w, 0) == std::vector<int>{1, 2, 3, 5, 6});
  CHECK(in(w, 3) == std::vector<int>{0, 1});
  CHECK(in(w, 5) == std::vector<int>{0, 2});
  CHECK(w.edges() == 2 * (3 + 4 * 2));
  CHECK(edges(graph("hub_spoke")->build(6)) == edges(graph("star")->build(6)));
  CHECK(contains(fault_of([] { (void)graph("hub_spoke", {{"hubs", whole(9)}})->build(8); }), "graph.hubs"));
}

TEST_CASE("hierarchical: W_R (x) J_m has the outer eigenvalues and zeros, in one round or in two") {
  // Ring of 4 groups: 1, 1/3, 1/3, -1/3; groups of 3: eight zeros.
  const auto joined = graph("hierarchical", {{"groups", whole(4)}});
  std::vector<double> expected(8, 0);
  for (const double value : {1.0, 1.0 / 3, 1.0 / 3, -1.0 / 3}) expected.push_back(value);
  check_values(*joined, 12, expected);
  const auto turns =
      graph("hierarchical", {{"groups", whole(4)}, {"form", word("alternating")}})->sequence(12, 0);
  CHECK(turns->period() == 2);
  // The product of the two rounds is the joined matrix, with 2 messages inside and 2 across a node for 11.
  const MixingMatrix w = joined->build(12);
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j < 12; ++j) {
      double sum = 0;
      for (int k = 0; k < 12; ++k) sum += turns->at(1)->weight(i, k) * turns->at(0)->weight(k, j);
      CHECK(std::abs(sum - w.weight(i, j)) < exact);
    }
  }
  CHECK(turns->at(0)->in_neighbours(0).size() == 2);
  CHECK(turns->at(1)->in_neighbours(0).size() == 2);
  CHECK(contains(fault_of([&] { (void)joined->build(13); }), "13 nodes do not make 4 equal groups"));
}

TEST_CASE("random regular: every node has the same degree, simple, connected, the same for the same seed") {
  for (const auto& size : {std::pair{16, 3}, {16, 4}, {17, 4}, {64, 4}, {10, 9}, {12, 8}, {2, 1}}) {
    const int nodes = size.first, degree = size.second;
    CAPTURE(nodes);
    const auto builder = graph("random_regular", {{"degree", whole(degree)}});
    const MixingMatrix w = builder->build(nodes);
    for (int i = 0; i < nodes; ++i) CHECK(w.in_neighbours(i).size() == static_cast<std::size_t>(degree));
    CHECK(w.has(MixingProperty::connected));
    CHECK(w.has(MixingProperty::symmetric));
    CHECK(edges(builder->build(nodes)) == edges(w));
    // Metropolis weights of a regular graph.
    for (const auto& entry : w.row(0)) CHECK(entry.weight == doctest::Approx(1.0 / (degree + 1)));
  }
  const auto other = graph("random_regular", {{"degree", whole(4)}, {"seed", whole(1)}});
  CHECK(edges(other->build(64)) != edges(graph("random_regular", {{"degree", whole(4)}})->build(64)));
  CHECK(contains(fault_of([] {
                   (void)graph("random_regular", {{"degree", whole(3)}})->build(7);
                 }),
                 "nodes x degree must be even, since each edge has two ends, and 7 x 3 is odd"));
  CHECK(contains(fault_of([] {
                   (void)graph("random_regular", {{"degree", whole(7)}})->build(7);
                 }),
                 "at most 6"));
  // Disjoint edges are never connected.
  CHECK(contains(fault_of([] {
                   (void)graph("random_regular", {{"degree", whole(1)}})->build(8);
                 }),
                 "100 random graphs of 8 nodes were not connected"));
}

TEST_CASE("random regular graphs of degree 4 have beta near (1 + 2 sqrt 3) / 5") {
  // 0.893 is the limit for large n; the mean of 20 graphs of 64 nodes was measured as 0.865.
  double sum = 0;
  for (int seed = 0; seed < 20; ++seed) {
    const auto builder = graph("random_regular", {{"degree", whole(4)}, {"seed", whole(seed)}});
    sum += builder->spectrum(builder->build(64)).beta;
  }
  CHECK(sum / 20 == doctest::Approx(0.865).epsilon(0.02));
}

TEST_CASE("Erdos-Renyi: the expected number of edges, connected or drawn again, or refused") {
  // n = 64, p = 2 ln 64 / 64 = 0.13: 262 edges, standard deviation 15; 40 graphs: 2.4.
  double sum = 0;
  for (int seed = 0; seed < 40; ++seed) {
    const MixingMatrix w = graph("erdos_renyi", {{"seed", whole(seed)}})->build(64);
    CHECK(w.has(MixingProperty::connected));
    sum += static_cast<double>(w.edges()) / 2;
  }
  CHECK(sum / 40 == doctest::Approx(2016 * 2 * std::log(64.0) / 64).epsilon(0.04));
  CHECK(graph("erdos_renyi", {{"edge_probability", Node::of(1.0)}})->build(9).edges() == 72);
  const std::string fault = fault_of([] {
    (void)graph("erdos_renyi", {{"edge_probability", Node::of(0.01)}})->build(20);
  });
  CHECK(contains(fault, "100 random graphs of 20 nodes were not connected; in the first, node"));
  CHECK(contains(fault, "more edges, or another \"seed\""));
  CHECK(contains(fault_of([] { (void)graph("erdos_renyi")->build(5000); }), "at most 4096 nodes"));
}

TEST_CASE("small world: a lattice whose edges move, their number does not") {
  const MixingMatrix lattice = graph("small_world", {{"rewire", Node::of(0.0)}})->build(20);
  CHECK(in(lattice, 0) == std::vector<int>{1, 2, 18, 19});
  const MixingMatrix moved = graph("small_world", {{"rewire", Node::of(0.5)}})->build(20);
  CHECK(moved.edges() == 20 * 4);
  CHECK(edges(moved) != edges(lattice));
  CHECK(moved.has(MixingProperty::connected));
  // Watts and Strogatz: a few short cuts raise the gap of the lattice.
  const auto gap = [](double rewire) {
    const auto builder = graph("small_world", {{"rewire", Node::of(rewire)}});
    return builder->spectrum(builder->build(64)).gap;
  };
  CHECK(gap(0.2) > 2 * gap(0));
  CHECK(contains(fault_of([] {
                   (void)graph("small_world", {{"neighbours", whole(3)}})->build(20);
                 }),
                 "even"));
}

TEST_CASE("a random graph may be drawn anew in each round, and then from the run's seed") {
  const auto builder = graph("erdos_renyi", {{"each_round", Node::of(true)}});
  const auto graphs = builder->sequence(12, 3), same = builder->sequence(12, 3),
             other = builder->sequence(12, 4);
  CHECK(graphs->period() == 0);
  CHECK(edges(*graphs->at(0)) != edges(*graphs->at(1)));
  for (const std::int64_t round : {100, 5, 0, 70})
    CHECK(edges(*graphs->at(round)) == edges(*same->at(round)));
  CHECK(edges(*graphs->at(0)) != edges(*other->at(0)));
  for (int round = 0; round < 20; ++round) CHECK(graphs->at(round)->has(MixingProperty::column_stochastic));
  CHECK(contains(fault_of([&] { (void)builder->build(12); }), "changes from round to round"));
}

TEST_CASE("the best constant weight is 2 / (l_1 + l_{n-1}) of the Laplacian") {
  // Ring of 8: l = 2 - 2 cos(2 pi k/8): largest 4, smallest positive 2 - sqrt 2. I - a L has eigenvalues 1 -
  // a l, so that beta = (l_1 - l_{n-1}) / (l_1 + l_{n-1}).
  const double small = 2 - std::numbers::sqrt2, large = 4;
  const auto ring = graph("ring", {{"weights", word("best_constant")}});
  const MixingMatrix w = ring->build(8);
  CHECK(std::abs(w.weight(0, 1) - 2 / (large + small)) < exact);
  CHECK(std::abs(ring->spectrum(w).beta - (large - small) / (large + small)) < exact);
  // No constant weight is better, 1/3 among them.
  CHECK(ring->spectrum(w).beta < graph("ring")->spectrum(graph("ring")->build(8)).beta);
  // Star of n: l = n and 1; the hub's self weight is (3 - n) / (n + 1).
  const auto star = graph("star", {{"weights", word("best_constant")}});
  CHECK(std::abs(star->build(5).weight(0, 0) + 2.0 / 6) < exact);
  CHECK_FALSE(star->build(5).has(MixingProperty::nonnegative));
  CHECK(star->build(1).weight(0, 0) == 1);
  const std::vector<double> laplacian = laplacian_spectrum([] {
    Adjacency path(3);
    path.join(0, 1), path.join(1, 2);
    return path;
  }());
  CHECK(std::abs(laplacian[0]) < exact);
  CHECK(std::abs(laplacian[1] - 1) < exact);
  CHECK(std::abs(laplacian[2] - 3) < exact);
  Node apart = Node::list({Node::list({whole(0), whole(1)}), Node::list({whole(2), whole(3)})});
  CHECK(contains(fault_of([&] {
                   (void)graph("edges", {{"edges", apart}, {"weights", word("best_constant")}})->build(4);
                 }),
                 "node 2 never hears of node 0"));
}

TEST_CASE("edges may state their weights") {
  const Node list = Node::list(
      {Node::list({whole(0), whole(1), Node::of(0.25)}), Node::list({whole(1), whole(2), Node::of(0.5)})});
  const MixingMatrix w = graph("edges", {{"edges", list}, {"weights", word("explicit")}})->build(3);
  CHECK(w.weight(0, 1) == 0.25);
  CHECK(w.weight(1, 0) == 0.25);
  CHECK(w.weight(1, 1) == 0.25);
  CHECK(w.weight(2, 2) == 0.5);
  CHECK(w.has(MixingProperty::column_stochastic));
  const MixingMatrix directed =
      graph("edges", {{"edges", list}, {"weights", word("explicit")}, {"directed", Node::of(true)}})
          ->build(3);
  CHECK(directed.weight(1, 0) == 0.25);
  CHECK(directed.weight(0, 1) == 0);
  CHECK(contains(fault_of([&] { (void)graph("edges", {{"edges", list}})->build(3); }), "explicit"));
  const Node half = Node::list({Node::list({Node::of(0.5), whole(1)})});
  CHECK(contains(fault_of([&] {
                   (void)graph("edges", {{"edges", half}})->build(3);
                 }),
                 "there is no node 0.5"));
}

TEST_CASE("step limits are those of the modes' recursions") {
  // l = -1/3 (ring of 8), -0.6 (torus 4 x 4), -0.5 (hypercube of 8), 0 (complete): DIGing, semi-ATC, ATC.
  struct Row {
    double l, diging, semi, atc;
  };
  for (const Row& row : {Row{-1.0 / 3, 2.0 / 9, 2, 2},
                         {-0.6, 0.08, 16.0 / 15, 2.0 / 9},
                         {-0.5, 0.125, 1.5, 0.5},
                         {0, 0.5, 2, 2}}) {
    const std::vector<StepLimit> limits = step_limits(row.l);
    CHECK(limits[0].step == doctest::Approx(1 + row.l));
    CHECK(limits[2].step == doctest::Approx(row.diging));
    CHECK(limits[3].step == doctest::Approx(row.semi));
    CHECK(limits[4].step == doctest::Approx(row.atc));
  }
  // EXTRA on l = 1 has 2, D2 needs l > -1/3.
  CHECK(step_limits(1)[6].step == 2);
  CHECK(step_limits(-0.6)[5].step == 0);
  // Choco on a ring of 8 (gap 0.19526, lambda_min -1/3): 4.05e-3, 3.53e-4, 3.48e-5 for quality 1, 0.1, 0.01.
  const double gap = 1 - (1 + std::numbers::sqrt2) / 3;
  CHECK(choco_step(gap, -1.0 / 3, 1) == doctest::Approx(4.05e-3).epsilon(2e-3));
  CHECK(choco_step(gap, -1.0 / 3, 0.1) == doctest::Approx(3.53e-4).epsilon(2e-3));
  CHECK(choco_step(gap, -1.0 / 3, 0.01) == doctest::Approx(3.48e-5).epsilon(2e-3));
}

TEST_CASE("a random choice takes every subset equally often") {
  // 10 subsets of 2 out of 5, 5,000 draws: 500 each, standard deviation 21.
  std::map<std::vector<int>, int> count;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    RandomStream random(7, "choose", i);
    ++count[choose(5, 2, random)];
  }
  CHECK(count.size() == 10);
  for (const auto& entry : count) CHECK(std::abs(entry.second - 500) < 4 * 21.3);
}
