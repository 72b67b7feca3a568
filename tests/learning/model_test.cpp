#include "learning/model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "learning/fixtures.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

Node hidden(std::initializer_list<std::int64_t> widths) {
  Node node = Node::list();
  for (const std::int64_t width : widths) node.items.push_back(Node::of(width));
  return object({{"hidden", node}});
}

Node integers(std::initializer_list<std::int64_t> values) {
  Node node = Node::list();
  for (const std::int64_t value : values) node.items.push_back(Node::of(value));
  return node;
}

Node small_cnn(const char* pooling) {
  return object({{"filters", integers({2, 3})},
                 {"kernel", integer(3)},
                 {"padding", text("same")},
                 {"pooling", text(pooling)},
                 {"hidden", integers({6})}});
}

Node small_resnet() {
  return object({{"widths", integers({2, 4})}, {"groups", integer(2)}});
}

Node small_gpt(const char* head) {
  return object({{"layers", integer(2)},
                 {"width", integer(6)},
                 {"heads", integer(2)},
                 {"context", integer(5)},
                 {"head", text(head)}});
}

Node small_lstm() {
  return object({{"layers", integer(2)}, {"width", integer(4)}, {"embedding", integer(3)}});
}

template <class T>
struct Batch {
  std::vector<T> features;
  std::vector<std::uint8_t> labels;

  /// Samples for a network of texts: whole numbers, and a label for each.
  Batch(const NeuralNetwork<T>& network, std::size_t samples, std::size_t inputs, std::size_t classes,
        std::uint64_t seed)
      : Batch(samples, inputs, classes, seed) {
    if (network.labels_per_sample() == 1) return;
    RandomStream stream(seed, "model test", 1);
    for (T& feature : features) feature = static_cast<T>(stream.below(classes));
    for (std::size_t i = samples; i < samples * network.labels_per_sample(); ++i)
      labels.push_back(static_cast<std::uint8_t>(stream.below(classes)));
  }

  Batch(std::size_t samples, std::size_t inputs, std::size_t classes, std::uint64_t seed) {
    RandomStream stream(seed, "model test");
    for (std::size_t i = 0; i < samples * inputs; ++i) features.push_back(static_cast<T>(stream.normal()));
    for (std::size_t i = 0; i < samples; ++i)
      labels.push_back(static_cast<std::uint8_t>(stream.below(classes)));
  }
};

// Parameters of which no bias is zero.
Vector parameters_of(const NeuralNetwork<double>& network) {
  Vector x = network.initial_parameters(5);
  RandomStream stream(6, "model test");
  for (double& value : x.mutable_values<double>()) value += 0.1 * stream.normal();
  return x;
}

double loss_at(const NeuralNetwork<double>& network, const Vector& x, const Batch<double>& batch) {
  std::vector<double> unused(x.size());
  return network.gradient(x.values<double>(), batch.features.data(), batch.labels, unused);
}

}  // namespace

TEST_CASE("gradients are the finite differences of the loss, for every parameter of every layer") {
  // Central differences with h = 1e-5 in float64 err by about h^2 f''' / 6 + 1e-16 / h = 1e-10, so 1e-6 of
  // the largest entry of the layer is a sharp bound. No ReLU of these draws has its kink within h.
  struct Case {
    const char* kind;
    Node options;
    std::size_t inputs, classes, samples;
  };
  const Case cases[] = {
      {"softmax_regression", Node::object(), 5, 3, 7},
      {"softmax_regression", Node::object(), 1, 2, 1},
      {"softmax_regression", object({{"l2", number(0.3)}}), 5, 3, 7},
      {"linear_regression", object({{"l2", number(0.3)}}), 5, 3, 7},
      {"logistic_regression", object({{"l2", number(0.3)}}), 5, 2, 7},
      {"logistic_regression", Node::object(), 40, 2, 33},
      {"mlp", hidden({}), 4, 3, 6},
      {"mlp", hidden({6}), 5, 4, 9},
      {"mlp", hidden({7, 5}), 6, 3, 8},
      {"mlp", hidden({4, 9, 3}), 3, 10, 17},
      {"mlp", hidden({33}), 20, 10, 32},
      {"cnn", small_cnn("max"), 64, 3, 5},
      {"cnn", small_cnn("average"), 108, 4, 2},
      {"resnet", small_resnet(), 36, 3, 4},
      {"resnet", small_resnet(), 75, 2, 3},
      {"char_gpt", small_gpt("tied"), 5, 4, 3},
      {"char_gpt", small_gpt("linear"), 5, 7, 2},
      {"char_lstm", small_lstm(), 6, 5, 3},
  };
  for (const Case& c : cases) {
    const auto model = make(model_makers(), c.kind, c.options);
    CAPTURE(model->describe(c.inputs, c.classes));
    const auto network = model->build_float64(c.inputs, c.classes);
    const Batch<double> batch(*network, c.samples, c.inputs, c.classes, 1);
    Vector x = parameters_of(*network);
    std::vector<double> gradient(x.size(), 99);
    network->gradient(x.values<double>(), batch.features.data(), batch.labels, gradient);
    for (const LayerSpan& layer : network->layout()->layers) {
      CAPTURE(layer.name);
      double largest = 0;
      for (std::size_t i = 0; i < layer.size(); ++i)
        largest = std::max(largest, std::abs(gradient[layer.offset + i]));
      CHECK(largest > 0);
      double worst = 0;
      for (std::size_t i = layer.offset; i < layer.offset + layer.size(); ++i) {
        constexpr double h = 1e-5;
        const double value = x[i];
        x.set(i, value + h);
        const double above = loss_at(*network, x, batch);
        x.set(i, value - h);
        const double below = loss_at(*network, x, batch);
        x.set(i, value);
        worst = std::max(worst, std::abs((above - below) / (2 * h) - gradient[i]));
      }
      CHECK(worst <= 1e-6 * largest);
    }
  }
}

TEST_CASE("softmax regression on one sample gives the numbers computed by hand") {
  // W = [[1, 0], [0, 1]], b = (0, 1), x = (2, 1): logits (2, 2), softmax (1/2, 1/2), loss log 2 for either
  // label. Label 0: delta = (-1/2, 1/2), dW = delta x^T = [[-1, -1/2], [1, 1/2]], db = delta.
  const auto network = make(model_makers(), "softmax_regression")->build_float64(2, 2);
  const std::vector<double> parameters{1, 0, 0, 1, 0, 1};
  const std::vector<double> features{2, 1};
  const std::vector<std::uint8_t> labels{0};
  std::vector<double> gradient(6);
  CHECK(network->gradient(parameters, features.data(), labels, gradient) ==
        doctest::Approx(std::log(2.0)).epsilon(1e-14));
  const std::vector<double> expected{-1, -0.5, 1, 0.5, -0.5, 0.5};
  for (std::size_t i = 0; i < 6; ++i) CHECK(gradient[i] == doctest::Approx(expected[i]).epsilon(1e-14));
  // Both logits are largest: the lower class is predicted.
  CHECK(network->evaluate(parameters, features.data(), labels).correct == 1);
  CHECK(network->evaluate(parameters, features.data(), std::vector<std::uint8_t>{1}).correct == 0);
}

TEST_CASE("an mlp without hidden layers is softmax regression") {
  const auto a = make(model_makers(), "softmax_regression")->build_float32(8, 4);
  const auto b = make(model_makers(), "mlp", hidden({}))->build_float32(8, 4);
  const Vector x = a->initial_parameters(1);
  CHECK(x == b->initial_parameters(1));
  const Batch<float> batch(5, 8, 4, 2);
  std::vector<float> ga(x.size());
  std::vector<float> gb(x.size());
  a->gradient(x.values<float>(), batch.features.data(), batch.labels, ga);
  b->gradient(x.values<float>(), batch.features.data(), batch.labels, gb);
  CHECK(ga == gb);
}

TEST_CASE("float32 follows float64 to its own precision") {
  const auto model = make(model_makers(), "mlp", hidden({16}));
  const auto single = model->build_float32(20, 10);
  const auto twice = model->build_float64(20, 10);
  const Vector x32 = single->initial_parameters(3);
  const Vector x64 = twice->initial_parameters(3);
  const Batch<float> b32(64, 20, 10, 4);
  const Batch<double> b64(64, 20, 10, 4);
  CHECK(b32.labels == b64.labels);
  std::vector<float> g32(x32.size());
  std::vector<double> g64(x64.size());
  const double loss32 = single->gradient(x32.values<float>(), b32.features.data(), b32.labels, g32);
  const double loss64 = twice->gradient(x64.values<double>(), b64.features.data(), b64.labels, g64);
  CHECK(loss32 == doctest::Approx(loss64).epsilon(1e-5));
  double worst = 0;
  for (std::size_t i = 0; i < g64.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(g32[i]) - g64[i]));
  CHECK(worst < 1e-6);
}

TEST_CASE("losses stay exact for logits far beyond the range of exp") {
  // W = 0, b = (1000, 0): loss of label 1 is 1000, of label 0 it is 0, in both precisions.
  const auto model = make(model_makers(), "softmax_regression");
  const std::vector<float> b32{0, 0, 1000, 0};
  const std::vector<double> b64{0, 0, 1000, 0};
  const float x32 = 1;
  const double x64 = 1;
  for (const std::uint8_t label : {0, 1}) {
    const std::vector<std::uint8_t> labels{label};
    std::vector<float> g32(4);
    std::vector<double> g64(4);
    CHECK(model->build_float32(1, 2)->gradient(b32, &x32, labels, g32) == label * 1000.0);
    CHECK(model->build_float64(1, 2)->gradient(b64, &x64, labels, g64) == label * 1000.0);
    CHECK(g64[2] == label * 1.0);
  }
}

TEST_CASE("parameters that are not finite give a loss that is not finite") {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (const char* kind : {"softmax_regression", "mlp"}) {
      const auto network = make(model_makers(), kind)->build_float64(4, 3);
      const Batch<double> batch(6, 4, 3, 1);
      for (const LayerSpan& layer : network->layout()->layers) {
        Vector x = network->initial_parameters(0);
        x.set(layer.offset, bad);
        // A ReLU may cut one weight off; a bias of the last layer always counts.
        if (layer.name.find("bias") == std::string::npos || layer.offset + layer.size() != x.size()) continue;
        CHECK(!std::isfinite(loss_at(*network, x, batch)));
        CHECK(
            !std::isfinite(network->evaluate(x.values<double>(), batch.features.data(), batch.labels).loss));
      }
    }
  }
}

TEST_CASE("evaluate sums the loss that gradient averages") {
  const auto network = make(model_makers(), "mlp", hidden({12}))->build_float64(6, 5);
  const Vector x = parameters_of(*network);
  const Batch<double> batch(50, 6, 5, 7);
  const LossTotals totals = network->evaluate(x.values<double>(), batch.features.data(), batch.labels);
  CHECK(totals.loss / 50 == doctest::Approx(loss_at(*network, x, batch)).epsilon(1e-13));
  CHECK(totals.correct <= 50);
}

TEST_CASE("initial weights have the variances of He and Glorot, biases are zero") {
  // mlp 784-128-10: Var U(-b, b) = b^2 / 3 = 2 / 784 before the ReLU and 2 / (128 + 10) before the softmax.
  const auto network = make(model_makers(), "mlp", hidden({128}))->build_float64(784, 10);
  CHECK(network->layout()->size == 101770);
  const Vector x = network->initial_parameters(0);
  const auto variance = [&x](std::size_t layer) {
    double sum = 0;
    const auto values = x.layer<double>(layer);
    for (const double value : values) sum += value * value;
    return sum / static_cast<double>(values.size());
  };
  // The relative deviation of a variance estimate from n uniforms is sqrt(0.8 / n): 0.3 % and 2.5 %.
  CHECK(variance(0) == doctest::Approx(2.0 / 784).epsilon(0.015));
  CHECK(variance(2) == doctest::Approx(2.0 / 138).epsilon(0.12));
  CHECK(variance(1) == 0);
  CHECK(variance(3) == 0);
  CHECK(network->initial_parameters(0) == x);
  CHECK(network->initial_parameters(1) != x);
}

TEST_CASE("costs count every product but the gradient for the input") {
  // 784-128-10: first layer 2 passes of 2 x 784 x 128, second 3 passes of 2 x 128 x 10.
  const auto network = make(model_makers(), "mlp", hidden({128}))->build_float32(784, 10);
  CHECK(network->flops_per_sample() == 4.0 * 784 * 128 + 6.0 * 128 * 10);
  CHECK(network->activations_per_sample() == 784 + 128 + 10);
}

TEST_CASE("a hidden width of zero or an unknown activation is a fault of the config") {
  CHECK_THROWS_AS(static_cast<void>(make(model_makers(), "mlp", hidden({0}))), ConfigError);
  CHECK_THROWS_AS(static_cast<void>(make(model_makers(), "mlp", object({{"activation", text("relo")}}))),
                  ConfigError);
}

TEST_CASE("the cnn of the defaults on 28 x 28 images has LeNet-5's 61,706 parameters") {
  // (25 + 1) 6 + (150 + 1) 16 + (400 + 1) 120 + (120 + 1) 84 + (84 + 1) 10.
  const auto network = make(model_makers(), "cnn")->build_float32(784, 10);
  CHECK(network->layout()->size == 61706);
  // Multiply-adds of a pass: 28^2 6 25, 10^2 16 150, 400 120, 120 84, 84 10; the first layer has no
  // derivatives by its input.
  CHECK(network->flops_per_sample() ==
        4.0 * 784 * 6 * 25 + 6.0 * (100.0 * 16 * 150 + 400 * 120 + 120 * 84 + 84 * 10));
}

TEST_CASE("resnet counts its layers as He et al. do") {
  // 6 n + 2 layers for three stages of n blocks; parameters: stem 9 16 + 32; stage 1: 2 (9 16 16 + 32);
  // stage 2: 9 16 32 + 9 32 32 + 16 32 + 3 64; stage 3: 9 32 64 + 9 64 64 + 32 64 + 3 128; head 64 10 + 10.
  const auto model = make(model_makers(), "resnet");
  CHECK(model->describe(784, 10) == "resnet-8 1 x 28 x 28, widths 16-32-64, 10 classes");
  CHECK(model->build_float32(784, 10)->layout()->size ==
        (144 + 32) + 2 * (2304 + 32) + (4608 + 9216 + 512 + 192) + (18432 + 36864 + 2048 + 384) + 650);
}

TEST_CASE("a batch that goes through the layers in parts has the gradient of one that does not") {
  // The gradient of a batch is the mean of its samples' gradients: to rounding in float64.
  const auto network = make(model_makers(), "cnn")->build_float64(784, 10);
  const Vector x = parameters_of(*network);
  const Batch<double> batch(9, 784, 10, 3);
  std::vector<double> whole(x.size());
  const double loss = network->gradient(x.values<double>(), batch.features.data(), batch.labels, whole);
  std::vector<double> sum(x.size());
  double losses = 0;
  for (std::size_t i = 0; i < 9; ++i) {
    std::vector<double> part(x.size());
    losses += network->gradient(x.values<double>(), batch.features.data() + 784 * i,
                                std::span(batch.labels).subspan(i, 1), part);
    for (std::size_t k = 0; k < part.size(); ++k) sum[k] += part[k] / 9;
  }
  CHECK(loss == doctest::Approx(losses / 9).epsilon(1e-13));
  double worst = 0;
  for (std::size_t k = 0; k < sum.size(); ++k) worst = std::max(worst, std::abs(sum[k] - whole[k]));
  CHECK(worst < 1e-14 * 9);
}

TEST_CASE("images that do not fit are refused with both shapes") {
  const auto refused = [](const char* kind, const Node& options, std::size_t inputs) -> std::string {
    try {
      static_cast<void>(make(model_makers(), kind, options)->build_float32(inputs, 10));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "accepted";
  };
  const Node wrong = object({{"image", integers({1, 28, 27})}});
  CHECK(refused("cnn", wrong, 784).find("1 x 28 x 27 has 756 values, and a sample of the data has 784") !=
        std::string::npos);
  CHECK(refused("resnet", Node::object(), 785).find("785") != std::string::npos);
  CHECK(refused("cnn", Node::object(), 16).find("5 x 5") != std::string::npos);
  CHECK(refused("cnn", object({{"image", integers({3, 16, 16})}}), 768) == "accepted");
  CHECK_THROWS_AS(static_cast<void>(make(model_makers(), "resnet", object({{"groups", integer(7)}}))),
                  ConfigError);
}

TEST_CASE("text models have the numbers of parameters that follow from their shapes") {
  // GPT at 65 characters: embedding (65 + 64) 64; each of 2 blocks 2 (2 64) + 64 192 + 192 + 64 64 + 64 +
  // 64 256 + 256 + 256 64 + 64; norm 128; with a head of its own 65 64 + 65 more.
  const auto tied = make(model_makers(), "char_gpt")->build_float32(64, 65);
  const auto own =
      make(model_makers(), "char_gpt", object({{"head", text("linear")}}))->build_float32(64, 65);
  CHECK(tied->layout()->size == 108352);
  CHECK(own->layout()->size == 112577);
  // LEAF's Shakespeare model: 80 symbols, embedding 8, two layers of 256: 817,872.
  CHECK(make(model_makers(), "char_lstm")->build_float32(80, 80)->layout()->size == 817872);
}
