// Matrix factorisation of synthetic ratings.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/options.hpp"
#include "learning/detail/split_task.hpp"
#include "learning/task.hpp"

namespace convoy {

/// How ratings are shared out: at random, or so that each user's ratings are on one worker.
enum class RatingShare { iid, users };

/// A rating is p_u q_i + noise with true factors of `rank` normal entries, scaled so that p_u q_i has
/// variance 1; users and items are drawn uniformly. What is learned is mean + b_u + b_i + p_u q_i (Koren,
/// Bell and Volinsky, IEEE Computer 42 (2009)) with factors of `rank`, by half the squared error plus l2 / 2
/// times the squares of the factors and biases of a rating's user and item.
struct FactorizationOptions {
  std::int64_t users = 1000, items = 1000, rank = 8, ratings = 100'000;
  double noise = 0.1, l2 = 0;
  RatingShare share = RatingShare::iid;

  void declare(Options& options);
};

struct Rating {
  std::uint32_t user = 0, item = 0;
  float value = 0;
};
/// All ratings, in the order that detail::Splits cuts; of the first, those for training, RatingShare::users
/// sorts by user.
[[nodiscard]] std::vector<Rating> make_ratings(const FactorizationOptions& options, std::uint64_t seed);

/// Evaluations give half the mean squared error and "rmse", its root of twice that.
[[nodiscard]] std::shared_ptr<const LearningTask> make_factorization(const FactorizationOptions& options,
                                                                     Precision precision,
                                                                     detail::SplitParts parts);

}  // namespace convoy
