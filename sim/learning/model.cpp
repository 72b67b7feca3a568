#include "learning/model.hpp"

#include "learning/detail/dense_network.hpp"

namespace convoy {
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

class SoftmaxRegression final : public Model {
 public:
  [[nodiscard]] std::string_view kind() const override { return "softmax_regression"; }
  [[nodiscard]] std::string_view about() const override {
    return "multinomial logistic regression: one linear layer, softmax, cross-entropy; convex";
  }
  void declare(Options&) override {}
  [[nodiscard]] std::string describe(std::size_t inputs, std::size_t classes) const override {
    return "softmax regression " + joined(widths_of(inputs, {}, classes));
  }
  [[nodiscard]] std::unique_ptr<const NeuralNetwork<float>> build_float32(
      std::size_t inputs, std::size_t classes) const override {
    return detail::make_dense_network<float>(widths_of(inputs, {}, classes));
  }
  [[nodiscard]] std::unique_ptr<const NeuralNetwork<double>> build_float64(
      std::size_t inputs, std::size_t classes) const override {
    return detail::make_dense_network<double>(widths_of(inputs, {}, classes));
  }
};

enum class Activation { relu };

class MultilayerPerceptron final : public Model {
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
  [[nodiscard]] std::unique_ptr<const NeuralNetwork<float>> build_float32(
      std::size_t inputs, std::size_t classes) const override {
    return detail::make_dense_network<float>(widths_of(inputs, hidden_, classes));
  }
  [[nodiscard]] std::unique_ptr<const NeuralNetwork<double>> build_float64(
      std::size_t inputs, std::size_t classes) const override {
    return detail::make_dense_network<double>(widths_of(inputs, hidden_, classes));
  }

 private:
  std::vector<std::int64_t> hidden_{128};
  Activation activation_ = Activation::relu;
};

}  // namespace

VariantMakers<Model> model_makers() {
  return {{"softmax_regression", [] { return std::make_unique<SoftmaxRegression>(); }},
          {"mlp", [] { return std::make_unique<MultilayerPerceptron>(); }}};
}

}  // namespace convoy
