#include "learning/detail/split_task.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace convoy::detail {

Splits::Splits(std::size_t total, bool use_all_training_data) {
  constexpr std::size_t test_share = 10;
  constexpr std::size_t validation_share = 12;
  const std::size_t before = total - total / test_share;
  const std::size_t kept = use_all_training_data ? before : before - before / validation_share;
  training = {0, kept};
  test = {before, total};
  validation = use_all_training_data ? test : Range{kept, before};
}

std::vector<Range> shares(Range whole, std::size_t workers) {
  std::vector<Range> result;
  for (std::size_t w = 0; w < workers; ++w)
    result.push_back(
        {whole.first + whole.size() * w / workers, whole.first + whole.size() * (w + 1) / workers});
  return result;
}

SplitTask::SplitTask(std::shared_ptr<const Layout> layout, Precision precision, SplitParts parts,
                     std::size_t total, const char* option)
    : LearningTask(std::move(layout), precision, static_cast<int>(parts.batch_sizes.size())),
      parts_(std::move(parts)),
      splits_(total, parts_.use_all_training_data) {
  if (!are_batch_sizes(parts_.batch_sizes)) throw std::logic_error("a task without batch sizes");
  shares_ = shares(splits_.training, parts_.batch_sizes.size());
  if (splits_.training.size() < shares_.size() || splits_.validation.size() == 0 ||
      splits_.test.size() == 0) {
    throw ConfigError(
        ConfigFault{.path = std::string("task.") + option,
                    .message = fmt::format("{} samples do not suffice for {} workers, validation and test",
                                           total, shares_.size()),
                    .found = std::to_string(total),
                    .allowed = {},
                    .hint = "more samples or fewer workers",
                    .file = {},
                    .line = 0,
                    .column = 0});
  }
}

std::string SplitTask::batch_and_precision() const {
  return fmt::format(", batch {}, {}", batch_text(parts_.batch_sizes), name_of(precision()));
}

}  // namespace convoy::detail
