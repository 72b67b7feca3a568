// How a vector goes over the wire: an encoding changes both its values (what the receiver decodes) and its
// bytes.
//
// Encodings are chosen per stream by the config:
//   "messages": {"local_to_global": {"compressor": {"kind": "top_k", "density": 0.01}, "error_feedback":
//   true}}
// Bytes are those of the encoding evaluated on the charged workload's tensors, not on the proxy that trains.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/options.hpp"
#include "learning/vector.hpp"

namespace convoy {

/// The tensors that a message of the whole model is made of, as the workload charges them.
struct WireShape {
  std::vector<std::int64_t> tensor_elements;  ///< elements of each tensor
  double bytes_per_element = 4;               ///< of the uncompressed wire format (4 is float32)

  [[nodiscard]] std::int64_t elements() const;
  [[nodiscard]] std::int64_t identity_bytes() const;
};

/// A map from a vector to what its receiver decodes, and the bytes that it takes.
class Compressor {
 public:
  virtual ~Compressor() = default;
  [[nodiscard]] virtual std::string_view kind() const = 0;
  virtual void declare(Options&) {}
  [[nodiscard]] virtual bool lossy() const = 0;
  /// What the receiver decodes.
  [[nodiscard]] virtual Vector decoded(const Vector& x) const = 0;
  /// Bytes on the wire of one model-sized message.
  [[nodiscard]] virtual std::int64_t wire_bytes(const WireShape& shape) const = 0;
};

/// identity; bf16 (round to nearest even, 2 bytes an element); fp4_e3m0 (nearest of 0 and +-s 2^-k, k = 0..6,
/// s the largest magnitude of the tensor; half a byte an element and 4 bytes a tensor); top_k (largest
/// magnitudes, value and 32-bit index each).
[[nodiscard]] const VariantMakers<Compressor>& compressor_makers();

/// What a config says of one stream.
struct EncodingOptions {
  std::unique_ptr<Compressor> compressor;  ///< empty: identity
  bool error_feedback = false;
  void declare(Options& options);
};

/// The encoder of one sender on one stream: owns the residual of error feedback.
class Encoder {
 public:
  /// `options` may be null (identity) and must outlive the encoder.
  explicit Encoder(const EncodingOptions* options = nullptr) : options_(options) {}
  /// Decoded value of `x` plus, with error feedback, what earlier messages left out:
  /// e <- e + x, sent = C(e), e <- e - sent (Seide et al. 2014; Stich, Cordonnier, Jaggi 2018).
  [[nodiscard]] Vector encode(const Vector& x);
  [[nodiscard]] std::int64_t wire_bytes(const WireShape& shape) const;
  [[nodiscard]] bool lossy() const;
  [[nodiscard]] const Vector& residual() const { return residual_; }

 private:
  const EncodingOptions* options_;
  Vector residual_;
};

}  // namespace convoy
