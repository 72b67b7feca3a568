// The layers that networks are made of. A layer maps a batch of samples, stored one after another, to
// another; its tensors are named views in the flat vector of the network's parameters.
//
//   Sequential<float> body;
//   body.add<Dense<float>>("hidden", Dense<float>::Shape{.inputs = 64, .outputs = 32}, Initial::he(64));
//   body.add<Relu<float>>("relu", 32);
//   Layout layout;
//   body.lay_out(layout, "");
//
// Layers are immutable once they are laid out, and thread-safe: all working memory comes from the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/random.hpp"
#include "learning/layout.hpp"

namespace convoy::layers {

/// What arrays of working memory are rounded up to, in values: 64 bytes of float.
constexpr std::size_t rounded(std::size_t size) {
  return (size + 15) / 16 * 16;
}

/// What a layer is handed for one batch. Arrays are aligned to 64 bytes.
template <class T>
struct Call {
  std::size_t samples = 0;
  const T* parameters = nullptr;  ///< of the whole network
  T* kept = nullptr;              ///< kept(samples) values of this layer's, from forward to backward
  T* scratch = nullptr;           ///< scratch(samples) values for the length of one call
};

/// How a tensor starts: uniform in +-scale, or normal with standard deviation `scale`.
struct Initial {
  enum class Law { uniform, normal } law = Law::uniform;
  double scale = 0;

  /// Uniform with variance 2 / inputs, before a ReLU (He et al., ICCV 2015, eq. 10).
  [[nodiscard]] static Initial he(std::size_t inputs);
  /// Uniform with variance 2 / (inputs + outputs) (Glorot and Bengio, AISTATS 2010, eq. 16).
  [[nodiscard]] static Initial glorot(std::size_t inputs, std::size_t outputs);

  template <class T>
  void fill(T* values, std::size_t size, RandomStream& random) const;
};

/// T is float or double.
template <class T>
class Layer {
 public:
  virtual ~Layer() = default;

  /// Values of one sample at the entrance and at the exit.
  [[nodiscard]] virtual std::size_t inputs() const = 0;
  [[nodiscard]] virtual std::size_t outputs() const = 0;

  /// Appends this layer's tensors, named `name`.weight and so on, and remembers where they are.
  virtual void lay_out(Layout& layout, const std::string& name) {
    static_cast<void>(layout), static_cast<void>(name);
  }
  /// Writes the initial values of this layer's tensors; the vector was zero.
  virtual void initialise(T* parameters, std::uint64_t seed) const {
    static_cast<void>(parameters), static_cast<void>(seed);
  }

  /// Values of working memory, see Call.
  [[nodiscard]] virtual std::size_t kept(std::size_t samples) const { return static_cast<void>(samples), 0; }
  [[nodiscard]] virtual std::size_t scratch(std::size_t samples) const {
    return static_cast<void>(samples), 0;
  }
  /// True if forward and backward may be called with x == y.
  [[nodiscard]] virtual bool in_place() const { return false; }
  /// True if backward looks at y, which then nobody may overwrite.
  [[nodiscard]] virtual bool reads_output() const { return false; }

  virtual void forward(const Call<T>& call, const T* x, T* y) const = 0;
  /// After forward with the same x, y and kept memory: adds the derivatives of the loss by this layer's
  /// tensors to `gradient` (of the whole network), and writes those by x into `dx` unless it is null, given
  /// those by y.
  virtual void backward(const Call<T>& call, const T* x, const T* y, const T* dy, T* dx,
                        T* gradient) const = 0;

  /// Floating-point operations of forward and backward for one sample (a multiply-add counts as two);
  /// `with_inputs`: the derivatives by x are computed too. Matrix products and convolutions only: what is
  /// linear in the number of values counts as nothing.
  [[nodiscard]] virtual double flops(bool with_inputs) const { return static_cast<void>(with_inputs), 0; }
  /// Values that one sample leaves behind for the backward pass, the exit's included.
  [[nodiscard]] virtual std::size_t activations() const { return outputs(); }
};

/// The stream of random numbers of the tensor that begins at that offset.
[[nodiscard]] inline RandomStream initial_stream(std::uint64_t seed, std::size_t offset) {
  return {seed, "initial parameters", offset};
}

}  // namespace convoy::layers
