// Graphs that change from round to round: exact averaging, and how deviations shrink in expectation.
#include "topologies/changing_graph.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "tests/topologies/build_part.hpp"
#include "topologies/matchings.hpp"
#include "topologies/spectrum.hpp"
#include "topologies/weighted_graph.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

constexpr double exact = 1e-12;

std::vector<double> mixed(const MixingMatrix& w, const std::vector<double>& x) {
  std::vector<double> result(x.size(), 0);
  for (int i = 0; i < w.size(); ++i) {
    for (const MixingMatrix::Entry& entry : w.row(i))
      result[static_cast<std::size_t>(i)] += entry.weight * x[static_cast<std::size_t>(entry.node)];
  }
  return result;
}

double mean(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value;
  return sum / static_cast<double>(x.size());
}

/// Squared distance to a mean.
double deviation(const std::vector<double>& x, double center) {
  double sum = 0;
  for (const double value : x) sum += (value - center) * (value - center);
  return sum;
}

struct Estimate {
  double mean, error;
};
/// Mean and standard error of the factor by which one round shrinks the squared deviation from the old mean,
/// over rounds 0 to rounds-1, each from its own normal start.
Estimate contraction(const GraphSequence& graphs, int rounds) {
  double sum = 0, squares = 0;
  for (int t = 0; t < rounds; ++t) {
    RandomStream random(11, "start", static_cast<std::uint64_t>(t));
    std::vector<double> x(static_cast<std::size_t>(graphs.size()));
    for (double& value : x) value = random.normal();
    const double center = mean(x), factor = deviation(mixed(*graphs.at(t), x), center) / deviation(x, center);
    sum += factor, squares += factor * factor;
  }
  const double average = sum / rounds;
  return {average, std::sqrt((squares / rounds - average * average) / rounds)};
}

void check_contraction(const GraphSequence& graphs, double expected, int rounds = 4000) {
  const Estimate got = contraction(graphs, rounds);
  CAPTURE(got.mean);
  CHECK(std::abs(got.mean - expected) < 4 * got.error);
  CHECK(got.error < 0.02);
}

/// A sequence with its builder, which has to outlive it.
std::shared_ptr<const GraphSequence> rounds_of(const std::string& kind, Settings set, int nodes,
                                               std::uint64_t seed) {
  const std::shared_ptr<GraphBuilder> builder = graph(kind, set);
  const std::shared_ptr<const GraphSequence> graphs = builder->sequence(nodes, seed);
  return {graphs.get(), [builder, graphs](const GraphSequence*) {}};
}

std::size_t most_neighbours(const MixingMatrix& w) {
  std::size_t most = 0;
  for (int i = 0; i < w.size(); ++i) most = std::max(most, w.in_neighbours(i).size());
  return most;
}

}  // namespace

TEST_CASE("one-peer exponential: log2 n rounds are the exact mean for n = 2^t, and are not for other n") {
  for (const int n : {1, 2, 4, 8, 16, 64}) {
    const auto graphs = rounds_of("one_peer_exponential", {}, n, 0);
    CHECK(product_beta(*graphs, graphs->period()) < exact);
  }
  // Published products: 0.2165 for n = 6, 0.2091 for n = 12.
  const auto six = rounds_of("one_peer_exponential", {}, 6, 0),
             twelve = rounds_of("one_peer_exponential", {}, 12, 0);
  CHECK(six->period() == 3);
  CHECK(product_beta(*six, 3) == doctest::Approx(0.2165).epsilon(1e-3));
  CHECK(product_beta(*twelve, 4) == doctest::Approx(0.2091).epsilon(1e-3));
  // In round t node i listens to i - 2^t.
  CHECK(six->at(1)->weight(0, 4) == 0.5);
  CHECK(six->at(5)->weight(0, 2) == 0.5);
  CHECK(most_neighbours(*six->at(2)) == 1);
  const auto random = rounds_of("one_peer_exponential", {{"order", word("random")}}, 8, 1);
  CHECK(random->period() == 0);
  for (int t = 0; t < 10; ++t) CHECK(random->at(t)->has(MixingProperty::column_stochastic));
}

TEST_CASE("Base-(k+1): an exact mean after a period, for any number of nodes and any degree") {
  for (int n = 1; n <= 40; ++n) {
    for (const int k : {1, 2, 3, 5}) {
      CAPTURE(n);
      CAPTURE(k);
      const auto graphs = rounds_of("base_k", {{"degree", whole(k)}}, n, 0);
      CHECK(product_beta(*graphs, graphs->period()) < exact);
      for (std::int64_t t = 0; t < graphs->period(); ++t) {
        CHECK(most_neighbours(*graphs->at(t)) <= static_cast<std::size_t>(k));
        CHECK(graphs->at(t)->has(MixingProperty::symmetric));
        CHECK(graphs->at(t)->has(MixingProperty::row_stochastic));
      }
      // 2 log_{k+1} n + 2 rounds are enough (theorem 1 of the paper).
      CHECK(static_cast<double>(graphs->period()) <= 2 * std::log(n) / std::log(k + 1) + 2 + exact);
    }
  }
}

TEST_CASE("G2: pairwise gossip has E[W^T W] = I - L/(n d) on a regular graph") {
  // Ring of 16, each of the n d ordered choices equally likely: the slow mode shrinks in mean square by 1 -
  // l_2/(n d) = 1 - (2 - 2 cos(2 pi/16)) / 32 = 0.995242 an event. Exactly, over all choices:
  constexpr int n = 16;
  std::vector<double> mode(n);
  for (int i = 0; i < n; ++i) mode[static_cast<std::size_t>(i)] = std::cos(2 * M_PI * i / n);
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    for (const int j : {(i + 1) % n, (i + n - 1) % n})
      sum += deviation(mixed(group_average("pair", n, {{i, j}}), mode), 0) / (2 * n);
  }
  const double formula = 1 - (2 - 2 * std::cos(2 * M_PI / n)) / (2 * n);
  CHECK(std::abs(sum / deviation(mode, 0) - formula) < exact);
  CHECK(formula == doctest::Approx(0.995242).epsilon(1e-6));
  // The builder draws these choices equally often: 32 ordered ones are 16 pairs, 8,000 rounds: 500 each.
  const auto graphs = rounds_of("pairwise", {}, n, 5);
  std::vector<int> count(n, 0);
  for (int t = 0; t < 8000; ++t) {
    const auto w = graphs->at(t);
    CHECK(w->edges() == 2);
    for (int i = 0; i < n; ++i)
      count[static_cast<std::size_t>(i)] += w->weight(i, (i + 1) % n) == 0.5 ? 1 : 0;
  }
  for (const int c : count) CHECK(std::abs(c - 500) < 4 * std::sqrt(500.0 * 15 / 16));
}

TEST_CASE("G3: a random group of g averages 1 - (g-1)/(n-1) of the squared deviation away") {
  for (const auto& [g, expected] : {std::pair{2, 14.0 / 15}, {3, 13.0 / 15}, {4, 0.8}, {8, 8.0 / 15}}) {
    check_contraction(*rounds_of("random_group", {{"members", whole(g)}}, 16, 1), expected);
  }
  CHECK(contraction(*rounds_of("random_group", {{"members", whole(16)}}, 16, 1), 10).mean < exact);
  CHECK(contains(fault_of([] {
                   (void)rounds_of("random_group", {{"members", whole(9)}}, 8, 0);
                 }),
                 "graph.members"));
}

TEST_CASE("a random matching halves what pairs differ by: 1 - n/2 / (n-1)") {
  // A node meets each other with probability 1/(n-1); pairs average: E|x'|^2 = (1 - (n/2)/(n-1)) |x|^2.
  check_contraction(*rounds_of("random_matching", {}, 16, 1), 1 - 8.0 / 15);
  const auto odd = rounds_of("random_matching", {}, 7, 1);
  for (int t = 0; t < 20; ++t) {
    CHECK(odd->at(t)->edges() == 6);
    CHECK(most_neighbours(*odd->at(t)) == 1);
  }
}

TEST_CASE("G4: epidemic learning shrinks deviations as its closed forms say") {
  // EL-Local: (1/s)(1 - (1 - s/(n-1))^n) - 1/(n-1) about the old mean: 0.602, 0.383, 0.182 for n = 16, s = 1,
  // 2, 4.
  constexpr int n = 16;
  for (const auto& [s, published] : {std::pair{1, 0.602}, {2, 0.383}, {4, 0.182}}) {
    const double share = static_cast<double>(s) / (n - 1);
    const double formula = (1 - std::pow(1 - share, n)) / s - 1.0 / (n - 1);
    CHECK(formula == doctest::Approx(published).epsilon(3e-3));
    const auto local = rounds_of("random_peers", {{"peers", whole(s)}, {"form", word("local")}}, n, 2);
    check_contraction(*local, formula);
    CHECK(local->at(0)->has(MixingProperty::row_stochastic));
    CHECK_FALSE(local->at(0)->has(MixingProperty::column_stochastic));
    // EL-Oracle: (1/(s+1))(1 - s/(n-1)).
    const auto oracle = rounds_of("random_peers", {{"peers", whole(s)}}, n, 2);
    check_contraction(*oracle, (1 - share) / (s + 1));
    CHECK(oracle->at(0)->has(MixingProperty::column_stochastic));
    CHECK(most_neighbours(*oracle->at(0)) == static_cast<std::size_t>(s));
  }
}

TEST_CASE("G1: deviations shrink by at most beta a round, on any symmetric graph") {
  for (const char* kind : {"ring", "torus", "hypercube", "star", "erdos_renyi", "small_world"}) {
    const auto builder = graph(kind);
    const MixingMatrix w = builder->build(16);
    const double beta = builder->spectrum(w).beta;
    RandomStream random(3, kind);
    std::vector<double> x(16);
    for (double& value : x) value = random.normal();
    const double center = mean(x), start = std::sqrt(deviation(x, center));
    for (int t = 1; t <= 30; ++t) {
      x = mixed(w, x);
      CHECK(std::sqrt(deviation(x, center)) <= std::pow(beta, t) * start * (1 + 1e-9) + 1e-14);
      CHECK(std::abs(mean(x) - center) < exact);
    }
  }
}

TEST_CASE("G5: the mean of b out of n spokes leaves (n-b)/(b(n-1)) of their variance") {
  // 100 spokes, b = 10: 1/11. The hub listens to a random subset, as in the first stage of hubs and spokes.
  constexpr int spokes = 100, b = 10, draws = 4000;
  RandomStream start(1, "spokes");
  std::vector<double> x(spokes);
  for (double& value : x) value = start.normal();
  const double center = mean(x), variance = deviation(x, center) / spokes;
  const auto graphs = rounds_of("random_group", {{"members", whole(b)}}, spokes, 9);
  double sum = 0;
  for (int t = 0; t < draws; ++t) {
    const std::vector<double> after = mixed(*graphs->at(t), x);
    for (int i = 0; i < spokes; ++i) {
      if (graphs->at(t)->in_neighbours(i).empty()) continue;
      const double hub = after[static_cast<std::size_t>(i)];
      sum += (hub - center) * (hub - center) / draws;
      break;
    }
  }
  const double expected = (spokes - b) / (b * (spokes - 1.0));
  CHECK(expected == doctest::Approx(0.0909).epsilon(1e-3));
  CHECK(sum / variance == doctest::Approx(expected).epsilon(4 * std::sqrt(2.0 / draws)));
}

TEST_CASE("G7: compressed gossip keeps the mean, however biased the compressor") {
  // Choco: q_i = Q(x_i - xh_i), xh_j += q_j, x_i += gamma sum_j w_ij (xh_j - xh_i). Q keeps a value only
  // where it is larger than half of the largest, which is biased.
  const MixingMatrix w = graph("ring")->build(8);
  RandomStream random(4, "choco");
  std::vector<double> x(8), copy(8, 0);
  for (double& value : x) value = random.normal();
  const double center = mean(x), before = deviation(x, center);
  for (int t = 0; t < 400; ++t) {
    double largest = 0;
    for (std::size_t i = 0; i < 8; ++i) largest = std::max(largest, std::abs(x[i] - copy[i]));
    for (std::size_t i = 0; i < 8; ++i) {
      const double change = x[i] - copy[i];
      if (std::abs(change) > largest / 2) copy[i] += change;
    }
    const std::vector<double> all = mixed(w, copy);
    for (std::size_t i = 0; i < 8; ++i) x[i] += 0.3 * (all[i] - copy[i]);
    CHECK(std::abs(mean(x) - center) < exact);
  }
  CHECK(deviation(x, center) < 1e-6 * before);
}

TEST_CASE("matchings are disjoint, together the graph, and at most one more than its largest degree") {
  for (const char* kind : {"ring", "torus", "hypercube", "star", "complete", "erdos_renyi", "tree"}) {
    CAPTURE(kind);
    const MixingMatrix w = graph(kind)->build(16);
    Adjacency base(16);
    for (int i = 0; i < 16; ++i) {
      for (const int j : w.in_neighbours(i)) base.add(j, i);
    }
    const std::vector<Matching> matchings = matchings_of(base);
    CHECK(matchings.size() <= most_neighbours(w) + 1);
    std::set<std::pair<int, int>> all;
    for (const Matching& matching : matchings) {
      std::set<int> nodes;
      for (const auto& [a, b] : matching) {
        CHECK(nodes.insert(a).second);
        CHECK(nodes.insert(b).second);
        CHECK(all.emplace(a, b).second);
      }
    }
    const auto pairs = base.pairs();
    CHECK(all == std::set<std::pair<int, int>>(pairs.begin(), pairs.end()));
  }
}

TEST_CASE("MATCHA: the budget is used, rho is what rounds shrink by, and budget 1 is the graph itself") {
  const MixingMatrix ring = graph("ring")->build(8);
  Adjacency base(8);
  for (int i = 0; i < 8; ++i) base.join(i, (i + 1) % 8);
  const std::vector<Matching> matchings = matchings_of(base);
  REQUIRE(matchings.size() <= 3);
  const MatchaPlan plan = matcha_plan(8, matchings, 0.5);
  double used = 0, expected_edges = 0;
  for (std::size_t j = 0; j < matchings.size(); ++j) {
    CHECK(plan.probability[j] >= 0);
    CHECK(plan.probability[j] <= 1);
    used += plan.probability[j];
    expected_edges += 2 * plan.probability[j] * static_cast<double>(matchings[j].size());
  }
  CHECK(used == doctest::Approx(0.5 * static_cast<double>(matchings.size())));
  CHECK(plan.rho < 1);
  // Two perfect matchings of the ring, each half of the time: the optimum is symmetric.
  const std::vector<Matching> halves = {{{0, 1}, {2, 3}, {4, 5}, {6, 7}}, {{1, 2}, {3, 4}, {5, 6}, {0, 7}}};
  const MatchaPlan symmetric = matcha_plan(8, halves, 0.5);
  CHECK(symmetric.probability[0] == doctest::Approx(0.5).epsilon(1e-6));
  CHECK(symmetric.probability[1] == doctest::Approx(0.5).epsilon(1e-6));
  const auto graphs = rounds_of("matcha", {}, 8, 6);
  // The slowest mode shrinks by rho in mean square; a normal start has all modes, and shrinks faster.
  CHECK(contraction(*graphs, 2000).mean < plan.rho);
  std::size_t edges = 0;
  for (int t = 0; t < 2000; ++t) {
    edges += graphs->at(t)->edges();
    CHECK(graphs->at(t)->has(MixingProperty::symmetric));
    CHECK(graphs->at(t)->has(MixingProperty::row_stochastic));
    CHECK(most_neighbours(*graphs->at(t)) <= 2);
  }
  CHECK(static_cast<double>(edges) / 2000 == doctest::Approx(expected_edges).epsilon(0.05));
  // Budget 1: W = I - a L in every round, with the a that makes rho = beta^2 least: 2 / (l_1 + l_{n-1}).
  const auto full = rounds_of("matcha", {{"budget", Node::of(1.0)}}, 8, 0);
  CHECK(full->period() == 1);
  const MixingMatrix best = graph("ring", {{"weights", word("best_constant")}})->build(8);
  CHECK(full->at(0)->weight(0, 1) == doctest::Approx(best.weight(0, 1)).epsilon(1e-6));
}

TEST_CASE("a sequence fits a requirement if each round and the edges of a period together do") {
  // Each round of alternating hierarchies is not connected; the two together are.
  const auto turns = graph("hierarchical", {{"groups", whole(4)}, {"form", word("alternating")}});
  CHECK_FALSE(turns->sequence(12, 0)->at(0)->has(MixingProperty::connected));
  CHECK_NOTHROW((void)doubly_stochastic_mixing().require(*turns, 12, 0, "decentralized_sgd"));
  CHECK(contains(fault_of([&] { (void)static_doubly_stochastic_mixing().require(*turns, 12, 0, "x"); }),
                 "changes from round to round"));
  const auto local = graph("random_peers", {{"form", word("local")}});
  CHECK(contains(
      fault_of([&] { (void)doubly_stochastic_mixing().require(*local, 12, 0, "decentralized_sgd"); }),
      "column stochastic (round 0)"));
  CHECK_NOTHROW((void)row_stochastic_mixing().require(*local, 12, 0, "epidemic_learning"));
  CHECK_NOTHROW((void)push_sum_mixing().require(*graph("one_peer_exponential"), 6, 0, "push_sum"));
}

TEST_CASE("P6: exact diffusion refuses a smallest eigenvalue of -1/3 or less, and a lazy matrix helps") {
  const std::string fault =
      fault_of([] { (void)symmetric_bounded_mixing().require(*graph("torus"), 16, 0, "exact_diffusion"); });
  CHECK(contains(fault, "exact_diffusion cannot use the graph \"torus\" of 16 nodes"));
  CHECK(contains(fault, "-0.6; \"lazy\": 0.5 lifts it to 0.2"));
  CHECK_NOTHROW(
      (void)symmetric_bounded_mixing().require(*graph("torus", {{"lazy", Node::of(0.5)}}), 16, 0, "d2"));
  // An even ring stands exactly at -1/3.
  CHECK(contains(fault_of([] { (void)symmetric_bounded_mixing().require(*graph("ring"), 8, 0, "d2"); }),
                 "-0.3333"));
  CHECK_NOTHROW((void)symmetric_bounded_mixing().require(*graph("ring"), 9, 0, "d2"));
  CHECK(contains(
      fault_of([] { (void)symmetric_bounded_mixing().require(*graph("static_exponential"), 8, 0, "d2"); }),
      "symmetric"));
}

TEST_CASE("nodes that never hear of each other are named") {
  const Node apart = Node::list({Node::list({whole(0), whole(1)}), Node::list({whole(2), whole(3)})});
  CHECK(contains(fault_of([&] {
                   (void)doubly_stochastic_mixing().require(*graph("edges", {{"edges", apart}}), 4, 0, "x");
                 }),
                 "a connected graph: node 2 never hears of node 0"));
}

TEST_CASE("graphs of too many edges are refused before they are made") {
  CHECK(contains(fault_of([] {
                   (void)graph("base_k", {{"degree", whole(50'000)}})->sequence(50'000, 0);
                 }),
                 "graph.degree: 50000 nodes with up to 49999 neighbours"));
  CHECK(contains(fault_of([] {
                   (void)graph("random_group", {{"members", whole(5'000)}})->sequence(100'000, 0);
                 }),
                 "graph.members"));
  CHECK(contains(fault_of([] {
                   (void)graph("random_peers", {{"peers", whole(5'000)}})->sequence(100'000, 0);
                 }),
                 "graph.peers"));
  CHECK(contains(fault_of([] {
                   (void)graph("hierarchical", {{"groups", whole(2)}, {"form", word("alternating")}})
                       ->sequence(100'000, 0);
                 }),
                 "graph.groups"));
  CHECK(contains(fault_of([] { (void)graph("complete")->build(5'000); }), "too many edges"));
  CHECK(contains(fault_of([] {
                   (void)graph("random_regular", {{"degree", whole(1'000)}})->build(100'000);
                 }),
                 "too many edges"));
}
