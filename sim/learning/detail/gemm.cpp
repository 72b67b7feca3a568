#include "learning/detail/gemm.hpp"

#include <Eigen/Core>
#include <algorithm>

#include "learning/detail/scratch.hpp"

namespace convoy::detail {
namespace {

using Eigen::ColMajor;
using Eigen::Dynamic;
using Eigen::Index;
using Eigen::RowMajor;

/// Eigen's blocking, with memory of the thread in place of memory of its own.
template <class T>
class Blocking
    : public Eigen::internal::gemm_blocking_space<ColMajor, T, T, Dynamic, Dynamic, Dynamic, 1, false> {
 public:
  using Base = Eigen::internal::gemm_blocking_space<ColMajor, T, T, Dynamic, Dynamic, Dynamic, 1, false>;

  Blocking(Index rows, Index cols, Index depth) : Base(rows, cols, depth, 1, true) {
    Scratch& scratch = Scratch::of_this_thread();
    const auto size = [](Index a, Index b) { return static_cast<std::size_t>(a * b); };
    this->m_blockA = scratch.get<T>(packed_left_slot, size(this->mc(), this->kc()));
    this->m_blockB = scratch.get<T>(packed_right_slot, size(this->kc(), this->nc()));
  }
  ~Blocking() {
    this->m_blockA = nullptr;
    this->m_blockB = nullptr;
  }
  Blocking(const Blocking&) = delete;
  Blocking& operator=(const Blocking&) = delete;
};

// c is column-major here: the transpose of what the caller sees. `left` is stored by LeftOrder.
template <class T, int LeftOrder, int RightOrder>
void run(Index rows, Index cols, Index depth, const T* left, Index left_stride, const T* right,
         Index right_stride, T* c, Index stride) {
  // As Eigen chooses: vectors and tiny products have routes of their own, and none of them allocates.
  constexpr Index tiny = 20;
  if (rows == 1 || cols == 1 || rows + cols + depth < tiny) {
    using Stride = Eigen::OuterStride<>;
    using Left = Eigen::Matrix<T, Dynamic, Dynamic, LeftOrder>;
    using Right = Eigen::Matrix<T, Dynamic, Dynamic, RightOrder>;
    using Result = Eigen::Matrix<T, Dynamic, Dynamic, ColMajor>;
    const Eigen::Map<const Left, 0, Stride> a(left, rows, depth, Stride(left_stride));
    const Eigen::Map<const Right, 0, Stride> b(right, depth, cols, Stride(right_stride));
    Eigen::Map<Result, 0, Stride>(c, rows, cols, Stride(stride)).noalias() += a * b;
    return;
  }
  Blocking<T> blocking(rows, cols, depth);
  Eigen::internal::general_matrix_matrix_product<Index, T, LeftOrder, false, T, RightOrder, false, ColMajor,
                                                 1>::run(rows, cols, depth, left, left_stride, right,
                                                         right_stride, c, 1, stride, T(1), blocking, nullptr);
}

}  // namespace

template <class T>
void multiply_add(std::size_t rows, std::size_t cols, std::size_t depth, Factor<T> a, Factor<T> b, T* c,
                  std::size_t stride) {
  if (rows == 0 || cols == 0 || depth == 0) return;
  const auto m = static_cast<Index>(rows);
  const auto n = static_cast<Index>(cols);
  const auto k = static_cast<Index>(depth);
  const auto sa = static_cast<Index>(a.stride);
  const auto sb = static_cast<Index>(b.stride);
  const auto sc = static_cast<Index>(stride);
  // c^T = op(b)^T op(a)^T: a row-major factor is the column-major transpose.
  if (a.transposed) {
    if (b.transposed) {
      run<T, RowMajor, RowMajor>(n, m, k, b.values, sb, a.values, sa, c, sc);
    } else {
      run<T, ColMajor, RowMajor>(n, m, k, b.values, sb, a.values, sa, c, sc);
    }
  } else if (b.transposed) {
    run<T, RowMajor, ColMajor>(n, m, k, b.values, sb, a.values, sa, c, sc);
  } else {
    run<T, ColMajor, ColMajor>(n, m, k, b.values, sb, a.values, sa, c, sc);
  }
}

template <class T>
void multiply(std::size_t rows, std::size_t cols, std::size_t depth, Factor<T> a, Factor<T> b, T* c,
              std::size_t stride) {
  for (std::size_t r = 0; r < rows; ++r) std::fill_n(c + r * stride, cols, T(0));
  multiply_add(rows, cols, depth, a, b, c, stride);
}

#define CONVOY_GEMM(T)                                                                           \
  template void multiply_add<T>(std::size_t, std::size_t, std::size_t, Factor<T>, Factor<T>, T*, \
                                std::size_t);                                                    \
  template void multiply<T>(std::size_t, std::size_t, std::size_t, Factor<T>, Factor<T>, T*, std::size_t);
CONVOY_GEMM(float)
CONVOY_GEMM(double)
#undef CONVOY_GEMM

}  // namespace convoy::detail
