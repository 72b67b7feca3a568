// One linear function of the features with a loss of its own: linear and logistic regression.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "learning/model.hpp"

namespace convoy::detail {

/// Of the prediction z = w x + b and the label y, taken as a number.
enum class LinearLoss {
  squared,   ///< (z - y)^2 / 2
  logistic,  ///< log(1 + exp(z)) - y z, for y = 0 or 1
};

/// Tensors "weight" (1 x inputs) and "bias"; all start at 0, where the loss is convex anyway. `l2`: see
/// add_l2. T is float or double.
template <class T>
std::unique_ptr<const NeuralNetwork<T>> make_linear_network(std::size_t inputs, LinearLoss loss, double l2);

/// Adds the derivatives of l2 / 2 times the sum of squares of all weight matrices (not of biases) to
/// `gradient` and returns that penalty.
template <class T>
double add_l2(double l2, const Layout& layout, std::span<const T> parameters, std::span<T> gradient);

}  // namespace convoy::detail
