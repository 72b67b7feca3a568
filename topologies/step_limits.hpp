// Largest stable steps of decentralized algorithms on a symmetric mixing matrix, for f_i of equal curvature L
// and deterministic gradients, in units of 1/L. Each is where an eigenmode of the algorithm's recursion
// leaves the unit circle; the formulas depend on the smallest eigenvalue l of W alone.
#pragma once

#include <string_view>
#include <vector>

namespace convoy {

struct StepLimit {
  std::string_view algorithm;  ///< "gradient_tracking, semi-ATC"
  double step = 0;             ///< x L
  std::string_view formula;
};

/// For l in (-1, 1]: decentralized SGD, gradient tracking in three forms, D2 (exact diffusion) and EXTRA. A
/// step of 0 means that no small step is stable.
[[nodiscard]] std::vector<StepLimit> step_limits(double lambda_min);

/// Choco-Gossip's consensus step for compression quality w in (0, 1] (E |Q(v) - v|^2 <= (1 - w) |v|^2):
/// gap^2 w / (16 gap + gap^2 + 4 B^2 + 2 gap B^2 - 8 gap w), B = |I - W| (Koloskova et al., ICML 2019,
/// theorem 2; from memory). Very pessimistic in practice.
[[nodiscard]] double choco_step(double gap, double lambda_min, double quality);

}  // namespace convoy
