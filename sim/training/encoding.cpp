#include "training/encoding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

namespace convoy {
namespace {

class Identity final : public Compressor {
 public:
  [[nodiscard]] std::string_view kind() const override { return "identity"; }
  [[nodiscard]] bool lossy() const override { return false; }
  [[nodiscard]] Vector decoded(const Vector& x) const override { return x; }
  [[nodiscard]] std::int64_t wire_bytes(const WireShape& shape) const override {
    return shape.identity_bytes();
  }
};

/// Rounds to the nearest bfloat16, ties to even; NaN stays NaN.
float round_to_bf16(float value) {
  if (std::isnan(value)) return value;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
  return std::bit_cast<float>(rounded & 0xffff0000u);
}

class Bf16 final : public Compressor {
 public:
  [[nodiscard]] std::string_view kind() const override { return "bf16"; }
  [[nodiscard]] bool lossy() const override { return true; }
  [[nodiscard]] Vector decoded(const Vector& x) const override {
    Vector result = x;
    if (x.precision() == Precision::float32) {
      for (float& value : result.mutable_values<float>()) value = round_to_bf16(value);
    } else {
      for (double& value : result.mutable_values<double>()) value = round_to_bf16(static_cast<float>(value));
    }
    return result;
  }
  [[nodiscard]] std::int64_t wire_bytes(const WireShape& shape) const override {
    return 2 * shape.elements();
  }
};

/// Nearest of 0 and +-scale 2^-k, k = 0..6 (E3M0: a sign, three exponent bits, no mantissa).
double round_to_fp4(double value, double scale) {
  constexpr int smallest = -6;
  const double size = std::abs(value) / scale;
  int exponent = 0;
  // size = fraction 2^exponent, fraction in [1/2, 1): the middle of the two powers around it is at 3/4.
  const double fraction = std::frexp(size, &exponent);
  int power = fraction >= 0.75 ? exponent : exponent - 1;
  if (size < std::ldexp(1.0, smallest - 1)) return 0;
  power = std::clamp(power, smallest, 0);
  return std::copysign(std::ldexp(scale, power), value);
}

template <class Real>
void quantize_layers(Vector& x) {
  for (std::size_t layer = 0; layer < x.layout().layers.size(); ++layer) {
    const std::span<Real> values = x.mutable_layer<Real>(layer);
    double scale = 0;
    for (const Real value : values) scale = std::max(scale, std::abs(static_cast<double>(value)));
    if (scale == 0) continue;
    for (Real& value : values) value = static_cast<Real>(round_to_fp4(static_cast<double>(value), scale));
  }
}

class Fp4E3M0 final : public Compressor {
 public:
  [[nodiscard]] std::string_view kind() const override { return "fp4_e3m0"; }
  [[nodiscard]] bool lossy() const override { return true; }
  [[nodiscard]] Vector decoded(const Vector& x) const override {
    if (x.empty() || !x.finite()) return x;
    Vector result = x;
    if (x.precision() == Precision::float32) {
      quantize_layers<float>(result);
    } else {
      quantize_layers<double>(result);
    }
    return result;
  }
  [[nodiscard]] std::int64_t wire_bytes(const WireShape& shape) const override {
    constexpr std::int64_t scale_bytes = 4;
    std::int64_t bytes = 0;
    for (const std::int64_t elements : shape.tensor_elements) {
      if (elements > 0) bytes += (elements + 1) / 2 + scale_bytes;
    }
    return bytes;
  }
};

template <class Real>
void keep_largest(std::span<Real> values, std::size_t kept) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Equal magnitudes are kept in index order, so that the selection is a function of the values alone.
  const auto larger = [&](std::size_t a, std::size_t b) {
    const Real x = std::abs(values[a]), y = std::abs(values[b]);
    return x != y ? x > y : a < b;
  };
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(), larger);
  for (std::size_t i = kept; i < order.size(); ++i) values[order[i]] = 0;
}

class TopK final : public Compressor {
 public:
  [[nodiscard]] std::string_view kind() const override { return "top_k"; }
  void declare(Options& options) override {
    options.add("density", density_)
        .more_than(0)
        .at_most(1)
        .help("share of the coordinates that is sent")
        .source("Aji and Heafield 2017, arXiv 1704.05021");
  }
  [[nodiscard]] bool lossy() const override { return density_ < 1; }
  [[nodiscard]] Vector decoded(const Vector& x) const override {
    const std::size_t kept = count(x.size());
    if (kept >= x.size() || !x.finite()) return x;
    Vector result = x;
    if (x.precision() == Precision::float32) {
      keep_largest(result.mutable_values<float>(), kept);
    } else {
      keep_largest(result.mutable_values<double>(), kept);
    }
    return result;
  }
  [[nodiscard]] std::int64_t wire_bytes(const WireShape& shape) const override {
    const auto kept = static_cast<double>(count(static_cast<std::size_t>(shape.elements())));
    return static_cast<std::int64_t>(std::ceil(kept * (shape.bytes_per_element + 4)));
  }

 private:
  [[nodiscard]] std::size_t count(std::size_t size) const {
    return std::min(size, static_cast<std::size_t>(std::ceil(density_ * static_cast<double>(size))));
  }
  double density_ = 0.01;
};

}  // namespace

std::int64_t WireShape::elements() const {
  return std::accumulate(tensor_elements.begin(), tensor_elements.end(), std::int64_t{0});
}

std::int64_t WireShape::identity_bytes() const {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(elements()) * bytes_per_element));
}

const VariantMakers<Compressor>& compressor_makers() {
  static const VariantMakers<Compressor> makers = {
      {"identity", [] { return std::make_unique<Identity>(); }},
      {"bf16", [] { return std::make_unique<Bf16>(); }},
      {"fp4_e3m0", [] { return std::make_unique<Fp4E3M0>(); }},
      {"top_k", [] { return std::make_unique<TopK>(); }},
  };
  return makers;
}

void EncodingOptions::declare(Options& options) {
  options.add("compressor", compressor, compressor_makers()).help("encoding of the stream's vectors");
  options.add("error_feedback", error_feedback)
      .help("keep what an encoding leaves out and add it to the next message of the same sender and stream")
      .source("Seide et al. 2014; Stich, Cordonnier and Jaggi 2018, arXiv 1809.07599");
}

Vector Encoder::encode(const Vector& x) {
  if (!lossy()) return x;
  if (!options_->error_feedback) return options_->compressor->decoded(x);
  Vector wanted = residual_.empty() ? x : residual_ + x;
  Vector sent = options_->compressor->decoded(wanted);
  residual_ = wanted - sent;
  return sent;
}

std::int64_t Encoder::wire_bytes(const WireShape& shape) const {
  if (options_ == nullptr || options_->compressor == nullptr) return shape.identity_bytes();
  return options_->compressor->wire_bytes(shape);
}

bool Encoder::lossy() const {
  return options_ != nullptr && options_->compressor != nullptr && options_->compressor->lossy();
}

}  // namespace convoy
