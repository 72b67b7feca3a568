// Reinforcement learning of a small policy on toy problems whose answers can be verified.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/options.hpp"
#include "learning/detail/split_task.hpp"
#include "learning/task.hpp"

namespace convoy {

/// What the right answer to a prompt of digits is.
enum class Goal {
  copy,     ///< the digits
  reverse,  ///< the digits from the last to the first
  sort,     ///< the digits in ascending order
  sum,      ///< one digit: their sum modulo the base
};

/// What is subtracted from an answer's reward.
enum class Baseline {
  none,        ///< REINFORCE (Williams, Machine Learning 8 (1992))
  group_mean,  ///< mean over the answers to the prompt, itself included: GRPO (Shao et al., arXiv 2402.03300)
               ///< without its division by the deviation; shrinks the gradient by 1 - 1 / answers
  leave_one_out,  ///< mean over the other answers: RLOO (Kool et al. 2019), without bias
};

struct PolicyOptions {
  Goal goal = Goal::sort;
  Baseline baseline = Baseline::leave_one_out;
  std::int64_t base = 4, length = 4, hidden = 64, answers = 8;
  double entropy = 0;

  void declare(Options& options);
};

/// The right answer to `prompt`, digits below `base`.
[[nodiscard]] std::vector<std::size_t> right_answer(Goal goal, std::vector<std::size_t> prompt,
                                                    std::size_t base);

/// Prompts are all sequences of `length` digits, in random order. The policy reads one-hot digits through one
/// hidden layer of ReLUs and gives each digit of the answer a distribution of its own. A step draws `answers`
/// answers to each prompt of the mini-batch; a right one earns 1, any other 0; the gradient is that of
/// -E[(reward - baseline) log p(answer)] - entropy H. A batch's loss is 1 - mean reward; an evaluation's loss
/// is 1 - the probability of the right answer, its accuracy the share of prompts to which the likeliest
/// answer is right. Throws ConfigError for more than 2^20 prompts, or too few for the workers.
[[nodiscard]] std::shared_ptr<const LearningTask> make_policy(const PolicyOptions& options,
                                                              Precision precision, detail::SplitParts parts);

}  // namespace convoy
