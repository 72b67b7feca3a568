#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "learning/layers/activation.hpp"
#include "learning/layers/attention.hpp"
#include "learning/layers/convolution.hpp"
#include "learning/layers/dense.hpp"
#include "learning/layers/embedding.hpp"
#include "learning/layers/layer.hpp"
#include "learning/layers/lstm.hpp"
#include "learning/layers/normalization.hpp"
#include "learning/layers/pooling.hpp"
#include "learning/layers/sequential.hpp"
#include "learning/numerics.hpp"

using namespace convoy;
using namespace convoy::layers;

namespace {

/// Memory aligned to 64 bytes.
class Array {
 public:
  explicit Array(std::size_t size) : memory_(size + 8) {
    void* start = memory_.data();
    std::size_t space = memory_.size() * sizeof(double);
    start_ = static_cast<double*>(std::align(64, size * sizeof(double), start, space));
    std::fill_n(start_, size, std::nan(""));  // nobody may rely on what was there
  }
  [[nodiscard]] double* data() const { return start_; }

 private:
  std::vector<double> memory_;
  double* start_;
};

/// The larger one; not a number if either is.
double worse(double a, double b) {
  return std::isnan(a) || a > b ? a : b;
}

/// A layer on a batch, with the scalar L = sum_i r_i y_i of its output y, for fixed random r.
class Probe {
 public:
  Probe(std::unique_ptr<Layer<double>> layer, std::size_t samples, std::size_t tokens = 0)
      : layer_(std::move(layer)), samples_(samples), tokens_(tokens) {
    pin_numerics();
    layer_->lay_out(layout_, "layer");
    parameters_.assign(layout_.size, 0);
    layer_->initialise(parameters_.data(), 3);
    RandomStream random(0, "layers test");
    for (double& value : parameters_) value += 0.2 * random.normal();
    for (std::size_t i = 0; i < samples * layer_->inputs(); ++i) {
      inputs_.push_back(tokens > 0 ? static_cast<double>(random.below(tokens)) : random.normal());
    }
    for (std::size_t i = 0; i < samples * layer_->outputs(); ++i) cotangent_.push_back(random.normal());
  }

  [[nodiscard]] std::vector<double> output() const {
    const Array kept(layer_->kept(samples_));
    const Array scratch(layer_->scratch(samples_));
    const Array y(cotangent_.size());
    layer_->forward({samples_, parameters_.data(), kept.data(), scratch.data()}, inputs_.data(), y.data());
    return {y.data(), y.data() + cotangent_.size()};
  }

  /// The largest difference of a derivative from its central difference, relative to the largest derivative
  /// of the tensor (or the input) it belongs to.
  [[nodiscard]] double worst() {
    const Array kept(layer_->kept(samples_));
    const Array scratch(layer_->scratch(samples_));
    const Array y(cotangent_.size());
    const Call<double> call{samples_, parameters_.data(), kept.data(), scratch.data()};
    layer_->forward(call, inputs_.data(), y.data());
    std::vector<double> by_parameters(parameters_.size(), 0);
    std::vector<double> by_inputs(inputs_.size(), std::nan(""));
    layer_->backward(call, inputs_.data(), y.data(), cotangent_.data(),
                     tokens_ > 0 ? nullptr : by_inputs.data(), by_parameters.data());
    double result = 0;
    for (const LayerSpan& tensor : layout_.layers) {
      result = worse(result, compare(parameters_, by_parameters, tensor.offset, tensor.size()));
    }
    if (tokens_ == 0) result = worse(result, compare(inputs_, by_inputs, 0, inputs_.size()));
    return result;
  }
  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] Layer<double>& layer() { return *layer_; }
  std::vector<double>& inputs() { return inputs_; }
  std::vector<double>& parameters() { return parameters_; }

 private:
  [[nodiscard]] double value() const {
    const std::vector<double> y = output();
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += cotangent_[i] * y[i];
    return sum;
  }

  double compare(std::vector<double>& variables, const std::vector<double>& derivatives, std::size_t first,
                 std::size_t size) {
    double largest = 0;
    double difference = 0;
    for (std::size_t i = first; i < first + size; ++i) {
      constexpr double h = 1e-5;
      const double old = variables[i];
      variables[i] = old + h;
      const double above = value();
      variables[i] = old - h;
      const double below = value();
      variables[i] = old;
      largest = std::max(largest, std::abs(derivatives[i]));
      difference = worse(difference, std::abs((above - below) / (2 * h) - derivatives[i]));
    }
    return difference / largest;
  }

  std::unique_ptr<Layer<double>> layer_;
  std::size_t samples_, tokens_;
  Layout layout_;
  std::vector<double> parameters_, inputs_, cotangent_;
};

template <class L, class... Arguments>
std::unique_ptr<Layer<double>> layer(Arguments&&... arguments) {
  return std::make_unique<L>(std::forward<Arguments>(arguments)...);
}

const Initial small{Initial::Law::normal, 0.5};

std::unique_ptr<Sequential<double>> dense_relu_dense(std::size_t in, std::size_t out) {
  auto body = std::make_unique<Sequential<double>>();
  body->add<Dense<double>>("first", Dense<double>::Shape{.inputs = in, .outputs = 7}, small);
  body->add<Relu<double>>("relu", 7U);
  body->add<Dense<double>>("second", Dense<double>::Shape{.inputs = 7, .outputs = out}, small);
  return body;
}

}  // namespace

TEST_CASE("the derivatives of each layer are its finite differences") {
  // Central differences with h = 1e-5 err by h^2 f''' / 6 + 1e-16 / h = 1e-10 or so, relative to values of
  // order one: 1e-7 is a sharp bound. No kink of a ReLU or a maximum lies within h of these draws.
  struct Case {
    const char* name;
    std::unique_ptr<Layer<double>> layer;
    std::size_t tokens = 0;
  };
  const ImageShape image{.channels = 2, .height = 6, .width = 5};
  std::vector<Case> cases;
  cases.push_back({"dense", layer<Dense<double>>(Dense<double>::Shape{.inputs = 5, .outputs = 3}, small)});
  cases.push_back(
      {"dense at positions",
       layer<Dense<double>>(Dense<double>::Shape{.inputs = 4, .outputs = 9, .positions = 3}, small)});
  cases.push_back({"relu", layer<Relu<double>>(11U)});
  cases.push_back({"gelu", layer<Gelu<double>>(700U)});
  cases.push_back({"convolution", layer<Convolution<double>>(image, 3U, Window{.side = 3}, small)});
  cases.push_back(
      {"padded convolution", layer<Convolution<double>>(image, 3U, Window{.side = 5, .padding = 2}, small)});
  cases.push_back(
      {"strided convolution",
       layer<Convolution<double>>(image, 2U, Window{.side = 3, .stride = 2, .padding = 1}, small)});
  cases.push_back(
      {"strided wide convolution",
       layer<Convolution<double>>(image, 2U, Window{.side = 4, .stride = 3, .padding = 3}, small)});
  cases.push_back({"pointwise convolution", layer<Convolution<double>>(image, 4U, Window{.side = 1}, small)});
  cases.push_back({"strided pointwise convolution without bias",
                   layer<Convolution<double>>(image, 4U, Window{.side = 1, .stride = 2}, small, false)});
  cases.push_back({"max pool", layer<MaxPool<double>>(image, Window{.side = 2, .stride = 2})});
  cases.push_back({"overlapping max pool", layer<MaxPool<double>>(image, Window{.side = 3, .stride = 1})});
  cases.push_back({"average pool", layer<AveragePool<double>>(image, Window{.side = 2, .stride = 2})});
  cases.push_back({"layer norm", layer<LayerNorm<double>>(19U, 2U)});
  cases.push_back({"group norm", layer<GroupNorm<double>>(
                                     GroupNorm<double>::Shape{.channels = 6, .pixels = 7, .groups = 2})});
  cases.push_back({"instance norm", layer<GroupNorm<double>>(
                                        GroupNorm<double>::Shape{.channels = 3, .pixels = 20, .groups = 3})});
  cases.push_back(
      {"embedding",
       layer<Embedding<double>>(Embedding<double>::Shape{.vocabulary = 4, .width = 3, .positions = 6}, small),
       4});
  cases.push_back(
      {"embedding with positions",
       layer<Embedding<double>>(
           Embedding<double>::Shape{.vocabulary = 4, .width = 3, .positions = 6, .learned_positions = true},
           small),
       4});
  cases.push_back({"one head of attention", layer<CausalAttention<double>>(CausalAttention<double>::Shape{
                                                .width = 4, .heads = 1, .positions = 5})});
  cases.push_back({"attention", layer<CausalAttention<double>>(CausalAttention<double>::Shape{
                                    .width = 6, .heads = 3, .positions = 17})});
  cases.push_back(
      {"lstm", layer<Lstm<double>>(Lstm<double>::Shape{.inputs = 3, .width = 5, .positions = 4}, small)});
  cases.push_back({"sequential", dense_relu_dense(5, 4)});
  cases.push_back({"residual", layer<Residual<double>>(dense_relu_dense(6, 6))});
  cases.push_back(
      {"residual with a shortcut", layer<Residual<double>>(dense_relu_dense(6, 4), dense_relu_dense(6, 4))});
  {
    auto nested = std::make_unique<Sequential<double>>();
    nested->append("first", layer<Residual<double>>(dense_relu_dense(6, 6)));
    nested->add<Relu<double>>("relu", 6U);
    nested->append("second", layer<Residual<double>>(dense_relu_dense(6, 3), dense_relu_dense(6, 3)));
    nested->add<Gelu<double>>("gelu", 3U);
    cases.push_back({"nested", std::move(nested)});
  }
  {
    // A ReLU behind a layer that reads its output may not overwrite it.
    auto pooled = std::make_unique<Sequential<double>>();
    pooled->add<Convolution<double>>("conv", image, 2U, Window{.side = 3, .padding = 1}, small);
    pooled->add<MaxPool<double>>("pool", ImageShape{2, 6, 5}, Window{.side = 2, .stride = 2});
    pooled->add<Relu<double>>("relu", 12U);
    pooled->add<Dense<double>>("dense", Dense<double>::Shape{.inputs = 12, .outputs = 2}, small);
    cases.push_back({"relu behind a maximum", std::move(pooled)});
  }
  {
    auto tied = std::make_unique<Sequential<double>>();
    const auto& embedding = tied->add<Embedding<double>>(
        "embedding", Embedding<double>::Shape{.vocabulary = 5, .width = 4, .positions = 3}, small);
    tied->add<Gelu<double>>("gelu", 12U);
    tied->add<TiedHead<double>>("head", embedding);
    cases.push_back({"tied head", std::move(tied), 5});
  }
  for (Case& c : cases) {
    CAPTURE(c.name);
    Probe probe(std::move(c.layer), 3, c.tokens);
    CHECK(probe.worst() < 1e-7);
  }
}

TEST_CASE("a convolution is the sum over its taps") {
  // y(f, oy, ox) = b_f + sum over c, ky, kx of w(f, c, ky, kx) x(c, oy s + ky - p, ox s + kx - p), zero
  // outside.
  const ImageShape image{.channels = 2, .height = 5, .width = 7};
  for (const Window window :
       {Window{.side = 3, .stride = 1, .padding = 1}, Window{.side = 3, .stride = 2, .padding = 2},
        Window{.side = 2, .stride = 3, .padding = 0}}) {
    Probe probe(layer<Convolution<double>>(image, 3U, window, small), 1);
    const std::vector<double> y = probe.output();
    const std::vector<double>& w = probe.parameters();
    const std::size_t height = window.places(image.height);
    const std::size_t width = window.places(image.width);
    REQUIRE(y.size() == 3 * height * width);
    double worst = 0;
    for (std::size_t f = 0; f < 3; ++f) {
      for (std::size_t oy = 0; oy < height; ++oy) {
        for (std::size_t ox = 0; ox < width; ++ox) {
          double sum = w[3 * 2 * window.side * window.side + f];
          for (std::size_t c = 0; c < 2; ++c) {
            for (std::size_t ky = 0; ky < window.side; ++ky) {
              for (std::size_t kx = 0; kx < window.side; ++kx) {
                const std::size_t iy = oy * window.stride + ky - window.padding;  // wraps when outside
                const std::size_t ix = ox * window.stride + kx - window.padding;
                if (iy >= image.height || ix >= image.width) continue;
                sum += w[((f * 2 + c) * window.side + ky) * window.side + kx] *
                       probe.inputs()[(c * image.height + iy) * image.width + ix];
              }
            }
          }
          worst = worse(worst, std::abs(sum - y[(f * height + oy) * width + ox]));
        }
      }
    }
    CHECK(worst < 1e-13);
  }
}

TEST_CASE("attention does not look ahead") {
  // Changing the last position of a sample changes no output but the last.
  Probe probe(
      layer<CausalAttention<double>>(CausalAttention<double>::Shape{.width = 4, .heads = 2, .positions = 5}),
      1);
  const std::vector<double> before = probe.output();
  for (std::size_t i = 4 * 12; i < 5 * 12; ++i) probe.inputs()[i] += 1;
  const std::vector<double> after = probe.output();
  for (std::size_t i = 0; i < 4 * 4; ++i) CHECK(before[i] == after[i]);
  CHECK(before[16] != after[16]);
}

TEST_CASE("norms give mean zero and variance one before their scale and shift") {
  // Exactly: variance v / (v + 1e-5) of the normalised values.
  Probe probe(layer<GroupNorm<double>>(GroupNorm<double>::Shape{.channels = 4, .pixels = 9, .groups = 2}), 2);
  std::fill(probe.parameters().begin(), probe.parameters().begin() + 4, 1.0);
  std::fill(probe.parameters().begin() + 4, probe.parameters().end(), 0.0);
  const std::vector<double> y = probe.output();
  for (std::size_t group = 0; group < 4; ++group) {
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < 18; ++i) {
      sum += y[group * 18 + i];
      squares += y[group * 18 + i] * y[group * 18 + i];
    }
    CHECK(std::abs(sum / 18) < 1e-14);
    CHECK(std::abs(squares / 18 - 1) < 1e-4);
  }
}

TEST_CASE("widths that do not fit are refused") {
  Sequential<double> body;
  body.add<Relu<double>>("relu", 4U);
  CHECK_THROWS_AS(body.add<Relu<double>>("other", 5U), std::logic_error);
  CHECK_THROWS_AS(Residual<double>(dense_relu_dense(4, 3)), std::logic_error);
  CHECK_THROWS_AS((GroupNorm<double>({.channels = 4, .pixels = 2, .groups = 3})), std::logic_error);
  CHECK_THROWS_AS((CausalAttention<double>({.width = 4, .heads = 3, .positions = 2})), std::logic_error);
  CHECK_THROWS_AS((MaxPool<double>({.channels = 1, .height = 2, .width = 2}, {.side = 3, .stride = 1})),
                  std::logic_error);
}
