// Models of sequences of characters, which predict at each position the next one.
#include <fmt/format.h>

#include <cmath>

#include "learning/detail/layered_network.hpp"
#include "learning/layers/activation.hpp"
#include "learning/layers/attention.hpp"
#include "learning/layers/dense.hpp"
#include "learning/layers/embedding.hpp"
#include "learning/layers/lstm.hpp"
#include "learning/layers/normalization.hpp"
#include "learning/models/model_of.hpp"

namespace convoy::models {
namespace {

using namespace layers;

enum class Head { tied, linear };

/// Decoder-only transformer with the layout and initial values of GPT-2 (Radford et al. 2019): norms before
/// each block and at the end, GELU of the tanh form, learned positions.
class CharGpt final : public ModelOf<CharGpt> {
 public:
  [[nodiscard]] std::string_view kind() const override { return "char_gpt"; }
  [[nodiscard]] std::string_view about() const override {
    return "character-level transformer in the manner of GPT-2 (Radford et al. 2019): token and position "
           "embedding, blocks of causal attention and a GELU network of four times the width, each behind a "
           "layer norm, and a head tied to the embedding; initial weights normal with deviation 0.02, "
           "0.02 / sqrt(2 layers) where a block ends";
  }
  [[nodiscard]] ModelInput input() const override { return ModelInput::text; }
  [[nodiscard]] std::size_t context() const override { return static_cast<std::size_t>(context_); }
  void declare(Options& options) override {
    options.add("layers", layers_).at_least(1).at_most(256).help("transformer blocks");
    options.add("width", width_).at_least(1).at_most(65536).help("values of a position");
    options.add("heads", heads_).at_least(1).at_most(1024).help("attention heads; must divide the width");
    options.add("context", context_).at_least(1).at_most(65536).help("characters of a sample");
    options.add("head", head_, {{"tied", Head::tied}, {"linear", Head::linear}})
        .help("logits by the token embedding, or by a matrix and bias of their own");
    options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
      if (width_ % heads_ == 0) return;
      faults.add(whole, path.empty() ? "heads" : path + ".heads",
                 fmt::format("{} heads do not divide a width of {}", heads_, width_));
    });
  }
  [[nodiscard]] std::string describe(std::size_t, std::size_t classes) const override {
    return fmt::format("char_gpt {} layers, width {}, {} heads, context {}, vocabulary {}", layers_, width_,
                       heads_, context_, classes);
  }

  template <class T>
  [[nodiscard]] std::unique_ptr<const NeuralNetwork<T>> build(std::size_t inputs, std::size_t classes) const {
    const auto width = static_cast<std::size_t>(width_);
    auto body = std::make_unique<Sequential<T>>();
    const auto& embedding = body->template add<Embedding<T>>(
        "embedding",
        typename Embedding<T>::Shape{
            .vocabulary = classes, .width = width, .positions = inputs, .learned_positions = true},
        weights());
    for (std::int64_t i = 0; i < layers_; ++i) add_block(*body, "block" + std::to_string(i + 1), inputs);
    body->template add<LayerNorm<T>>("norm", width, inputs);
    if (head_ == Head::tied) {
      body->template add<TiedHead<T>>("head", embedding);
    } else {
      add_dense(*body, "head", {.inputs = width, .outputs = classes, .positions = inputs}, weights());
    }
    return detail::make_layered_network<T>(std::move(body),
                                           {.classes = classes, .labels_per_sample = inputs});
  }

 private:
  [[nodiscard]] static Initial weights() { return {Initial::Law::normal, 0.02}; }

  template <class T, class Shape = typename Dense<T>::Shape>
  static void add_dense(Sequential<T>& body, std::string name, Shape shape, Initial initial) {
    body.template add<Dense<T>>(std::move(name), shape, initial);
  }

  template <class T>
  void add_block(Sequential<T>& body, const std::string& name, std::size_t positions) const {
    const auto width = static_cast<std::size_t>(width_);
    const Initial last{Initial::Law::normal, 0.02 / std::sqrt(2 * static_cast<double>(layers_))};
    auto attention = std::make_unique<Sequential<T>>();
    attention->template add<LayerNorm<T>>("norm", width, positions);
    add_dense(*attention, "qkv", {.inputs = width, .outputs = 3 * width, .positions = positions}, weights());
    attention->template add<CausalAttention<T>>(
        "attention", typename CausalAttention<T>::Shape{
                         .width = width, .heads = static_cast<std::size_t>(heads_), .positions = positions});
    add_dense(*attention, "project", {.inputs = width, .outputs = width, .positions = positions}, last);
    body.template add<Residual<T>>(name + ".attention", std::move(attention));
    auto network = std::make_unique<Sequential<T>>();
    network->template add<LayerNorm<T>>("norm", width, positions);
    add_dense(*network, "expand", {.inputs = width, .outputs = 4 * width, .positions = positions}, weights());
    network->template add<Gelu<T>>("gelu", 4 * width * positions);
    add_dense(*network, "project", {.inputs = 4 * width, .outputs = width, .positions = positions}, last);
    body.template add<Residual<T>>(name + ".mlp", std::move(network));
  }

  std::int64_t layers_ = 2, width_ = 64, heads_ = 4, context_ = 64;
  Head head_ = Head::tied;
};

/// The defaults are LEAF's model of Shakespeare's characters (Caldas et al., arXiv 1812.01097): 817,872
/// parameters at 80 characters.
class CharLstm final : public ModelOf<CharLstm> {
 public:
  [[nodiscard]] std::string_view kind() const override { return "char_lstm"; }
  [[nodiscard]] std::string_view about() const override {
    return "character-level recurrent network: an embedding, layers of long short-term memory, a linear head "
           "at each position; the defaults are LEAF's model of Shakespeare (Caldas et al., arXiv "
           "1812.01097), "
           "which predicts at the last position only; initial weights uniform in +-1 / sqrt(width)";
  }
  [[nodiscard]] ModelInput input() const override { return ModelInput::text; }
  [[nodiscard]] std::size_t context() const override { return static_cast<std::size_t>(context_); }
  void declare(Options& options) override {
    options.add("layers", layers_).at_least(1).at_most(64).help("recurrent layers");
    options.add("embedding", embedding_).at_least(1).at_most(65536).help("values of a character");
    options.add("width", width_).at_least(1).at_most(65536).help("state of a recurrent layer");
    options.add("context", context_).at_least(1).at_most(65536).help("characters of a sample");
  }
  [[nodiscard]] std::string describe(std::size_t, std::size_t classes) const override {
    return fmt::format("char_lstm {} layers, embedding {}, width {}, context {}, vocabulary {}", layers_,
                       embedding_, width_, context_, classes);
  }

  template <class T>
  [[nodiscard]] std::unique_ptr<const NeuralNetwork<T>> build(std::size_t inputs, std::size_t classes) const {
    const auto width = static_cast<std::size_t>(width_);
    const Initial initial{Initial::Law::uniform, 1 / std::sqrt(static_cast<double>(width))};
    auto body = std::make_unique<Sequential<T>>();
    std::size_t values = static_cast<std::size_t>(embedding_);
    body->template add<Embedding<T>>(
        "embedding",
        typename Embedding<T>::Shape{.vocabulary = classes, .width = values, .positions = inputs},
        Initial{Initial::Law::normal, 1 / std::sqrt(static_cast<double>(values))});
    for (std::int64_t i = 0; i < layers_; ++i) {
      body->template add<Lstm<T>>(
          "lstm" + std::to_string(i + 1),
          typename Lstm<T>::Shape{.inputs = values, .width = width, .positions = inputs}, initial);
      values = width;
    }
    body->template add<Dense<T>>(
        "head", typename Dense<T>::Shape{.inputs = width, .outputs = classes, .positions = inputs}, initial);
    // A step in time multiplies a row of each sample: with few samples the weights are read for little.
    constexpr std::size_t least_samples = 32;
    return detail::make_layered_network<T>(
        std::move(body), {.classes = classes, .labels_per_sample = inputs, .least_samples = least_samples});
  }

 private:
  std::int64_t layers_ = 2, embedding_ = 8, width_ = 256, context_ = 80;
};

}  // namespace

VariantMakers<Model> text_models() {
  return {{"char_gpt", [] { return std::make_unique<CharGpt>(); }},
          {"char_lstm", [] { return std::make_unique<CharLstm>(); }}};
}

}  // namespace convoy::models
