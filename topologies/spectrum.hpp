// Eigenvalues of a mixing matrix.
#pragma once

#include "training/mixing_matrix.hpp"

namespace convoy {

/// By a dense solver: self-adjoint for a symmetric matrix, general otherwise; beta is the largest singular
/// value of W - J.
[[nodiscard]] Spectrum dense_spectrum(const MixingMatrix& matrix);

}  // namespace convoy
