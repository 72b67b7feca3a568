#include "learning/detail/dense_network.hpp"
#include "learning/models/model_of.hpp"

namespace convoy::models {
namespace {

std::vector<std::size_t> widths_of(std::size_t inputs, const std::vector<std::int64_t>& hidden,
                                   std::size_t classes) {
  std::vector<std::size_t> widths{inputs};
  for (const std::int64_t width : hidden) widths.push_back(static_cast<std::size_t>(width));
  widths.push_back(classes);
  return widths;
}

std::string joined(const std::vector<std::size_t>& widths) {
  std::string text;
  for (const std::size_t width : widths) text += (text.empty() ? "" : "-") + std::to_string(width);
  return text;
}

class SoftmaxRegression final : public ModelOf<SoftmaxRegression> {
 public:
  [[nodiscard]] std::string_view kind() const override { return "softmax_regression"; }
  [[nodiscard]] std::string_view about() const override {
    return "multinomial logistic regression: one linear layer, softmax, cross-entropy; convex";
  }
  void declare(Options& options) override {
    options.add("l2", l2_).at_least(0).help(
        "l2 / 2 times the squares of all weights, not of biases, is added to the training loss");
  }
  [[nodiscard]] std::string describe(std::size_t inputs, std::size_t classes) const override {
    return "softmax regression " + joined(widths_of(inputs, {}, classes));
  }
  template <class T>
  [[nodiscard]] std::unique_ptr<const NeuralNetwork<T>> build(std::size_t inputs, std::size_t classes) const {
    return detail::make_dense_network<T>(widths_of(inputs, {}, classes), l2_);
  }

 private:
  double l2_ = 0;
};

enum class Activation { relu };

class MultilayerPerceptron final : public ModelOf<MultilayerPerceptron> {
 public:
  [[nodiscard]] std::string_view kind() const override { return "mlp"; }
  [[nodiscard]] std::string_view about() const override {
    return "multilayer perceptron: fully connected layers with ReLU between them, softmax, cross-entropy; "
           "He uniform initial weights (He et al., ICCV 2015), Glorot uniform before the softmax (AISTATS "
           "2010)";
  }
  void declare(Options& options) override {
    options.add("hidden", hidden_)
        .at_least(1)
        .at_most(1 << 20)
        .items(0, 64)
        .help("width of each hidden layer; none is softmax regression");
    options.add("activation", activation_, {{"relu", Activation::relu}}).help("function between layers");
  }
  [[nodiscard]] std::string describe(std::size_t inputs, std::size_t classes) const override {
    return "mlp " + joined(widths_of(inputs, hidden_, classes)) + " relu";
  }
  template <class T>
  [[nodiscard]] std::unique_ptr<const NeuralNetwork<T>> build(std::size_t inputs, std::size_t classes) const {
    return detail::make_dense_network<T>(widths_of(inputs, hidden_, classes));
  }

 private:
  std::vector<std::int64_t> hidden_{128};
  Activation activation_ = Activation::relu;
};

}  // namespace

VariantMakers<Model> dense_models() {
  return {{"softmax_regression", [] { return std::make_unique<SoftmaxRegression>(); }},
          {"mlp", [] { return std::make_unique<MultilayerPerceptron>(); }}};
}

}  // namespace convoy::models
