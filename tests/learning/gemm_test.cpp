#include "learning/detail/gemm.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "core/random.hpp"
#include "learning/numerics.hpp"

using namespace convoy;
using detail::Factor;

namespace {

std::vector<double> normals(std::size_t size, std::uint64_t entity) {
  RandomStream stream(0, "gemm test", entity);
  std::vector<double> values(size);
  for (double& value : values) value = stream.normal();
  return values;
}

double at(const Factor<double>& factor, std::size_t r, std::size_t c) {
  return factor.transposed ? factor.values[c * factor.stride + r] : factor.values[r * factor.stride + c];
}

// The larger one; not a number if either is.
double worse(double a, double b) {
  return std::isnan(a) || a > b ? a : b;
}

}  // namespace

TEST_CASE("products are sums over the shared index, for each transposition, stride and route") {
  // Against the definition; sums of up to 300 products of unit normals round by less than 1e-13 a term.
  pin_numerics();
  struct Shape {
    std::size_t rows, cols, depth;
  };
  for (const Shape shape : {Shape{1, 1, 1}, Shape{3, 4, 5}, Shape{1, 40, 30}, Shape{40, 1, 30},
                            Shape{33, 17, 9}, Shape{64, 10, 300}, Shape{2, 130, 70}}) {
    for (const bool ta : {false, true}) {
      for (const bool tb : {false, true}) {
        const std::size_t gap = 3;
        const std::size_t sa = (ta ? shape.rows : shape.depth) + gap;
        const std::size_t sb = (tb ? shape.depth : shape.cols) + gap;
        const std::size_t sc = shape.cols + gap;
        const std::vector<double> a = normals((ta ? shape.depth : shape.rows) * sa, 1);
        const std::vector<double> b = normals((tb ? shape.cols : shape.depth) * sb, 2);
        const Factor<double> left{a.data(), sa, ta};
        const Factor<double> right{b.data(), sb, tb};
        const std::vector<double> before = normals(shape.rows * sc, 3);
        std::vector<double> added = before;
        std::vector<double> fresh = before;
        detail::multiply_add(shape.rows, shape.cols, shape.depth, left, right, added.data(), sc);
        detail::multiply(shape.rows, shape.cols, shape.depth, left, right, fresh.data(), sc);
        double worst = 0;
        for (std::size_t r = 0; r < shape.rows; ++r) {
          for (std::size_t c = 0; c < sc; ++c) {
            double sum = 0;
            for (std::size_t k = 0; c < shape.cols && k < shape.depth; ++k)
              sum += at(left, r, k) * at(right, k, c);
            const double old = before[r * sc + c];
            const bool inside = c < shape.cols;  // the gap behind each row stays as it was
            worst = worse(worst, std::abs(added[r * sc + c] - (old + sum)));
            worst = worse(worst, std::abs(fresh[r * sc + c] - (inside ? sum : old)));
          }
        }
        CHECK(worst < 1e-12);
      }
    }
  }
}
