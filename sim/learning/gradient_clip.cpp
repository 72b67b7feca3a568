#include "learning/gradient_clip.hpp"

#include <cmath>
#include <stdexcept>

namespace convoy {

double clip_global_norm(Vector& gradient, double max_norm) {
  if (!(max_norm > 0)) throw std::logic_error("clip_global_norm: the largest norm must be positive");
  const double norm = gradient.norm();
  if (std::isfinite(norm) && norm > max_norm) gradient.scale(max_norm / norm);
  return norm;
}

}  // namespace convoy
