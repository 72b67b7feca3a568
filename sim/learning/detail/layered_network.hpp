// A network made of layers, with softmax cross-entropy at each label.
#pragma once

#include <cstddef>
#include <memory>

#include "learning/layers/sequential.hpp"
#include "learning/model.hpp"

namespace convoy::detail {

/// How a LayeredNetwork ends and how it goes through a batch.
struct LayeredShape {
  std::size_t classes = 0;
  std::size_t labels_per_sample = 1;  ///< the body's exit holds classes logits for each
  /// Samples that pass through the layers together at least. More do while what the layers keep of them stays
  /// in the second-level cache; batches go through in such parts.
  std::size_t least_samples = 1;
};

/// Lays the body out. T is float or double. Throws std::logic_error if the exit does not fit.
template <class T>
std::unique_ptr<const NeuralNetwork<T>> make_layered_network(std::unique_ptr<layers::Sequential<T>> body,
                                                             LayeredShape shape);

}  // namespace convoy::detail
