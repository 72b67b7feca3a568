#include "network/max_min.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <vector>

#include "core/random.hpp"

using namespace convoy;

namespace {

constexpr double none = std::numeric_limits<double>::infinity();

std::vector<MaxMin::Constraint> on(std::initializer_list<MaxMin::Constraint> constraints) {
  return constraints;
}

}  // namespace

TEST_CASE("n flows on one link get an n-th each") {
  // Incast: n senders into one port of capacity C get C/n each.
  for (const std::uint32_t n : {1U, 2U, 3U, 7U, 100U}) {
    MaxMin shares;
    const auto link = shares.add_constraint(6e9);
    for (std::uint32_t f = 0; f < n; ++f) shares.add(f, on({link}), 1, none);
    CHECK(shares.solve().flows.size() == n);
    for (std::uint32_t f = 0; f < n; ++f) CHECK(shares.rate(f) == doctest::Approx(6e9 / n).epsilon(1e-14));
  }
}

TEST_CASE("on the parking lot every flow gets half") {
  // Links A and B of capacity 1; f0 on A and B, f1 on A, f2 on B. The long flow pays no more than the short
  // ones: x0 + x1 = 1, x0 + x2 = 1, max-min x = 1/2 (proportional fairness would give 1/3, 2/3, 2/3).
  MaxMin shares;
  const auto a = shares.add_constraint(1), b = shares.add_constraint(1);
  shares.add(0, on({a, b}), 1, none);
  shares.add(1, on({a}), 1, none);
  shares.add(2, on({b}), 1, none);
  shares.solve();
  for (std::uint32_t f = 0; f < 3; ++f) CHECK(shares.rate(f) == 0.5);
}

TEST_CASE("what a bottleneck leaves goes to the others") {
  // A = 1 with f0, f1; B = 10 with f1, f2. A binds first: x0 = x1 = 1/2, then x2 = 10 - 1/2.
  MaxMin shares;
  const auto a = shares.add_constraint(1), b = shares.add_constraint(10);
  shares.add(0, on({a}), 1, none);
  shares.add(1, on({a, b}), 1, none);
  shares.add(2, on({b}), 1, none);
  shares.solve();
  CHECK(shares.rate(0) == 0.5);
  CHECK(shares.rate(1) == 0.5);
  CHECK(shares.rate(2) == 9.5);
}

TEST_CASE("weights share in proportion and caps give the rest away") {
  // C = 12, weights 1, 2, 3: 2, 4, 6. With the last capped at 3 the others share 9 as 1 : 2, that is 3 and 6.
  MaxMin shares;
  const auto link = shares.add_constraint(12);
  for (std::uint32_t f = 0; f < 3; ++f) shares.add(f, on({link}), f + 1.0, none);
  shares.solve();
  CHECK(shares.rate(0) == 2);
  CHECK(shares.rate(1) == 4);
  CHECK(shares.rate(2) == 6);
  shares.set_cap(2, 3);
  shares.solve();
  CHECK(shares.rate(0) == 3);
  CHECK(shares.rate(1) == 6);
  CHECK(shares.rate(2) == 3);
}

TEST_CASE("a flow that crosses a constraint twice counts twice") {
  // 2 x0 + x1 <= 9 with equal rates: 3 each. Alone: 9 / 2.
  MaxMin shares;
  const auto link = shares.add_constraint(9);
  shares.add(0, on({link, link}), 1, none);
  shares.solve();
  CHECK(shares.rate(0) == 4.5);
  shares.add(1, on({link}), 1, none);
  shares.solve();
  CHECK(shares.rate(0) == 3);
  CHECK(shares.rate(1) == 3);
  shares.remove(0);
  shares.solve();
  CHECK(shares.rate(1) == 9);
}

TEST_CASE("only the component that changed is solved again") {
  MaxMin shares;
  const auto a = shares.add_constraint(1), b = shares.add_constraint(1);
  shares.add(0, on({a}), 1, none);
  shares.add(1, on({b}), 1, none);
  CHECK(shares.solve().flows.size() == 2);
  CHECK_FALSE(shares.changed());
  shares.add(2, on({b}), 1, none);
  const MaxMin::Changes changes = shares.solve();
  CHECK(std::vector<std::uint32_t>(changes.flows.begin(), changes.flows.end()) ==
        std::vector<std::uint32_t>{2});
  // Flow 1 stays with what has held it, at another level.
  CHECK(std::vector<std::uint32_t>(changes.constraints.begin(), changes.constraints.end()) ==
        std::vector<std::uint32_t>{b});
  CHECK(shares.rate(1) == 0.5);
  CHECK(shares.rate(0) == 1);
  shares.remove(0);  // leaves nobody behind
  CHECK_FALSE(shares.changed());
  shares.set_capacity(b, 0);
  shares.solve();
  CHECK(shares.rate(1) == 0);
  CHECK(shares.rate(2) == 0);
}

TEST_CASE("a flow that nothing binds is refused") {
  MaxMin shares;
  CHECK_THROWS_AS(shares.add(0, {}, 1, none), std::logic_error);
  shares.add(0, {}, 1, 5);
  shares.solve();
  CHECK(shares.rate(0) == 5);
  CHECK_THROWS_AS(shares.add(0, {}, 1, 5), std::logic_error);
}

TEST_CASE("at any time rates fit the capacities, and each flow has a bottleneck") {
  // The certificate of weighted max-min fairness (Bertsekas, Gallager, Data Networks, 6.5.2): a feasible
  // allocation is max-min fair exactly if each flow is at its cap or crosses a full constraint on which no
  // flow has a larger x/w.
  struct Flow {
    std::vector<MaxMin::Constraint> uses;
    double weight = 1, cap = none;
  };
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    RandomStream random(seed, "max-min test");
    MaxMin shares;
    const std::uint32_t constraints = 1 + static_cast<std::uint32_t>(random.below(12));
    for (std::uint32_t c = 0; c < constraints; ++c)
      shares.add_constraint(random.below(4) == 0 ? 1e9 : 1e9 * random.uniform());
    std::vector<std::optional<Flow>> flows(40);
    const bool weighted = seed % 2 == 1, capped = seed % 3 == 1;
    for (int step = 0; step < 150; ++step) {
      const auto f = static_cast<std::uint32_t>(random.below(flows.size()));
      if (flows[f]) {
        shares.remove(f);
        flows[f].reset();
      } else {
        Flow flow;
        const std::uint64_t hops = 1 + random.below(4);
        for (std::uint64_t h = 0; h < hops; ++h)
          flow.uses.push_back(static_cast<std::uint32_t>(random.below(constraints)));
        std::sort(flow.uses.begin(), flow.uses.end());
        flow.uses.erase(std::unique(flow.uses.begin(), flow.uses.end()), flow.uses.end());
        if (weighted) flow.weight = 0.1 + 10 * random.uniform();
        if (capped && random.below(2) == 0) flow.cap = 2e8 * random.uniform() + 1;
        shares.add(f, flow.uses, flow.weight, flow.cap);
        flows[f] = flow;
      }
      if (random.below(3) == 0) continue;  // several changes are solved at once
      if (random.below(10) == 0)
        shares.set_capacity(static_cast<std::uint32_t>(random.below(constraints)), 1e9 * random.uniform());
      shares.solve();
      std::vector<double> used(constraints, 0), largest(constraints, 0);
      for (std::uint32_t g = 0; g < flows.size(); ++g) {
        if (!flows[g]) continue;
        for (const auto c : flows[g]->uses) {
          used[c] += shares.rate(g);
          largest[c] = std::max(largest[c], shares.rate(g) / flows[g]->weight);
        }
      }
      for (std::uint32_t c = 0; c < constraints; ++c) REQUIRE(used[c] <= shares.capacity(c) * (1 + 1e-12));
      for (std::uint32_t g = 0; g < flows.size(); ++g) {
        if (!flows[g]) continue;
        REQUIRE(shares.rate(g) > 0);
        bool bound = shares.rate(g) == flows[g]->cap;
        for (const auto c : flows[g]->uses) {
          const bool full = used[c] >= shares.capacity(c) * (1 - 1e-9);
          bound = bound || (full && shares.rate(g) / flows[g]->weight >= largest[c] * (1 - 1e-9));
        }
        REQUIRE(bound);
      }
    }
  }
}
