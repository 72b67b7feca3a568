#include "learning/sparse_softmax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "core/random.hpp"
#include "learning/detail/exponential.hpp"
#include "learning/detail/scratch.hpp"

namespace convoy {
namespace {

enum Slot : std::size_t { logits_slot = 1 };

/// Features with probability proportional to 1 / (index + 1), by inversion.
class Zipf {
 public:
  explicit Zipf(std::size_t size) {
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) below_.push_back(sum += 1 / static_cast<double>(i + 1));
  }
  [[nodiscard]] std::uint32_t draw(RandomStream& random) const {
    const double place = random.uniform() * below_.back();
    const auto it = std::upper_bound(below_.begin(), below_.end(), place);
    return static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(it - below_.begin(), std::ssize(below_) - 1));
  }

 private:
  std::vector<double> below_;
};

std::shared_ptr<const Layout> layout_of(const SparseSamples& samples) {
  auto layout = std::make_shared<Layout>();
  layout->add_matrix("weight", samples.features, samples.classes);
  layout->add_vector("bias", samples.classes);
  return layout;
}

template <class T>
class SparseSoftmax final : public detail::SplitTask {
 public:
  SparseSoftmax(std::shared_ptr<const SparseSamples> samples, detail::SplitParts parts)
      : SplitTask(layout_of(*samples), precision_of<T>, std::move(parts), samples->count(), "sparse.samples"),
        samples_(std::move(samples)) {}

  [[nodiscard]] Vector initial_parameters() const override { return {layout(), precision()}; }

  BatchResult gradient(const Vector& parameters, int worker, std::uint64_t step,
                       Vector& gradient) const override {
    const detail::GradientBuffers<T> buffers(parameters, gradient, layout());
    const std::span<const T> x = buffers.x;
    const std::span<T> g = buffers.g;
    const std::size_t size = batch_size(worker);
    const T share = T(1) / static_cast<T>(size);
    double loss = 0;
    for_each_sample(worker, step, [&](std::size_t sample) {
      T* const logits = logits_of(x, sample);
      const std::uint32_t label = samples_->labels[sample];
      loss += softmax(logits, label).loss;
      for (std::size_t c = 0; c < classes(); ++c) logits[c] *= share;
      logits[label] -= share;
      for_each_row(sample, [&](std::size_t row, T value) { add(value, logits, g.data() + row); });
      add(1, logits, g.data() + samples_->features * classes());
    });
    return {loss / static_cast<double>(size), size};
  }

  [[nodiscard]] Evaluation evaluate(const Vector& parameters, Split split) const override {
    const std::span<const T> x = detail::parameters_of<T>(parameters, *layout());
    const detail::Range& range = range_of(split);
    LossTotals sum;
    for (std::size_t i = range.first; i < range.last; ++i) {
      const LossTotals one = softmax(logits_of(x, i), samples_->labels[i]);
      sum.loss += one.loss;
      sum.correct += one.correct;
    }
    const auto count = static_cast<double>(range.size());
    return {sum.loss / count, static_cast<double>(sum.correct) / count, {}};
  }

  // Forward and the weights' derivatives.
  [[nodiscard]] double flops_per_sample() const override {
    return 4 * mean_nonzeros() * static_cast<double>(classes());
  }
  [[nodiscard]] double activation_bytes_per_sample() const override {
    return (2 * mean_nonzeros() + static_cast<double>(classes())) * static_cast<double>(sizeof(T));
  }
  [[nodiscard]] std::string describe() const override {
    return fmt::format("{} sparse samples of {:.1f} out of {} features, softmax regression, {} classes{}",
                       samples_->count(), mean_nonzeros(), samples_->features, classes(),
                       batch_and_precision());
  }

 private:
  [[nodiscard]] std::size_t classes() const { return samples_->classes; }
  [[nodiscard]] double mean_nonzeros() const {
    return static_cast<double>(samples_->columns.size()) / static_cast<double>(samples_->count());
  }

  void add(T factor, const T* values, T* out) const {
    const T* __restrict in = values;
    T* __restrict target = out;
    for (std::size_t c = 0; c < classes(); ++c) target[c] += factor * in[c];
  }

  /// Calls f(where the feature's weights begin, value) for each value of the sample.
  template <class F>
  void for_each_row(std::size_t sample, F f) const {
    for (std::size_t i = samples_->offsets[sample]; i < samples_->offsets[sample + 1]; ++i)
      f(samples_->columns[i] * classes(), static_cast<T>(samples_->values[i]));
  }

  T* logits_of(std::span<const T> x, std::size_t sample) const {
    T* const logits = detail::Scratch::of_this_thread().get<T>(logits_slot, detail::padded(classes()));
    const T* const bias = x.data() + samples_->features * classes();
    std::copy(bias, bias + classes(), logits);
    for_each_row(sample, [&](std::size_t row, T value) { add(value, x.data() + row, logits); });
    return logits;
  }

  /// Logits become probabilities.
  LossTotals softmax(T* logits, std::uint32_t label) const {
    const T* const end = logits + classes();
    const T* const best = std::max_element(static_cast<const T*>(logits), end);
    const T largest = *best;
    const bool correct = best == logits + label;
    T spoiled = 0;  // NaN where a logit is not finite, which the exponential would hide
    for (std::size_t c = 0; c < classes(); ++c) {
      spoiled += logits[c] * 0;
      logits[c] -= largest;
    }
    const auto chosen = static_cast<double>(logits[label]);
    detail::exponentiate(logits, classes());
    T sum = spoiled;
    for (std::size_t c = 0; c < classes(); ++c) sum += logits[c];
    for (std::size_t c = 0; c < classes(); ++c) logits[c] /= sum;
    return {std::log(static_cast<double>(sum)) - chosen, correct ? std::size_t{1} : 0};
  }

  std::shared_ptr<const SparseSamples> samples_;
};

}  // namespace

void SparseOptions::declare(Options& options) {
  options.add("samples", samples).at_least(1).at_most(10'000'000).help("documents");
  options.add("features", features).at_least(1).at_most(100'000'000).help("different words");
  options.add("classes", classes).at_least(2).at_most(1'000'000).help("labels");
  options.add("nonzeros", nonzeros).at_least(1).at_most(100'000).help("words of a document");
  options.add("signal", signal).between(0, 1).help("share of words that tell the class");
}

SparseSamples make_sparse_samples(const SparseOptions& options, std::uint64_t seed) {
  SparseSamples samples;
  samples.features = static_cast<std::size_t>(options.features);
  samples.classes = static_cast<std::size_t>(options.classes);
  const Zipf words(samples.features);
  const double scale = 1 / std::sqrt(static_cast<double>(options.nonzeros));
  RandomStream random(seed, "sparse samples");
  for (std::int64_t i = 0; i < options.samples; ++i) {
    const std::uint64_t label = random.below(samples.classes);
    std::map<std::uint32_t, int> counts;
    for (std::int64_t k = 0; k < options.nonzeros; ++k) {
      constexpr std::uint64_t own_words = 64;
      if (random.bernoulli(options.signal)) {
        const std::uint64_t word = mix64(label * own_words + random.below(own_words)) % samples.features;
        ++counts[static_cast<std::uint32_t>(word)];
      } else {
        ++counts[words.draw(random)];
      }
    }
    for (const auto& [word, count] : counts) {
      samples.columns.push_back(word);
      samples.values.push_back(static_cast<float>(scale * count));
    }
    samples.offsets.push_back(samples.columns.size());
    samples.labels.push_back(static_cast<std::uint32_t>(label));
  }
  return samples;
}

std::shared_ptr<const LearningTask> make_sparse_softmax(std::shared_ptr<const SparseSamples> samples,
                                                        Precision precision, detail::SplitParts parts) {
  if (!samples) throw std::logic_error("make_sparse_softmax: no samples");
  if (precision == Precision::float32)
    return std::make_shared<SparseSoftmax<float>>(std::move(samples), std::move(parts));
  return std::make_shared<SparseSoftmax<double>>(std::move(samples), std::move(parts));
}

}  // namespace convoy
