#include "training/mixing_matrix.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/error.hpp"

using namespace convoy;

namespace {

MixingMatrix matrix(const std::vector<std::vector<double>>& weights) {
  std::vector<std::vector<MixingMatrix::Entry>> rows(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t j = 0; j < weights.size(); ++j) rows[i].push_back({static_cast<int>(j), weights[i][j]});
  }
  return MixingMatrix("test", std::move(rows));
}

template <class T>
std::vector<T> list(std::span<const T> span) {
  return {span.begin(), span.end()};
}

}  // namespace

TEST_CASE("rows are receivers, and neighbours are in ascending order without the node itself") {
  // 0 listens to 2; 1 to 0 and 2; 2 to nobody but itself.
  const MixingMatrix w("test", {{{2, 0.25}, {0, 0.75}}, {{2, 0.5}, {0, 0.5}}, {{2, 1}}});
  CHECK(w.size() == 3);
  CHECK(w.weight(0, 2) == 0.25);
  CHECK(w.weight(2, 0) == 0);
  CHECK(w.weight(1, 1) == 0);
  CHECK(list(w.in_neighbours(0)) == std::vector<int>{2});
  CHECK(list(w.in_neighbours(1)) == std::vector<int>{0, 2});
  CHECK(list(w.in_neighbours(2)).empty());
  CHECK(list(w.out_neighbours(2)) == std::vector<int>{0, 1});
  CHECK(list(w.out_neighbours(0)) == std::vector<int>{1});
  CHECK(w.edges() == 3);
  // A row always has its diagonal, here with weight 0.
  REQUIRE(w.row(1).size() == 3);
  CHECK(w.row(1)[1].node == 1);
  CHECK(w.row(1)[1].weight == 0);
  CHECK_THROWS((void)w.row(3));
  CHECK_THROWS((void)w.row(-1));
}

TEST_CASE("the transpose turns what is received into what is sent") {
  const MixingMatrix w = matrix({{0.75, 0, 0.25}, {0.5, 0, 0.5}, {0, 0, 1}});
  const MixingMatrix t = w.transposed();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) CHECK(t.weight(i, j) == w.weight(j, i));
    CHECK(list(t.in_neighbours(i)) == list(w.out_neighbours(i)));
  }
}

TEST_CASE("each property is told apart from the others") {
  using P = MixingProperty;
  const MixingMatrix good = matrix({{0.5, 0.5}, {0.5, 0.5}});
  for (const P p :
       {P::nonnegative, P::row_stochastic, P::column_stochastic, P::connected, P::aperiodic, P::symmetric}) {
    CHECK(good.has(p));
  }
  // P1: rows and columns sum to 1, but a weight is negative.
  const MixingMatrix negative = matrix({{1.5, -0.5}, {-0.5, 1.5}});
  CHECK_FALSE(negative.has(P::nonnegative));
  CHECK(negative.has(P::column_stochastic));
  // P2 without P3: the star with uniform weights. Its transpose has P3 without P2.
  const MixingMatrix star = matrix({{1. / 3, 1. / 3, 1. / 3}, {0.5, 0.5, 0}, {0.5, 0, 0.5}});
  CHECK(star.has(P::row_stochastic));
  CHECK_FALSE(star.has(P::column_stochastic));
  CHECK(star.transposed().has(P::column_stochastic));
  CHECK_FALSE(star.transposed().has(P::row_stochastic));
  CHECK_FALSE(star.has(P::symmetric));
  // P4: two islands; a one-way street; a directed cycle of length 3 without self weights (period 3); the same
  // with a chord that makes a cycle of length 2 (periods 2 and 3 have no common divisor).
  CHECK_FALSE(matrix({{1, 0}, {0, 1}}).has(P::connected));
  CHECK_FALSE(matrix({{1, 0}, {0.5, 0.5}}).has(P::connected));
  const MixingMatrix cycle = matrix({{0, 0, 1}, {1, 0, 0}, {0, 1, 0}});
  CHECK(cycle.has(P::connected));
  CHECK_FALSE(cycle.has(P::aperiodic));
  CHECK(matrix({{0, 0.5, 0.5}, {1, 0, 0}, {0, 1, 0}}).has(P::aperiodic));
  CHECK_FALSE(matrix({{0, 1}, {1, 0}}).has(P::aperiodic));
}

TEST_CASE("what an algorithm needs and the matrix lacks is reported, all at once") {
  const MixingMatrix w = matrix({{1, 0}, {0.5, 0.5}});
  CHECK_NOTHROW(w.require({MixingProperty::row_stochastic, MixingProperty::nonnegative}, "push"));
  try {
    w.require({MixingProperty::row_stochastic, MixingProperty::column_stochastic, MixingProperty::connected},
              "d_psgd");
    FAIL("accepted");
  } catch (const ConfigError& error) {
    REQUIRE(error.faults().size() == 2);
    CHECK(error.faults()[0].message.find("d_psgd") != std::string::npos);
    CHECK(error.faults()[0].message.find("column stochastic") != std::string::npos);
    CHECK(error.faults()[1].message.find("connected") != std::string::npos);
    CHECK_FALSE(error.faults()[0].hint.empty());
  }
}

TEST_CASE("a matrix that is none is a broken invariant") {
  CHECK_THROWS_AS(MixingMatrix("test", {}), std::logic_error);
  CHECK_THROWS_AS(MixingMatrix("test", {{{1, 1}}}), std::logic_error);
  CHECK_THROWS_AS(MixingMatrix("test", {{{0, 0.5}, {0, 0.5}}}), std::logic_error);
  CHECK_THROWS_AS(MixingMatrix("test", {{{0, std::numeric_limits<double>::quiet_NaN()}}}), std::logic_error);
}
