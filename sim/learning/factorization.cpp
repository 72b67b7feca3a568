#include "learning/factorization.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.hpp"

namespace convoy {
namespace {

std::vector<double> normals(std::uint64_t seed, std::uint64_t entity, std::size_t size, double deviation) {
  RandomStream random(seed, "true factors", entity);
  std::vector<double> values(size);
  for (double& value : values) value = deviation * random.normal();
  return values;
}

/// Where the tensors begin.
struct Places {
  std::size_t users, items, user_biases, item_biases, mean;
};

std::shared_ptr<const Layout> layout_of(const FactorizationOptions& options) {
  const auto rank = static_cast<std::size_t>(options.rank);
  auto layout = std::make_shared<Layout>();
  layout->add_matrix("user.factors", static_cast<std::size_t>(options.users), rank);
  layout->add_matrix("item.factors", static_cast<std::size_t>(options.items), rank);
  layout->add_vector("user.bias", static_cast<std::size_t>(options.users));
  layout->add_vector("item.bias", static_cast<std::size_t>(options.items));
  layout->add_vector("mean", 1);
  return layout;
}

template <class T>
class Factorization final : public detail::SplitTask {
 public:
  Factorization(const FactorizationOptions& options, detail::SplitParts parts)
      : SplitTask(layout_of(options), precision_of<T>, std::move(parts),
                  static_cast<std::size_t>(options.ratings), "factorization.ratings"),
        options_(options),
        rank_(static_cast<std::size_t>(options.rank)),
        ratings_(make_ratings(options, seed())) {
    const auto& tensors = layout()->layers;
    places_ = {tensors[0].offset, tensors[1].offset, tensors[2].offset, tensors[3].offset, tensors[4].offset};
    if (options_.share == RatingShare::users) {
      // Training ratings by user: contiguous parts are then users of their own, but for one at each border.
      std::stable_sort(ratings_.begin(),
                       ratings_.begin() + static_cast<std::ptrdiff_t>(training_range().last),
                       [](const Rating& a, const Rating& b) { return a.user < b.user; });
    }
  }

  // Factors normal with deviation 0.1, biases and mean 0.
  [[nodiscard]] Vector initial_parameters() const override {
    Vector result(layout(), precision());
    for (const std::size_t tensor : {0U, 1U}) {
      RandomStream random(seed(), "initial parameters", tensor);
      for (T& value : result.mutable_layer<T>(tensor)) value = static_cast<T>(0.1 * random.normal());
    }
    return result;
  }

  BatchResult gradient(const Vector& parameters, int worker, std::uint64_t step,
                       Vector& gradient) const override {
    const detail::GradientBuffers<T> buffers(parameters, gradient, layout());
    const std::span<const T> x = buffers.x;
    const std::span<T> g = buffers.g;
    const std::size_t size = batch_size(worker);
    const T share = T(1) / static_cast<T>(size);
    const T l2 = static_cast<T>(options_.l2);
    double loss = 0;
    for_each_sample(worker, step, [&](std::size_t position) {
      const Rating& rating = ratings_[position];
      const std::size_t user = places_.users + rating.user * rank_;
      const std::size_t item = places_.items + rating.item * rank_;
      const T error = error_of(x, rating);
      double squares = 0;
      for (std::size_t k = 0; k < rank_; ++k) {
        const T p = x[user + k];
        const T q = x[item + k];
        g[user + k] += share * (error * q + l2 * p);
        g[item + k] += share * (error * p + l2 * q);
        squares +=
            static_cast<double>(p) * static_cast<double>(p) + static_cast<double>(q) * static_cast<double>(q);
      }
      for (const std::size_t bias : {places_.user_biases + rating.user, places_.item_biases + rating.item}) {
        g[bias] += share * (error + l2 * x[bias]);
        squares += static_cast<double>(x[bias]) * static_cast<double>(x[bias]);
      }
      g[places_.mean] += share * error;
      loss += 0.5 * (static_cast<double>(error) * static_cast<double>(error) + options_.l2 * squares);
    });
    return {loss / static_cast<double>(size), size};
  }

  [[nodiscard]] Evaluation evaluate(const Vector& parameters, Split split) const override {
    const std::span<const T> x = detail::parameters_of<T>(parameters, *layout());
    const detail::Range& range = range_of(split);
    double squares = 0;
    for (std::size_t i = range.first; i < range.last; ++i) {
      const auto error = static_cast<double>(error_of(x, ratings_[i]));
      squares += error * error;
    }
    const double mean = squares / static_cast<double>(range.size());
    return {0.5 * mean, {}, {{"rmse", std::sqrt(mean)}}};
  }

  // A product of length rank, and its two derivatives.
  [[nodiscard]] double flops_per_sample() const override { return 6.0 * static_cast<double>(rank_); }
  [[nodiscard]] double activation_bytes_per_sample() const override {
    return static_cast<double>((2 * rank_ + 4) * sizeof(T));
  }
  [[nodiscard]] std::string describe() const override {
    return fmt::format("{} ratings of {} items by {} users, noise {}, {}, rank {}, l2 {}{}", options_.ratings,
                       options_.items, options_.users, options_.noise,
                       options_.share == RatingShare::iid ? "iid" : "by user", options_.rank, options_.l2,
                       batch_and_precision());
  }

 private:
  // Prediction minus rating.
  [[nodiscard]] T error_of(std::span<const T> x, const Rating& rating) const {
    const T* const user = x.data() + places_.users + rating.user * rank_;
    const T* const item = x.data() + places_.items + rating.item * rank_;
    T sum = x[places_.mean] + x[places_.user_biases + rating.user] + x[places_.item_biases + rating.item];
    for (std::size_t k = 0; k < rank_; ++k) sum += user[k] * item[k];
    return sum - static_cast<T>(rating.value);
  }

  FactorizationOptions options_;
  std::size_t rank_;
  std::vector<Rating> ratings_;
  Places places_{};
};

}  // namespace

void FactorizationOptions::declare(Options& options) {
  options.add("users", users).at_least(1).at_most(10'000'000).help("rows of the matrix");
  options.add("items", items).at_least(1).at_most(10'000'000).help("columns of the matrix");
  options.add("rank", rank).at_least(1).at_most(4096).help("length of the true and of the learned factors");
  options.add("ratings", ratings).at_least(1).at_most(100'000'000).help("known entries, drawn at random");
  options.add("noise", noise)
      .at_least(0)
      .help("standard deviation of what is added to an entry of variance 1");
  options.add("l2", l2).at_least(0).help("penalty of the squares of factors and biases");
  options.add("share", share, {{"iid", RatingShare::iid}, {"users", RatingShare::users}})
      .help("ratings are shared out over workers at random, or user by user");
}

std::vector<Rating> make_ratings(const FactorizationOptions& options, std::uint64_t seed) {
  const auto rank = static_cast<std::size_t>(options.rank);
  // The product of two sums' terms: rank products of variance deviation^4 each.
  const double deviation = std::pow(static_cast<double>(rank), -0.25);
  const auto users = normals(seed, 0, static_cast<std::size_t>(options.users) * rank, deviation);
  const auto items = normals(seed, 1, static_cast<std::size_t>(options.items) * rank, deviation);
  RandomStream random(seed, "ratings");
  std::vector<Rating> ratings;
  for (std::int64_t i = 0; i < options.ratings; ++i) {
    const auto user = static_cast<std::size_t>(random.below(static_cast<std::uint64_t>(options.users)));
    const auto item = static_cast<std::size_t>(random.below(static_cast<std::uint64_t>(options.items)));
    double value = options.noise * random.normal();
    for (std::size_t k = 0; k < rank; ++k) value += users[user * rank + k] * items[item * rank + k];
    ratings.push_back(
        {static_cast<std::uint32_t>(user), static_cast<std::uint32_t>(item), static_cast<float>(value)});
  }
  return ratings;
}

std::shared_ptr<const LearningTask> make_factorization(const FactorizationOptions& options,
                                                       Precision precision, detail::SplitParts parts) {
  if (precision == Precision::float32)
    return std::make_shared<Factorization<float>>(options, std::move(parts));
  return std::make_shared<Factorization<double>>(options, std::move(parts));
}

}  // namespace convoy
