#include "learning/gradient_clip.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

using namespace convoy;

TEST_CASE("clipping scales a long gradient to the largest norm and returns the norm before") {
  // |(3, 4)| = 5, clipped to 1: (0.6, 0.8).
  Vector g(Layout::flat(2), Precision::float64, std::vector<double>{3, 4});
  CHECK(clip_global_norm(g, 1) == 5);
  CHECK(g[0] == doctest::Approx(0.6).epsilon(1e-15));
  CHECK(g[1] == doctest::Approx(0.8).epsilon(1e-15));
  CHECK(g.norm() == doctest::Approx(1).epsilon(1e-15));
}

TEST_CASE("clipping leaves a short gradient and its buffer alone") {
  Vector g(Layout::flat(2), Precision::float32, std::vector<double>{3, 4});
  const Vector keep = g;
  CHECK(clip_global_norm(g, 5) == 5);
  CHECK(g.shares_buffer_with(keep));
}

TEST_CASE("clipping does not hide divergence") {
  Vector g(Layout::flat(2), Precision::float32,
           std::vector<double>{std::numeric_limits<double>::infinity(), 1});
  CHECK(clip_global_norm(g, 1) == std::numeric_limits<double>::infinity());
  CHECK(!g.finite());
  CHECK(g[1] == 1);
  CHECK_THROWS_AS(clip_global_norm(g, 0), std::logic_error);
}
