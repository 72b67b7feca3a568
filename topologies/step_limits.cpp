#include "topologies/step_limits.hpp"

#include <algorithm>

namespace convoy {

std::vector<StepLimit> step_limits(double l) {
  const double both = (1 + l) * (1 + l);
  return {
      {"decentralized_sgd, CTA", 1 + l, "1 + l"},
      {"decentralized_sgd, ATC", 2, "2"},
      {"gradient_tracking, DIGing", both / 2, "(1 + l)^2 / 2"},
      {"gradient_tracking, semi-ATC", l < 0 ? std::min(2.0, (1 - l * l) / -l) : 2,
       "min(2, (1 - l^2) / |l|) for l < 0"},
      {"gradient_tracking, ATC", l < 0 ? std::min(2.0, both / (2 * l * l)) : 2,
       "min(2, (1 + l)^2 / (2 l^2)) for l < 0"},
      // lambda_min > -1/(3 - 2 a): small steps are stable from l > -1/3 on.
      {"D2, exact diffusion", l > -1.0 / 3 ? 2.0 : 0.0, "2 for l > -1/3; else small steps diverge"},
      {"EXTRA", (5 + 3 * l) / 4, "(5 + 3 l) / 4"},
  };
}

double choco_step(double gap, double lambda_min, double quality) {
  const double b2 = (1 - lambda_min) * (1 - lambda_min);
  return gap * gap * quality / (16 * gap + gap * gap + 4 * b2 + 2 * gap * b2 - 8 * gap * quality);
}

}  // namespace convoy
