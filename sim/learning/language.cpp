#include "learning/language.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/random.hpp"
#include "learning/classification.hpp"
#include "learning/detail/scratch.hpp"
#include "learning/detail/split_task.hpp"
#include "learning/detail/task_parts.hpp"

namespace convoy {
namespace {

constexpr std::size_t most_validation_windows = 512;

using detail::Range;

/// Windows of `context` characters end to end, each with a character behind it, wherever within the first
/// `context` characters they begin.
std::size_t windows_in(const Range& stretch, std::size_t context) {
  return stretch.size() < 2 * context ? 0 : (stretch.size() - context) / context;
}

template <class T>
class LanguageTask final : public LearningTask {
 public:
  LanguageTask(const LanguageParts& parts, std::unique_ptr<const NeuralNetwork<T>> network)
      : LearningTask(network->layout(), precision_of<T>, static_cast<int>(parts.batch_sizes.size())),
        text_(parts.text),
        network_(std::move(network)),
        context_(parts.model->context()),
        seed_(parts.seed),
        batch_sizes_(parts.batch_sizes) {
    const detail::Splits splits(text_->tokens.size(), parts.use_all_training_data);
    test_ = splits.test;
    validation_ = splits.validation;
    shards_ = detail::shares(splits.training, parts.batch_sizes.size());
    for (const Range& stretch : shards_) require(stretch, "a worker's shard");
    require(validation_, "validation");
    require(test_, "the test");
    description_ = fmt::format("{}, contiguous shards, {}, batch {}, {}", text_->name,
                               parts.model->describe(context_, text_->vocabulary()),
                               detail::batch_text(batch_sizes_), name_of(precision()));
  }

  [[nodiscard]] Vector initial_parameters() const override { return network_->initial_parameters(seed_); }

  BatchResult gradient(const Vector& parameters, int worker, std::uint64_t step,
                       Vector& gradient) const override {
    const Range& shard = shards_.at(static_cast<std::size_t>(worker));
    const std::size_t size = batch_size(worker);
    const std::uint64_t first = detail::first_sample(step, size);
    const std::size_t windows = windows_in(shard, context_);
    SampleOrder order(seed_, worker, windows);
    const Window window = memory(size);
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t cursor = first + i;
      const std::uint64_t epoch = cursor / windows;
      const std::size_t offset =
          RandomStream(seed_, "window offset", static_cast<std::uint64_t>(worker), epoch).below(context_);
      copy(window, i, shard.first + offset + order.at(cursor) * context_);
    }
    const Vector keep = parameters;  // `gradient` may be the same object
    const double loss = network_->gradient(detail::parameters_of<T>(keep, *layout()), window.features,
                                           {window.labels, size * context_}, gradient.overwrite<T>(layout()));
    return {loss, size};
  }

  [[nodiscard]] Evaluation evaluate(const Vector& parameters, Split split) const override {
    const Range& stretch = split == Split::test ? test_ : validation_;
    const std::size_t all = (stretch.size() - 1) / context_;
    const std::size_t windows = split == Split::test ? all : std::min(all, most_validation_windows);
    constexpr std::size_t block = 32;
    const Window window = memory(block);
    LossTotals sum;
    for (std::size_t first = 0; first < windows; first += block) {
      const std::size_t count = std::min(block, windows - first);
      for (std::size_t i = 0; i < count; ++i)
        copy(window, i, stretch.first + (first + i) * all / windows * context_);
      const LossTotals totals = network_->evaluate(detail::parameters_of<T>(parameters, *layout()),
                                                   window.features, {window.labels, count * context_});
      sum.loss += totals.loss;
      sum.correct += totals.correct;
    }
    const auto characters = static_cast<double>(windows * context_);
    return {sum.loss / characters, static_cast<double>(sum.correct) / characters, {}};
  }

  [[nodiscard]] std::size_t batch_size(int worker) const override {
    return batch_sizes_.at(static_cast<std::size_t>(worker));
  }
  [[nodiscard]] std::size_t worker_samples(int worker) const override {
    return windows_in(shards_.at(static_cast<std::size_t>(worker)), context_);
  }
  [[nodiscard]] double flops_per_sample() const override { return network_->flops_per_sample(); }
  [[nodiscard]] double activation_bytes_per_sample() const override {
    return static_cast<double>(network_->activations_per_sample() * sizeof(T));
  }
  [[nodiscard]] std::string describe() const override { return description_; }

 private:
  /// Windows as networks take them, in the thread's scratch memory.
  struct Window {
    T* features;
    std::uint8_t* labels;
  };

  [[nodiscard]] Window memory(std::size_t windows) const {
    detail::Scratch& scratch = detail::Scratch::of_this_thread();
    return {scratch.get<T>(detail::features_slot, windows * context_),
            scratch.get<std::uint8_t>(detail::labels_slot, windows * context_)};
  }

  void copy(const Window& window, std::size_t place, std::size_t start) const {
    const std::uint8_t* const tokens = text_->tokens.data() + start;
    for (std::size_t i = 0; i < context_; ++i)
      window.features[place * context_ + i] = static_cast<T>(tokens[i]);
    std::copy(tokens + 1, tokens + 1 + context_, window.labels + place * context_);
  }

  void require(const Range& stretch, const char* what) const {
    if (windows_in(stretch, context_) > 0) return;
    throw ConfigError(
        ConfigFault{.path = "task.data",
                    .message = fmt::format("{} characters of {} for {} are no two windows of {}",
                                           stretch.size(), text_->name, what, context_),
                    .found = {},
                    .allowed = {},
                    .hint = "a shorter context, fewer workers or a longer text",
                    .file = {},
                    .line = 0,
                    .column = 0});
  }

  std::shared_ptr<const TextCorpus> text_;
  std::unique_ptr<const NeuralNetwork<T>> network_;
  std::size_t context_;
  std::uint64_t seed_;
  std::vector<std::size_t> batch_sizes_;
  Range test_, validation_;
  std::vector<Range> shards_;
  std::string description_;
};

template <class T>
std::shared_ptr<const LearningTask> make(const LanguageParts& parts) {
  return std::make_shared<LanguageTask<T>>(
      parts, detail::build_network<T>(*parts.model, parts.model->context(), parts.text->vocabulary()));
}

}  // namespace

std::shared_ptr<const LearningTask> make_language_task(const LanguageParts& parts, Precision precision) {
  if (!parts.text || parts.model == nullptr || parts.model->input() != ModelInput::text ||
      !detail::are_batch_sizes(parts.batch_sizes)) {
    throw std::logic_error("make_language_task: parts are missing");
  }
  return precision == Precision::float32 ? make<float>(parts) : make<double>(parts);
}

}  // namespace convoy
