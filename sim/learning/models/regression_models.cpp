// Linear and logistic regression.
#include <fmt/format.h>

#include "learning/detail/linear_network.hpp"
#include "learning/models/model_of.hpp"

namespace convoy::models {
namespace {

using detail::LinearLoss;

void declare_l2(Options& options, double& l2) {
  options.add("l2", l2).at_least(0).help(
      "l2 / 2 times the squares of all weights, not of the bias, is added to the training loss");
}

class LinearRegression final : public ModelOf<LinearRegression> {
 public:
  [[nodiscard]] std::string_view kind() const override { return "linear_regression"; }
  [[nodiscard]] std::string_view about() const override {
    return "least squares: half the squared distance of w x + b from the label, taken as a number; convex; "
           "starts at 0; reports no accuracy";
  }
  void declare(Options& options) override { declare_l2(options, l2_); }
  [[nodiscard]] std::string describe(std::size_t inputs, std::size_t) const override {
    return fmt::format("linear regression of {} features, l2 {}", inputs, l2_);
  }
  template <class T>
  [[nodiscard]] std::unique_ptr<const NeuralNetwork<T>> build(std::size_t inputs, std::size_t) const {
    return detail::make_linear_network<T>(inputs, LinearLoss::squared, l2_);
  }

 private:
  double l2_ = 0;
};

class LogisticRegression final : public ModelOf<LogisticRegression> {
 public:
  [[nodiscard]] std::string_view kind() const override { return "logistic_regression"; }
  [[nodiscard]] std::string_view about() const override {
    return "logistic regression of two classes: log(1 + exp(z)) - y z with z = w x + b; convex; starts at 0";
  }
  void declare(Options& options) override { declare_l2(options, l2_); }
  [[nodiscard]] std::string describe(std::size_t inputs, std::size_t) const override {
    return fmt::format("logistic regression of {} features, l2 {}", inputs, l2_);
  }
  template <class T>
  [[nodiscard]] std::unique_ptr<const NeuralNetwork<T>> build(std::size_t inputs, std::size_t classes) const {
    if (classes != 2) {
      refuse_model(fmt::format("logistic_regression tells 2 classes apart, and the data have {}", classes),
                   "logistic_regression", "softmax_regression for more classes");
    }
    return detail::make_linear_network<T>(inputs, LinearLoss::logistic, l2_);
  }

 private:
  double l2_ = 0;
};

}  // namespace

VariantMakers<Model> regression_models() {
  return {{"linear_regression", [] { return std::make_unique<LinearRegression>(); }},
          {"logistic_regression", [] { return std::make_unique<LogisticRegression>(); }}};
}

}  // namespace convoy::models
