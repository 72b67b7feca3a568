#include "learning/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.hpp"
#include "learning/detail/exponential.hpp"
#include "learning/detail/scratch.hpp"
#include "learning/layers/activation.hpp"
#include "learning/layers/dense.hpp"
#include "learning/layers/sequential.hpp"
#include "learning/numerics.hpp"

namespace convoy {
namespace {

using layers::Dense;
using layers::Initial;

enum Slot : std::size_t { kept_slot = 1, layer_scratch_slot, exit_slot, draws_slot, rewards_slot, rows_slot };

constexpr const char* goal_words[] = {"copy", "reverse", "sort", "sum"};
constexpr const char* baseline_words[] = {"none", "group_mean", "leave_one_out"};

std::size_t prompts_of(const PolicyOptions& options) {
  constexpr std::size_t most = std::size_t{1} << 20;
  std::size_t count = 1;
  for (std::int64_t i = 0; i < options.length && count <= most; ++i)
    count *= static_cast<std::size_t>(options.base);
  if (count <= most) return count;
  throw ConfigError(ConfigFault{.path = "task.policy.length",
                                .message = fmt::format("{} digits of base {} are more than {} prompts",
                                                       options.length, options.base, most),
                                .found = std::to_string(options.length),
                                .allowed = "base^length <= 1048576",
                                .hint = {},
                                .file = {},
                                .line = 0,
                                .column = 0});
}

template <class T>
std::unique_ptr<layers::Sequential<T>> make_body(const PolicyOptions& options) {
  const auto base = static_cast<std::size_t>(options.base);
  const auto hidden = static_cast<std::size_t>(options.hidden);
  const std::size_t inputs = base * static_cast<std::size_t>(options.length);
  const std::size_t outputs = options.goal == Goal::sum ? base : inputs;
  auto body = std::make_unique<layers::Sequential<T>>();
  body->template add<Dense<T>>("hidden", typename Dense<T>::Shape{.inputs = inputs, .outputs = hidden},
                               Initial::he(inputs));
  body->template add<layers::Relu<T>>("relu", hidden);
  body->template add<Dense<T>>("answer", typename Dense<T>::Shape{.inputs = hidden, .outputs = outputs},
                               Initial::glorot(hidden, outputs));
  return body;
}

template <class Body>
std::shared_ptr<const Layout> lay_out(Body& body) {
  auto layout = std::make_shared<Layout>();
  body.lay_out(*layout, "");
  return layout;
}

template <class T>
class Policy final : public detail::SplitTask {
 public:
  Policy(const PolicyOptions& options, detail::SplitParts parts)
      : Policy(options, std::move(parts), make_body<T>(options)) {}

  [[nodiscard]] Vector initial_parameters() const override {
    Vector result(layout(), precision());
    body_->initialise(result.mutable_values<T>().data(), seed());
    return result;
  }

  BatchResult gradient(const Vector& parameters, int worker, std::uint64_t step,
                       Vector& gradient) const override {
    const detail::GradientBuffers<T> buffers(parameters, gradient, layout());
    const std::span<const T> x = buffers.x;
    const std::span<T> g = buffers.g;
    const std::size_t size = batch_size(worker);
    const Batch batch = memory(size, x);
    std::size_t sample = 0;
    for_each_sample(worker, step, [&](std::size_t position) { write_prompt(batch, sample++, position); });
    body_->forward(batch.call, batch.features, batch.exit);
    RandomStream random(seed(), "answers", static_cast<std::uint64_t>(worker), step);
    double reward = 0;
    for (std::size_t i = 0; i < size; ++i) reward += replace_by_derivatives(batch, i, size, random);
    body_->backward(batch.call, batch.features, batch.exit, batch.exit, nullptr, g.data());
    return {1 - reward / static_cast<double>(size * answers_), size};
  }

  [[nodiscard]] Evaluation evaluate(const Vector& parameters, Split split) const override {
    const std::span<const T> x = detail::parameters_of<T>(parameters, *layout());
    const detail::Range& range = range_of(split);
    constexpr std::size_t block = 256;
    double likelihood = 0;
    std::size_t solved = 0;
    for (std::size_t first = range.first; first < range.last; first += block) {
      const std::size_t count = std::min(block, range.last - first);
      const Batch batch = memory(count, x);
      for (std::size_t i = 0; i < count; ++i) write_prompt(batch, i, first + i);
      body_->forward(batch.call, batch.features, batch.exit);
      for (std::size_t i = 0; i < count; ++i) {
        const T* const rows = probabilities(batch, i);
        double probability = 1;
        bool right = true;
        for (std::size_t d = 0; d < digits_; ++d) {
          const T* const row = rows + d * detail::padded(base_);
          const std::size_t wanted = right_digits(batch, i)[d];
          right = right && std::max_element(row, row + base_) == row + wanted;
          probability *= static_cast<double>(row[wanted]);
        }
        likelihood += probability;
        solved += right ? 1 : 0;
      }
    }
    const auto count = static_cast<double>(range.size());
    return {1 - likelihood / count, static_cast<double>(solved) / count, {}};
  }

  [[nodiscard]] double flops_per_sample() const override { return body_->flops(false); }
  [[nodiscard]] double activation_bytes_per_sample() const override {
    return static_cast<double>((body_->inputs() + body_->activations()) * sizeof(T));
  }
  [[nodiscard]] std::string describe() const override {
    return fmt::format(
        "policy of {} hidden units learns to {} {} digits of base {}, {} answers, baseline {}{}",
        options_.hidden, goal_words[static_cast<std::size_t>(options_.goal)], length_, base_, answers_,
        baseline_words[static_cast<std::size_t>(options_.baseline)], batch_and_precision());
  }

 private:
  Policy(const PolicyOptions& options, detail::SplitParts parts, std::unique_ptr<layers::Sequential<T>> body)
      : SplitTask(lay_out(*body), precision_of<T>, std::move(parts), prompts_of(options), "policy.length"),
        options_(options),
        body_(std::move(body)),
        base_(static_cast<std::size_t>(options.base)),
        length_(static_cast<std::size_t>(options.length)),
        digits_(body_->outputs() / base_),
        answers_(static_cast<std::size_t>(options.answers)) {
    pin_numerics();
    const std::size_t prompts = prompts_of(options);
    const std::uint64_t key = RandomStream(seed(), "prompts").bits();
    for (std::size_t i = 0; i < prompts; ++i) {
      std::uint64_t number = permuted_index(key, prompts, i);
      std::vector<std::size_t> prompt;
      for (std::size_t d = 0; d < length_; ++d, number /= base_) prompt.push_back(number % base_);
      for (const std::size_t digit : prompt) prompts_.push_back(static_cast<std::uint8_t>(digit));
      for (const std::size_t digit : right_answer(options.goal, prompt, base_))
        answers_of_.push_back(static_cast<std::uint8_t>(digit));
    }
  }

  struct Batch {
    layers::Call<T> call;
    T* features;
    T* exit;
    std::size_t* positions;  ///< of the prompts
  };

  [[nodiscard]] Batch memory(std::size_t samples, std::span<const T> x) const {
    detail::Scratch& scratch = detail::Scratch::of_this_thread();
    return {{samples, x.data(), scratch.get<T>(kept_slot, body_->kept(samples)),
             scratch.get<T>(layer_scratch_slot, body_->scratch(samples))},
            scratch.get<T>(detail::features_slot, samples * body_->inputs()),
            scratch.get<T>(exit_slot, samples * body_->outputs()),
            scratch.get<std::size_t>(detail::rows_slot, samples)};
  }

  void write_prompt(const Batch& batch, std::size_t sample, std::size_t position) const {
    batch.positions[sample] = position;
    T* const features = batch.features + sample * body_->inputs();
    std::fill_n(features, body_->inputs(), T(0));
    for (std::size_t d = 0; d < length_; ++d) features[d * base_ + prompts_[position * length_ + d]] = 1;
  }

  [[nodiscard]] const std::uint8_t* right_digits(const Batch& batch, std::size_t sample) const {
    return answers_of_.data() + batch.positions[sample] * digits_;
  }

  /// Logits of a digit become probabilities; the logits are padded as exponentials need.
  void softmax(T* row) const {
    const T largest = *std::max_element(row, row + base_);
    T spoiled = 0;  // NaN where a logit is not finite, which the exponential would hide
    for (std::size_t k = 0; k < base_; ++k) {
      spoiled += row[k] * 0;
      row[k] -= largest;
    }
    detail::exponentiate(row, base_);
    T sum = spoiled;
    for (std::size_t k = 0; k < base_; ++k) sum += row[k];
    for (std::size_t k = 0; k < base_; ++k) row[k] /= sum;
  }

  /// The distributions of a sample's digits, each at a multiple of padded(base), in the thread's memory.
  [[nodiscard]] T* probabilities(const Batch& batch, std::size_t sample) const {
    const std::size_t stride = detail::padded(base_);
    T* const rows = detail::Scratch::of_this_thread().get<T>(rows_slot, digits_ * stride);
    for (std::size_t d = 0; d < digits_; ++d) {
      std::copy_n(batch.exit + (sample * digits_ + d) * base_, base_, rows + d * stride);
      softmax(rows + d * stride);
    }
    return rows;
  }

  [[nodiscard]] std::size_t draw(const T* row, RandomStream& random) const {
    double left = random.uniform();
    for (std::size_t k = 0; k + 1 < base_; ++k) {
      left -= static_cast<double>(row[k]);
      if (left < 0) return k;
    }
    return base_ - 1;
  }

  [[nodiscard]] double baseline(double total, double own) const {
    const auto count = static_cast<double>(answers_);
    switch (options_.baseline) {
      case Baseline::none:
        return 0;
      case Baseline::group_mean:
        return total / count;
      case Baseline::leave_one_out:
        return answers_ > 1 ? (total - own) / (count - 1) : 0;
    }
    return 0;
  }

  /// Draws the answers to one prompt and puts the derivatives of the loss in place of its logits. Returns the
  /// sum of rewards.
  double replace_by_derivatives(const Batch& batch, std::size_t sample, std::size_t size,
                                RandomStream& random) const {
    detail::Scratch& scratch = detail::Scratch::of_this_thread();
    const std::size_t stride = detail::padded(base_);
    const T* const rows = probabilities(batch, sample);
    auto* const draws = scratch.get<std::size_t>(draws_slot, answers_ * digits_);
    auto* const rewards = scratch.get<double>(rewards_slot, answers_);
    double total = 0;
    for (std::size_t a = 0; a < answers_; ++a) {
      for (std::size_t d = 0; d < digits_; ++d) draws[a * digits_ + d] = draw(rows + d * stride, random);
      const bool right =
          std::equal(draws + a * digits_, draws + (a + 1) * digits_, right_digits(batch, sample));
      total += rewards[a] = right ? 1 : 0;
    }
    const double share = 1 / static_cast<double>(size);
    for (std::size_t d = 0; d < digits_; ++d) {
      const T* const p = rows + d * stride;
      T* const out = batch.exit + (sample * digits_ + d) * base_;
      // d(-H)/dz_k = p_k (log p_k + H)
      double entropy = 0;
      for (std::size_t k = 0; k < base_; ++k) entropy -= p_log_p(p[k]);
      for (std::size_t k = 0; k < base_; ++k) {
        const double penalty = p_log_p(p[k]) + static_cast<double>(p[k]) * entropy;
        out[k] = static_cast<T>(share * options_.entropy * penalty);
      }
      for (std::size_t a = 0; a < answers_; ++a) {
        const double advantage = rewards[a] - baseline(total, rewards[a]);
        const T weight = static_cast<T>(share * advantage / static_cast<double>(answers_));
        for (std::size_t k = 0; k < base_; ++k) out[k] += weight * p[k];
        out[draws[a * digits_ + d]] -= weight;
      }
    }
    return total;
  }

  [[nodiscard]] static double p_log_p(T p) {
    const auto value = static_cast<double>(p);
    return value == 0 ? 0 : value * std::log(value);
  }

  PolicyOptions options_;
  std::unique_ptr<layers::Sequential<T>> body_;
  std::size_t base_, length_, digits_, answers_;
  std::vector<std::uint8_t> prompts_, answers_of_;  ///< digits, prompt after prompt
};

}  // namespace

std::vector<std::size_t> right_answer(Goal goal, std::vector<std::size_t> prompt, std::size_t base) {
  switch (goal) {
    case Goal::copy:
      break;
    case Goal::reverse:
      std::reverse(prompt.begin(), prompt.end());
      break;
    case Goal::sort:
      std::sort(prompt.begin(), prompt.end());
      break;
    case Goal::sum:
      return {std::accumulate(prompt.begin(), prompt.end(), std::size_t{0}) % base};
  }
  return prompt;
}

void PolicyOptions::declare(Options& options) {
  options
      .add("goal", goal,
           {{"copy", Goal::copy}, {"reverse", Goal::reverse}, {"sort", Goal::sort}, {"sum", Goal::sum}})
      .help("the right answer: the digits, from last to first, ascending, or their sum modulo the base");
  options
      .add("baseline", baseline,
           {{"none", Baseline::none},
            {"group_mean", Baseline::group_mean},
            {"leave_one_out", Baseline::leave_one_out}})
      .help(
          "subtracted from a reward: nothing, the mean over the prompt's answers, or over its other answers");
  options.add("base", base).between(2, 256).help("different digits");
  options.add("length", length).between(1, 20).help("digits of a prompt; base^length prompts, at most 2^20");
  options.add("hidden", hidden).between(1, 65536).help("width of the hidden layer");
  options.add("answers", answers).between(1, 4096).help("answers drawn to each prompt of a mini-batch");
  options.add("entropy", entropy)
      .at_least(0)
      .help("weight of the entropy of the answers' digits, which is sought");
}

std::shared_ptr<const LearningTask> make_policy(const PolicyOptions& options, Precision precision,
                                                detail::SplitParts parts) {
  if (precision == Precision::float32) return std::make_shared<Policy<float>>(options, std::move(parts));
  return std::make_shared<Policy<double>>(options, std::move(parts));
}

}  // namespace convoy
