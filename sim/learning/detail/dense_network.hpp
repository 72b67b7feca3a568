// Fully connected layers with ReLU between them and softmax cross-entropy at the end, on Eigen's matrix
// product.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "learning/model.hpp"

namespace convoy::detail {

/// `widths` = {inputs, hidden..., classes}; without hidden layers it is softmax regression. Layer l (from 1)
/// has the tensors "dense<l>.weight" (outputs x inputs, row by row) and "dense<l>.bias". `l2`: see
/// add_l2. T is float or double.
template <class T>
std::unique_ptr<const NeuralNetwork<T>> make_dense_network(std::vector<std::size_t> widths, double l2 = 0);

}  // namespace convoy::detail
