// Clipping by the global norm (Pascanu, Mikolov, Bengio, ICML 2013, algorithm 1).
#pragma once

#include "learning/vector.hpp"

namespace convoy {

/// Scales the gradient by max_norm / norm if its Euclidean norm over all layers exceeds max_norm. Returns the
/// norm before. A gradient whose norm is not finite is left alone, so that divergence stays visible. max_norm
/// > 0.
double clip_global_norm(Vector& gradient, double max_norm);

}  // namespace convoy
