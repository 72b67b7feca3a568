#include "hardware/transformer.hpp"

#include <stdexcept>

#include "core/error.hpp"

namespace convoy {

std::vector<std::pair<std::string, Recompute>> recompute_words() {
  return {{"none", Recompute::none}, {"selective", Recompute::selective}, {"full", Recompute::full}};
}

double activation_bytes(const TransformerShape& shape, std::int64_t samples, Recompute recompute) {
  if (shape.width < 1 || shape.sequence < 1)
    throw std::logic_error("a transformer without width or sequence");
  const auto layers = static_cast<double>(shape.layers), width = static_cast<double>(shape.width);
  const auto sequence = static_cast<double>(shape.sequence);
  const double tokens_by_width = sequence * static_cast<double>(samples) * width;
  const double scores = 5 * static_cast<double>(shape.heads) * sequence / width;
  switch (recompute) {
    case Recompute::none:
      return layers * tokens_by_width * (34 + scores);
    case Recompute::selective:
      return layers * tokens_by_width * 34;
    case Recompute::full:
      return layers * 2 * tokens_by_width + tokens_by_width * (34 + scores);
  }
  throw std::logic_error("no such recomputation");
}

double flops_per_token(double parameters, const TransformerShape& shape, Recompute recompute) {
  const double attention = (shape.causal ? 6.0 : 12.0) * static_cast<double>(shape.layers) *
                           static_cast<double>(shape.width) * static_cast<double>(shape.sequence);
  const double once = 6 * parameters + attention;
  switch (recompute) {
    case Recompute::none:
      return once;
    case Recompute::selective:
      return once + attention / 3;
    case Recompute::full:
      return once * 4 / 3;
  }
  throw std::logic_error("no such recomputation");
}

void TransformerOptions::declare(Options& options) {
  constexpr double most = 1 << 24, most_width = 1 << 20;  // the number of parameters stays far from 2^63
  options.add("layers", shape.layers).required().at_least(1).at_most(1000).help("number L of equal layers");
  options.add("width", shape.width)
      .required()
      .at_least(1)
      .at_most(most_width)
      .help("d, of the residual stream");
  options.add("heads", shape.heads)
      .required()
      .at_least(1)
      .at_most(most_width)
      .help("of attention; divide the width");
  options.add("sequence", shape.sequence).required().at_least(1).at_most(most).help("tokens s of a sample");
  options.add("vocabulary", vocabulary).required().at_least(1).at_most(most).help("rows of the embedding");
  options.add("feed_forward", feed_forward)
      .at_least(1)
      .at_most(most)
      .default_text("4 x width, or what makes up \"parameters\"")
      .help("inner width of the feed-forward part");
  options.add("key_value_heads", key_value_heads)
      .at_least(1)
      .default_text("as many as heads")
      .help("grouped-query attention: heads of keys and values; divide the heads");
  options.add("parameters", parameters)
      .at_least(1)
      .default_text("what the shape gives")
      .help("number N in all, where the model's own is known");
  options.add("gated", gated).help("a third feed-forward matrix, as SwiGLU has it");
  options.add("tied", tied).help("the output layer shares the embedding's matrix");
  options.add("causal", shape.causal).help("tokens see earlier tokens only: half the attention's FLOPs");
  options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
    const auto fault = [&](const char* key, std::string message, std::string allowed = {}) {
      const Node* written = whole.find(key);
      faults.add(written != nullptr ? *written : whole, path + "." + key, std::move(message),
                 std::move(allowed));
    };
    if (shape.width % shape.heads != 0) fault("heads", "does not divide the width", "a divisor of it");
    if (key_value_heads && (shape.heads % *key_value_heads != 0))
      fault("key_value_heads", "does not divide the heads", "a divisor of them");
    if (!parameters) return;
    if (feed_forward) {
      fault("feed_forward", "follows from \"parameters\" and the other numbers", "one of the two");
    } else if (feed_forward_width() < 1) {
      fault("parameters",
            "is less than what the shape has without a feed-forward part, " +
                std::to_string(elements_without_feed_forward()),
            "a larger number");
    }
  });
}

std::int64_t TransformerOptions::elements_without_feed_forward() const {
  const std::int64_t width = shape.width, kept = key_value_heads.value_or(shape.heads);
  const std::int64_t key_value = width / shape.heads * kept;
  return (tied ? 1 : 2) * vocabulary * width + width +
         shape.layers * (2 * width * width + 2 * key_value * width + 2 * width);
}

std::int64_t TransformerOptions::feed_forward_width() const {
  if (feed_forward) return *feed_forward;
  if (!parameters) return 4 * shape.width;
  return (*parameters - elements_without_feed_forward()) / (shape.layers * (gated ? 3 : 2) * shape.width);
}

std::vector<TensorShape> TransformerOptions::tensors() const {
  const std::int64_t width = shape.width, inner = feed_forward_width();
  const std::int64_t key_value = width / shape.heads * key_value_heads.value_or(shape.heads);
  std::vector<TensorShape> result;
  result.push_back(matrix_shape("embedding", vocabulary, width));
  for (std::int64_t i = 0; i < shape.layers; ++i) {
    const std::string layer = "layers." + std::to_string(i) + ".";
    result.push_back(matrix_shape(layer + "query", width, width));
    result.push_back(matrix_shape(layer + "key", key_value, width));
    result.push_back(matrix_shape(layer + "value", key_value, width));
    result.push_back(matrix_shape(layer + "output", width, width));
    if (gated) result.push_back(matrix_shape(layer + "gate", inner, width));
    result.push_back(matrix_shape(layer + "up", inner, width));
    result.push_back(matrix_shape(layer + "down", width, inner));
    result.push_back(vector_shape(layer + "attention_norm", width));
    result.push_back(vector_shape(layer + "feed_forward_norm", width));
  }
  result.push_back(vector_shape("norm", width));
  if (!tied) result.push_back(matrix_shape("output", vocabulary, width));
  if (parameters && elements_of(result) < *parameters) {
    result.push_back(vector_shape("rest", *parameters - elements_of(result)));
  }
  return result;
}

}  // namespace convoy
