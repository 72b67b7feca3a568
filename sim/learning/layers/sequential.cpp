#include "learning/layers/sequential.hpp"

#include <algorithm>
#include <stdexcept>

#include "learning/detail/kernels.hpp"

namespace convoy::layers {
namespace {

std::string joined(const std::string& outer, const std::string& inner) {
  return outer.empty() ? inner : outer + "." + inner;
}

}  // namespace

template <class T>
void Sequential<T>::append(std::string name, std::unique_ptr<Layer<T>> layer) {
  if (!stages_.empty() && stages_.back().layer->outputs() != layer->inputs()) {
    throw std::logic_error("layer " + name + " takes " + std::to_string(layer->inputs()) +
                           " values, not the " + std::to_string(stages_.back().layer->outputs()) +
                           " of layer " + stages_.back().name);
  }
  stages_.push_back({std::move(name), std::move(layer)});
}

template <class T>
void Sequential<T>::lay_out(Layout& layout, const std::string& name) {
  for (Stage& stage : stages_) stage.layer->lay_out(layout, joined(name, stage.name));
}

template <class T>
void Sequential<T>::initialise(T* parameters, std::uint64_t seed) const {
  for (const Stage& stage : stages_) stage.layer->initialise(parameters, seed);
}

// The first layer may not write over its input, which is the caller's.
template <class T>
bool Sequential<T>::overwrites(std::size_t stage) const {
  return stage > 0 && stage + 1 < stages_.size() && stages_[stage].layer->in_place() &&
         !stages_[stage - 1].layer->reads_output();
}

template <class T>
std::size_t Sequential<T>::widest() const {
  std::size_t result = 0;
  for (const Stage& stage : stages_) result = std::max(result, stage.layer->outputs());
  return result;
}

// Layer by layer: what it keeps, then its output. The last output is the caller's.
template <class T>
std::size_t Sequential<T>::kept(std::size_t samples) const {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    sum += rounded(stages_[i].layer->kept(samples));
    if (i + 1 < stages_.size() && !overwrites(i)) sum += rounded(samples * stages_[i].layer->outputs());
  }
  return sum;
}

// Two arrays of derivatives, then the scratch of one layer.
template <class T>
std::size_t Sequential<T>::scratch(std::size_t samples) const {
  std::size_t inner = 0;
  for (const Stage& stage : stages_) inner = std::max(inner, stage.layer->scratch(samples));
  return 2 * rounded(samples * widest()) + rounded(inner);
}

template <class T>
void Sequential<T>::forward(const Call<T>& call, const T* x, T* y) const {
  T* memory = call.kept;
  T* const inner_scratch = call.scratch + 2 * rounded(call.samples * widest());
  T* writable = nullptr;  // the present input, unless it is the caller's
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const Layer<T>& layer = *stages_[i].layer;
    const Call<T> inner{call.samples, call.parameters, memory, inner_scratch};
    memory += rounded(layer.kept(call.samples));
    T* out = y;
    if (overwrites(i)) {
      out = writable;
    } else if (i + 1 < stages_.size()) {
      out = memory;
      memory += rounded(call.samples * layer.outputs());
    }
    layer.forward(inner, x, out);
    x = writable = out;
  }
}

template <class T>
void Sequential<T>::backward(const Call<T>& call, const T* x, const T* y, const T* dy, T* dx,
                             T* gradient) const {
  const std::size_t samples = call.samples;
  const std::size_t width = rounded(samples * widest());
  T* const inner_scratch = call.scratch + 2 * width;
  // Walks the memory of forward from its end.
  T* memory = call.kept + kept(samples);
  const T* out = y;
  const T* derivative = dy;
  std::size_t turn = 0;
  for (std::size_t i = stages_.size(); i-- > 0;) {
    const Layer<T>& layer = *stages_[i].layer;
    if (i + 1 < stages_.size() && !overwrites(i)) memory -= rounded(samples * layer.outputs());
    memory -= rounded(layer.kept(samples));
    const T* in = x;
    if (overwrites(i)) {
      in = out;
    } else if (i > 0) {
      in = memory - rounded(samples * layer.inputs());
    }
    const Call<T> inner{samples, call.parameters, memory, inner_scratch};
    T* target = dx;
    if (i > 0) {
      target = call.scratch + turn * width;
      turn = 1 - turn;
    }
    layer.backward(inner, in, out, derivative, target, gradient);
    derivative = target;
    out = in;
  }
}

template <class T>
double Sequential<T>::flops(bool with_inputs) const {
  double sum = 0;
  for (std::size_t i = 0; i < stages_.size(); ++i) sum += stages_[i].layer->flops(with_inputs || i > 0);
  return sum;
}

template <class T>
std::size_t Sequential<T>::activations() const {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const Layer<T>& layer = *stages_[i].layer;
    sum += layer.activations() - (overwrites(i) ? layer.outputs() : 0);
  }
  return sum;
}

template <class T>
Residual<T>::Residual(std::unique_ptr<Layer<T>> body, std::unique_ptr<Layer<T>> shortcut)
    : body_(std::move(body)), shortcut_(std::move(shortcut)) {
  const bool fits = shortcut_
                        ? shortcut_->inputs() == body_->inputs() && shortcut_->outputs() == body_->outputs()
                        : body_->inputs() == body_->outputs();
  if (body_->reads_output()) throw std::logic_error("a residual block whose body reads its output");
  if (!fits) throw std::logic_error("a residual block whose two ways differ in width");
}

template <class T>
void Residual<T>::lay_out(Layout& layout, const std::string& name) {
  body_->lay_out(layout, name);
  if (shortcut_) shortcut_->lay_out(layout, joined(name, "shortcut"));
}

template <class T>
void Residual<T>::initialise(T* parameters, std::uint64_t seed) const {
  body_->initialise(parameters, seed);
  if (shortcut_) shortcut_->initialise(parameters, seed);
}

// What the body keeps; then what the shortcut keeps and its output.
template <class T>
std::size_t Residual<T>::kept(std::size_t samples) const {
  std::size_t sum = rounded(body_->kept(samples));
  if (shortcut_) sum += rounded(shortcut_->kept(samples)) + rounded(samples * outputs());
  return sum;
}

template <class T>
std::size_t Residual<T>::scratch(std::size_t samples) const {
  if (!shortcut_) return body_->scratch(samples);
  return rounded(samples * inputs()) +
         rounded(std::max(body_->scratch(samples), shortcut_->scratch(samples)));
}

template <class T>
void Residual<T>::forward(const Call<T>& call, const T* x, T* y) const {
  Call<T> inner = call;
  if (shortcut_) inner.scratch += rounded(call.samples * inputs());
  body_->forward(inner, x, y);
  const T* other = x;
  if (shortcut_) {
    inner.kept += rounded(body_->kept(call.samples));
    T* const way = inner.kept + rounded(shortcut_->kept(call.samples));
    shortcut_->forward(inner, x, way);
    other = way;
  }
  detail::axpy(y, y, call.samples * outputs(), 1, other);
}

template <class T>
void Residual<T>::backward(const Call<T>& call, const T* x, const T* y, const T* dy, T* dx,
                           T* gradient) const {
  Call<T> inner = call;
  if (shortcut_) inner.scratch += rounded(call.samples * inputs());
  body_->backward(inner, x, y, dy, dx, gradient);
  const T* other = dy;
  if (shortcut_) {
    inner.kept += rounded(body_->kept(call.samples));
    T* const way = dx == nullptr ? nullptr : call.scratch;
    shortcut_->backward(inner, x, inner.kept + rounded(shortcut_->kept(call.samples)), dy, way, gradient);
    other = way;
  }
  if (dx != nullptr) detail::axpy(dx, dx, call.samples * inputs(), 1, other);
}

template <class T>
double Residual<T>::flops(bool with_inputs) const {
  return body_->flops(with_inputs) + (shortcut_ ? shortcut_->flops(with_inputs) : 0);
}

template <class T>
std::size_t Residual<T>::activations() const {
  return body_->activations() + (shortcut_ ? shortcut_->activations() : 0);
}

template class Sequential<float>;
template class Sequential<double>;
template class Residual<float>;
template class Residual<double>;

}  // namespace convoy::layers
