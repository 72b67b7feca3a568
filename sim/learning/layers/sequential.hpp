// Layers one after another, and blocks whose input is added to their output.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "learning/layers/layer.hpp"

namespace convoy::layers {

template <class T>
class Sequential final : public Layer<T> {
 public:
  /// Appends a layer; throws std::logic_error unless its entrance is as wide as the last one's exit. Returns
  /// it.
  template <class L, class... Arguments>
  L& add(std::string name, Arguments&&... arguments) {
    auto layer = std::make_unique<L>(std::forward<Arguments>(arguments)...);
    L& result = *layer;
    append(std::move(name), std::move(layer));
    return result;
  }
  void append(std::string name, std::unique_ptr<Layer<T>> layer);

  [[nodiscard]] std::size_t inputs() const override { return stages_.front().layer->inputs(); }
  [[nodiscard]] std::size_t outputs() const override { return stages_.back().layer->outputs(); }
  [[nodiscard]] bool reads_output() const override { return stages_.back().layer->reads_output(); }
  /// Names of inner tensors are `name`.<layer>.<tensor>, without the first part if it is empty.
  void lay_out(Layout& layout, const std::string& name) override;
  void initialise(T* parameters, std::uint64_t seed) const override;
  [[nodiscard]] std::size_t kept(std::size_t samples) const override;
  [[nodiscard]] std::size_t scratch(std::size_t samples) const override;
  void forward(const Call<T>& call, const T* x, T* y) const override;
  void backward(const Call<T>& call, const T* x, const T* y, const T* dy, T* dx, T* gradient) const override;
  [[nodiscard]] double flops(bool with_inputs) const override;
  [[nodiscard]] std::size_t activations() const override;

 private:
  struct Stage {
    std::string name;
    std::unique_ptr<Layer<T>> layer;
  };
  [[nodiscard]] bool overwrites(std::size_t stage) const;
  [[nodiscard]] std::size_t widest() const;

  std::vector<Stage> stages_;
};

/// y = body(x) + shortcut(x) (He et al., CVPR 2016); without a shortcut y = body(x) + x.
template <class T>
class Residual final : public Layer<T> {
 public:
  /// Throws std::logic_error if widths do not fit, or if the body reads its output, to which the shortcut is
  /// added.
  explicit Residual(std::unique_ptr<Layer<T>> body, std::unique_ptr<Layer<T>> shortcut = nullptr);

  [[nodiscard]] std::size_t inputs() const override { return body_->inputs(); }
  [[nodiscard]] std::size_t outputs() const override { return body_->outputs(); }
  void lay_out(Layout& layout, const std::string& name) override;
  void initialise(T* parameters, std::uint64_t seed) const override;
  [[nodiscard]] std::size_t kept(std::size_t samples) const override;
  [[nodiscard]] std::size_t scratch(std::size_t samples) const override;
  void forward(const Call<T>& call, const T* x, T* y) const override;
  void backward(const Call<T>& call, const T* x, const T* y, const T* dy, T* dx, T* gradient) const override;
  [[nodiscard]] double flops(bool with_inputs) const override;
  [[nodiscard]] std::size_t activations() const override;

 private:
  std::unique_ptr<Layer<T>> body_, shortcut_;
};

}  // namespace convoy::layers
