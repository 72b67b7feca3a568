// What the models share.
#pragma once

#include <memory>
#include <string>

#include "learning/model.hpp"

namespace convoy::models {

/// A model that builds networks of either scalar by its template build<T>(inputs, classes).
template <class Derived>
class ModelOf : public Model {
 public:
  [[nodiscard]] std::unique_ptr<const NeuralNetwork<float>> build_float32(std::size_t inputs,
                                                                          std::size_t classes) const final {
    return static_cast<const Derived&>(*this).template build<float>(inputs, classes);
  }
  [[nodiscard]] std::unique_ptr<const NeuralNetwork<double>> build_float64(std::size_t inputs,
                                                                           std::size_t classes) const final {
    return static_cast<const Derived&>(*this).template build<double>(inputs, classes);
  }
};

/// Throws ConfigError at task.model.
[[noreturn]] void refuse_model(std::string message, std::string found, std::string allowed = {});

/// Makers of the models of each family.
[[nodiscard]] VariantMakers<Model> dense_models();
[[nodiscard]] VariantMakers<Model> image_models();
[[nodiscard]] VariantMakers<Model> text_models();
[[nodiscard]] VariantMakers<Model> regression_models();

}  // namespace convoy::models
