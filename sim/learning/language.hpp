// The task of predicting the next character of a text that is split over workers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "learning/data/text.hpp"
#include "learning/model.hpp"
#include "learning/task.hpp"

namespace convoy {

struct LanguageParts {
  std::shared_ptr<const TextCorpus> text;
  const Model* model = nullptr;  ///< of ModelInput::text; needed while the task is made only
  std::uint64_t seed = 0;
  std::vector<std::size_t> batch_sizes;  ///< one a worker
  /// Train on the validation text too; the validation split is then the test split.
  bool use_all_training_data = false;
};

/// The last tenth of the text is for the test, and the last twelfth of what comes before for validation. What
/// remains is cut into one contiguous shard a worker, of lengths that differ by one at most. A sample is a
/// window of the model's context and the character after it. An epoch of a worker visits the windows of its
/// shard, end to end, in random order; each epoch begins at another random place within the first window.
/// Losses are nats per character; an evaluation on validation takes at most 512 windows, evenly spread.
/// Throws ConfigError if a shard or a split has no room for two windows.
[[nodiscard]] std::shared_ptr<const LearningTask> make_language_task(const LanguageParts& parts,
                                                                     Precision precision);

}  // namespace convoy
