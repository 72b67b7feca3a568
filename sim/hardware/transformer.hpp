// A transformer of equal layers: its tensors, FLOPs and activations.
//
//   "workload": {"transformer": {"layers": 32, "width": 4096, "heads": 32, "sequence": 4096, "vocabulary":
//   32000,
//                                "feed_forward": 11008, "gated": true}, "recompute": "selective"}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/options.hpp"
#include "hardware/tensor_shape.hpp"

namespace convoy {

struct TransformerShape {
  std::int64_t layers = 0;
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t sequence = 0;
  bool causal = true;  ///< half of the attention scores are needed
};

/// What the backward pass computes again instead of keeping it: nothing; the attention scores ("selective",
/// as fused attention does); each layer from its input ("full"). Korthikanti et al., MLSys 2023.
enum class Recompute { none, selective, full };
[[nodiscard]] std::vector<std::pair<std::string, Recompute>> recompute_words();

/// Bytes of activations of a micro-batch of `samples` in 16-bit formats: layers x s b h (34 + 5 a s / h);
/// without the term of the scores where they are recomputed; with full recomputation only each layer's input,
/// 2 s b h, and one layer at a time in full (Korthikanti et al.; from memory). Throws std::logic_error for a
/// shape without width or sequence.
[[nodiscard]] double activation_bytes(const TransformerShape& shape, std::int64_t samples,
                                      Recompute recompute = Recompute::none);

/// FLOPs of forward and backward over one token: 6 N + 6 L d s of causal attention, 12 L d s of full
/// attention (Kaplan et al. 2020; PaLM, appendix B). Full recomputation adds a forward pass, a third of it;
/// selective recomputation a third of the attention's part.
[[nodiscard]] double flops_per_token(double parameters, const TransformerShape& shape,
                                     Recompute recompute = Recompute::none);

/// The config's "transformer": a decoder or encoder from a few numbers.
struct TransformerOptions {
  TransformerShape shape;
  std::int64_t vocabulary = 0;
  std::optional<std::int64_t> feed_forward;     ///< 4 x width, or what makes up `parameters`
  std::optional<std::int64_t> key_value_heads;  ///< as many as heads
  std::optional<std::int64_t> parameters;       ///< in all; unset: what the shape gives
  bool gated = false;
  bool tied = false;
  void declare(Options& options);

  /// Embedding; per layer queries, keys, values, output, feed-forward and two norms; a last norm and the
  /// output layer. Where `parameters` are stated the feed-forward width is the largest that they leave room
  /// for, and what is left over is one more vector.
  [[nodiscard]] std::vector<TensorShape> tensors() const;

 private:
  /// Elements of everything but the feed-forward matrices.
  [[nodiscard]] std::int64_t elements_without_feed_forward() const;
  [[nodiscard]] std::int64_t feed_forward_width() const;
};

}  // namespace convoy
