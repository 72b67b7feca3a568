#include "learning/classification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "core/random.hpp"
#include "learning/detail/scratch.hpp"
#include "learning/detail/task_parts.hpp"

namespace convoy {
namespace {

// One in so many training samples of each class is for validation.
constexpr std::size_t validation_share = 12;

std::vector<std::uint32_t> all_rows(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

std::vector<std::uint8_t> labels_of(const Samples& samples, const std::vector<std::uint32_t>& rows) {
  std::vector<std::uint8_t> labels;
  labels.reserve(rows.size());
  for (const std::uint32_t row : rows) labels.push_back(samples.labels[row]);
  return labels;
}

template <class T>
class Classification final : public LearningTask {
 public:
  Classification(const ClassificationParts& parts, std::unique_ptr<const NeuralNetwork<T>> network)
      : LearningTask(network->layout(), precision_of<T>, static_cast<int>(parts.batch_sizes.size())),
        data_(parts.data),
        network_(std::move(network)),
        seed_(parts.seed),
        batch_sizes_(parts.batch_sizes),
        use_all_(parts.use_all_training_data),
        split_(use_all_ ? HeldOut{all_rows(data_->training.count), {}}
                        : hold_out_last(data_->training.labels, data_->classes, validation_share)),
        training_labels_(labels_of(data_->training, split_.kept)),
        parts_(parts.partition->split(training_labels_, data_->classes, workers(), seed_)),
        test_rows_(all_rows(data_->test.count)),
        description_(fmt::format("{}, {}, {}, batch {}, {}", data_->name, parts.partition->describe(),
                                 parts.model->describe(data_->features, data_->classes),
                                 detail::batch_text(batch_sizes_), name_of(precision()))) {}

  [[nodiscard]] Vector initial_parameters() const override { return network_->initial_parameters(seed_); }

  BatchResult gradient(const Vector& parameters, int worker, std::uint64_t step,
                       Vector& gradient) const override {
    const std::span<const std::uint32_t> mine = parts_.of(worker);
    const std::size_t size = batch_size(worker);
    const std::uint64_t first = detail::first_sample(step, size);
    detail::Scratch& scratch = detail::Scratch::of_this_thread();
    std::uint32_t* const rows = scratch.get<std::uint32_t>(detail::rows_slot, size);
    std::uint8_t* const labels = scratch.get<std::uint8_t>(detail::labels_slot, size);
    SampleOrder order(seed_, worker, mine.size());
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint32_t position = mine[order.at(first + i)];
      rows[i] = split_.kept[position];
      labels[i] = training_labels_[position];
    }
    T* const features = scratch.get<T>(detail::features_slot, size * data_->features);
    data_->widen(data_->training, {rows, size}, features);
    const Vector keep = parameters;  // `gradient` may be the same object
    const double loss = network_->gradient(detail::parameters_of<T>(keep, *layout()), features,
                                           {labels, size}, gradient.overwrite<T>(layout()));
    return {loss, size};
  }

  [[nodiscard]] Evaluation evaluate(const Vector& parameters, Split split) const override {
    const bool on_test = split == Split::test || use_all_;
    const Samples& samples = on_test ? data_->test : data_->training;
    const std::vector<std::uint32_t>& rows = on_test ? test_rows_ : split_.held_out;
    if (rows.empty()) throw std::logic_error("classification: an evaluation on an empty split");
    // Widened features of a block stay in the second-level cache.
    constexpr std::size_t block_bytes = 768 << 10;
    const std::size_t block =
        std::clamp<std::size_t>(block_bytes / (data_->features * sizeof(T)) / 8 * 8, 8, 512);
    detail::Scratch& scratch = detail::Scratch::of_this_thread();
    T* const features = scratch.get<T>(detail::features_slot, block * data_->features);
    std::uint8_t* const labels = scratch.get<std::uint8_t>(detail::labels_slot, block);
    LossTotals sum;
    for (std::size_t first = 0; first < rows.size(); first += block) {
      const std::size_t count = std::min(block, rows.size() - first);
      const std::span<const std::uint32_t> some(rows.data() + first, count);
      for (std::size_t i = 0; i < count; ++i) labels[i] = samples.labels[some[i]];
      data_->widen(samples, some, features);
      const LossTotals totals =
          network_->evaluate(detail::parameters_of<T>(parameters, *layout()), features, {labels, count});
      sum.loss += totals.loss;
      sum.correct += totals.correct;
    }
    const auto count = static_cast<double>(rows.size());
    Evaluation result{sum.loss / count, {}, {}};
    if (network_->has_accuracy()) result.accuracy = static_cast<double>(sum.correct) / count;
    return result;
  }

  [[nodiscard]] std::size_t batch_size(int worker) const override {
    return batch_sizes_.at(static_cast<std::size_t>(worker));
  }
  [[nodiscard]] std::size_t worker_samples(int worker) const override { return parts_.of(worker).size(); }
  [[nodiscard]] std::vector<std::vector<std::size_t>> label_histograms() const override {
    return parts_.label_histograms(training_labels_, data_->classes);
  }
  [[nodiscard]] double flops_per_sample() const override { return network_->flops_per_sample(); }
  [[nodiscard]] double activation_bytes_per_sample() const override {
    return static_cast<double>(network_->activations_per_sample() * sizeof(T));
  }
  [[nodiscard]] std::string describe() const override { return description_; }

 private:
  std::shared_ptr<const DataSet> data_;
  std::unique_ptr<const NeuralNetwork<T>> network_;
  std::uint64_t seed_;
  std::vector<std::size_t> batch_sizes_;
  bool use_all_;
  HeldOut split_;
  std::vector<std::uint8_t> training_labels_;  ///< of split_.kept
  WorkerSamples parts_;                        ///< positions in split_.kept
  std::vector<std::uint32_t> test_rows_;
  std::string description_;
};

template <class T>
std::shared_ptr<const LearningTask> make(const ClassificationParts& parts) {
  return std::make_shared<Classification<T>>(
      parts, detail::build_network<T>(*parts.model, parts.data->features, parts.data->classes));
}

}  // namespace

std::size_t SampleOrder::at(std::uint64_t cursor) {
  const std::uint64_t epoch = cursor / samples_;
  if (epoch != epoch_) {
    epoch_ = epoch;
    key_ = RandomStream(seed_, "data order", static_cast<std::uint64_t>(worker_), epoch).bits();
  }
  return static_cast<std::size_t>(permuted_index(key_, samples_, cursor - epoch * samples_));
}

std::shared_ptr<const LearningTask> make_classification(const ClassificationParts& parts,
                                                        Precision precision) {
  if (!parts.data || parts.model == nullptr || parts.model->input() == ModelInput::text ||
      parts.partition == nullptr || !detail::are_batch_sizes(parts.batch_sizes)) {
    throw std::logic_error("make_classification: parts are missing");
  }
  if (!parts.use_all_training_data &&
      hold_out_last(parts.data->training.labels, parts.data->classes, validation_share).held_out.empty()) {
    throw ConfigError(
        ConfigFault{.path = "task.data",
                    .message = "no class has enough training samples to hold out a twelfth for validation",
                    .found = {},
                    .allowed = {},
                    .hint = {},
                    .file = {},
                    .line = 0,
                    .column = 0});
  }
  return precision == Precision::float32 ? make<float>(parts) : make<double>(parts);
}

}  // namespace convoy
