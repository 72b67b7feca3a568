#include "learning/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/random.hpp"

namespace convoy {
namespace {

[[noreturn]] void refuse(std::string message, std::string hint) {
  throw ConfigError(ConfigFault{.path = "task.partition",
                                .message = std::move(message),
                                .found = {},
                                .allowed = {},
                                .hint = std::move(hint),
                                .file = {},
                                .line = 0,
                                .column = 0});
}

void require_enough(std::size_t samples, int workers, std::size_t each) {
  if (workers < 1) throw std::logic_error("a partition over no workers");
  if (samples / static_cast<std::size_t>(workers) < each) {
    refuse(fmt::format("{} training samples are too few for {} workers with at least {} each", samples,
                       workers, each),
           "use fewer workers, or \"replicated\"");
  }
}

// Positions of each class, shuffled.
std::vector<std::vector<std::uint32_t>> shuffled_classes(std::span<const std::uint8_t> labels,
                                                         std::size_t classes, std::uint64_t seed) {
  std::vector<std::vector<std::uint32_t>> result(classes);
  for (std::size_t i = 0; i < labels.size(); ++i)
    result.at(labels[i]).push_back(static_cast<std::uint32_t>(i));
  for (std::size_t c = 0; c < classes; ++c) {
    RandomStream stream(seed, "partition order", c);
    stream.shuffle(result[c].begin(), result[c].end());
  }
  return result;
}

// Logarithms of Gamma(shape, 1) draws, up to a common shift a Dirichlet draw in logarithms. Below shape 1 it
// is Gamma(shape + 1) U^(1 / shape), which stays finite in logarithms where the number itself would be 0.
double log_gamma_draw(double shape, RandomStream& stream) {
  if (shape >= 1) return portable_log(stream.gamma(shape));
  const double uniform = 1 - stream.uniform();  // (0, 1]
  return portable_log(stream.gamma(shape + 1)) + portable_log(uniform) / shape;
}

constexpr double none = -std::numeric_limits<double>::infinity();

// exp(log_weights) scaled to the sum 1; all zero if none is finite.
void normalise(const std::vector<double>& log_weights, std::vector<double>& out) {
  const double largest = *std::max_element(log_weights.begin(), log_weights.end());
  out.assign(log_weights.size(), 0);
  if (largest == none) return;
  double sum = 0;
  for (std::size_t i = 0; i < out.size(); ++i) sum += out[i] = portable_exp(log_weights[i] - largest);
  for (double& weight : out) weight /= sum;
}

WorkerSamples joined(const std::vector<std::vector<std::uint32_t>>& by_worker) {
  std::vector<std::size_t> offsets{0};
  std::vector<std::uint32_t> positions;
  for (const auto& mine : by_worker) {
    positions.insert(positions.end(), mine.begin(), mine.end());
    offsets.push_back(positions.size());
  }
  return {std::move(positions), std::move(offsets)};
}

class Iid final : public Partition {
 public:
  [[nodiscard]] std::string_view kind() const override { return "iid"; }
  [[nodiscard]] std::string_view about() const override {
    return "all samples shuffled, then cut into equal runs (sizes differ by at most one)";
  }
  void declare(Options&) override {}
  [[nodiscard]] std::string describe() const override { return "iid"; }
  [[nodiscard]] WorkerSamples split(std::span<const std::uint8_t> labels, std::size_t, int workers,
                                    std::uint64_t seed) const override {
    require_enough(labels.size(), workers, 1);
    std::vector<std::uint32_t> positions(labels.size());
    std::iota(positions.begin(), positions.end(), 0U);
    RandomStream stream(seed, "partition order");
    stream.shuffle(positions.begin(), positions.end());
    std::vector<std::size_t> offsets;
    const auto count = static_cast<std::size_t>(workers);
    for (std::size_t w = 0; w <= count; ++w) offsets.push_back(labels.size() * w / count);
    return {std::move(positions), std::move(offsets)};
  }
};

class Replicated final : public Partition {
 public:
  [[nodiscard]] std::string_view kind() const override { return "replicated"; }
  [[nodiscard]] std::string_view about() const override {
    return "every worker holds all training samples and goes through them in an order of its own";
  }
  void declare(Options&) override {}
  [[nodiscard]] std::string describe() const override { return "replicated"; }
  [[nodiscard]] WorkerSamples split(std::span<const std::uint8_t> labels, std::size_t, int workers,
                                    std::uint64_t) const override {
    if (labels.empty()) refuse("there are no training samples", {});
    return WorkerSamples::replicated(labels.size(), workers);
  }
};

enum class Convention { hsu, noniid_bench };

class Dirichlet final : public Partition {
 public:
  [[nodiscard]] std::string_view kind() const override { return "dirichlet"; }
  [[nodiscard]] std::string_view about() const override {
    return "label skew by a Dirichlet draw; the same alpha means different skew in the two conventions. hsu "
           "(Hsu et al. "
           "2019): each worker draws class shares from Dir(alpha x class prior), then its samples by them "
           "without "
           "replacement, all workers the same number. noniid_bench (Li et al., ICDE 2022; Yurochkin et al. "
           "2019): each "
           "class draws worker shares from Dir(alpha), workers that hold their part already get none; sizes "
           "vary";
  }
  void declare(Options& options) override {
    options
        .add("convention", convention_,
             {{"hsu", Convention::hsu}, {"noniid_bench", Convention::noniid_bench}})
        .required()
        .help("hsu: shares of classes per worker; noniid_bench: shares of workers per class");
    options.add("alpha", alpha_)
        .required()
        .at_least(0)
        .at_most(1e9)
        .help("concentration: small is skewed, large is iid; 0 (hsu only) is one class a worker");
    options.add("samples_per_worker", samples_per_worker_)
        .at_least(1)
        .default_text("training samples / workers, rounded down")
        .help("hsu: samples of each worker; what nobody draws is unused")
        .source("Hsu et al. 2019: 500 of 50,000 for 100 clients");
    options.add("least_samples", least_samples_)
        .at_least(1)
        .default_text("10")
        .help("noniid_bench: the draw is repeated until every worker holds that many")
        .source("NIID-Bench, partition_data");
    options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
      const auto only = [&](const char* key, bool given, Convention owner, const char* name) {
        if (!given || convention_ == owner) return;
        const Node* const node = whole.find(key);
        faults.add(node ? *node : whole, path.empty() ? key : path + "." + key,
                   std::string(key) + " belongs to the convention " + name);
      };
      only("samples_per_worker", samples_per_worker_.has_value(), Convention::hsu, "hsu");
      only("least_samples", least_samples_.has_value(), Convention::noniid_bench, "noniid_bench");
      if (convention_ == Convention::noniid_bench && alpha_ <= 0) {
        const Node* const node = whole.find("alpha");
        faults.add(node ? *node : whole, path.empty() ? "alpha" : path + ".alpha",
                   "alpha must be more than 0 in the convention noniid_bench");
      }
    });
  }
  [[nodiscard]] std::string describe() const override {
    return fmt::format("dirichlet ({}, alpha {})", convention_ == Convention::hsu ? "hsu" : "noniid_bench",
                       alpha_);
  }
  [[nodiscard]] WorkerSamples split(std::span<const std::uint8_t> labels, std::size_t classes, int workers,
                                    std::uint64_t seed) const override {
    return convention_ == Convention::hsu ? split_hsu(labels, classes, workers, seed)
                                          : split_noniid_bench(labels, classes, workers, seed);
  }

 private:
  [[nodiscard]] WorkerSamples split_hsu(std::span<const std::uint8_t> labels, std::size_t classes,
                                        int workers, std::uint64_t seed) const;
  [[nodiscard]] WorkerSamples split_noniid_bench(std::span<const std::uint8_t> labels, std::size_t classes,
                                                 int workers, std::uint64_t seed) const;

  Convention convention_ = Convention::hsu;
  double alpha_ = 0.5;
  std::optional<std::int64_t> samples_per_worker_;
  std::optional<std::int64_t> least_samples_;
};

// The class shares of one worker in the convention hsu, with classes that run out taken away.
class ClassShares {
 public:
  // log_prior: logarithm of each class's share of all samples.
  ClassShares(double alpha, const std::vector<double>& log_prior, RandomStream& stream)
      : log_weights_(log_prior.size(), none) {
    for (std::size_t c = 0; c < log_prior.size(); ++c) {
      if (log_prior[c] != none && alpha > 0)
        log_weights_[c] = log_gamma_draw(alpha * portable_exp(log_prior[c]), stream);
    }
    if (none_left()) choose_one(log_prior, stream);
    normalise(log_weights_, shares_);
  }

  // `left`: samples that each class still has. Only while some class has any.
  std::size_t draw(const std::vector<std::size_t>& left, const std::vector<double>& log_prior,
                   RandomStream& stream) {
    bool changed = false;
    for (std::size_t c = 0; c < left.size(); ++c) {
      if (left[c] == 0 && log_weights_[c] != none) {
        log_weights_[c] = none;
        changed = true;
      }
    }
    if (changed) {
      // Every class of this worker has run out: one more, by the prior.
      if (none_left()) {
        std::vector<double> remaining = log_prior;
        for (std::size_t c = 0; c < left.size(); ++c) {
          if (left[c] == 0) remaining[c] = none;
        }
        choose_one(remaining, stream);
      }
      normalise(log_weights_, shares_);
    }
    return pick(shares_, stream);
  }

 private:
  static std::size_t pick(const std::vector<double>& shares, RandomStream& stream) {
    double rest = stream.uniform();
    std::size_t last = 0;
    for (std::size_t c = 0; c < shares.size(); ++c) {
      if (shares[c] <= 0) continue;
      last = c;
      if ((rest -= shares[c]) < 0) break;
    }
    return last;
  }

  [[nodiscard]] bool none_left() const {
    return std::all_of(log_weights_.begin(), log_weights_.end(),
                       [](double weight) { return weight == none; });
  }

  void choose_one(const std::vector<double>& log_weights, RandomStream& stream) {
    std::vector<double> shares;
    normalise(log_weights, shares);
    log_weights_[pick(shares, stream)] = 0;
  }

  std::vector<double> log_weights_;
  std::vector<double> shares_;
};

WorkerSamples Dirichlet::split_hsu(std::span<const std::uint8_t> labels, std::size_t classes, int workers,
                                   std::uint64_t seed) const {
  require_enough(labels.size(), workers, static_cast<std::size_t>(samples_per_worker_.value_or(1)));
  const std::size_t each = samples_per_worker_ ? static_cast<std::size_t>(*samples_per_worker_)
                                               : labels.size() / static_cast<std::size_t>(workers);
  auto by_class = shuffled_classes(labels, classes, seed);
  std::vector<std::size_t> left(classes);
  std::vector<double> log_prior(classes, none);
  for (std::size_t c = 0; c < classes; ++c) {
    left[c] = by_class[c].size();
    if (left[c] > 0)
      log_prior[c] = portable_log(static_cast<double>(left[c]) / static_cast<double>(labels.size()));
  }
  std::vector<std::vector<std::uint32_t>> by_worker(static_cast<std::size_t>(workers));
  for (std::size_t w = 0; w < by_worker.size(); ++w) {
    RandomStream stream(seed, "partition shares", w);
    ClassShares shares(alpha_, log_prior, stream);
    by_worker[w].reserve(each);
    for (std::size_t i = 0; i < each; ++i) {
      const std::size_t c = shares.draw(left, log_prior, stream);
      by_worker[w].push_back(by_class[c][--left[c]]);
    }
  }
  return joined(by_worker);
}

WorkerSamples Dirichlet::split_noniid_bench(std::span<const std::uint8_t> labels, std::size_t classes,
                                            int workers, std::uint64_t seed) const {
  const auto least = static_cast<std::size_t>(least_samples_.value_or(10));
  require_enough(labels.size(), workers, least);
  const auto by_class = shuffled_classes(labels, classes, seed);
  const auto parties = static_cast<std::size_t>(workers);
  const double fair = static_cast<double>(labels.size()) / static_cast<double>(workers);
  // A bound on the work, about 2e7 gamma draws, since a skewed draw may never give every worker enough.
  const std::size_t attempts = std::clamp<std::size_t>(20'000'000 / (parties * classes), 100, 10'000);
  std::vector<double> log_weights(parties);
  std::vector<double> shares;
  for (std::size_t attempt = 0; attempt < attempts; ++attempt) {
    RandomStream stream(seed, "partition shares", attempt);
    std::vector<std::size_t> held(parties, 0);
    std::vector<std::vector<std::size_t>> cuts(classes);  // cuts[c][w]: where worker w's part of class c ends
    for (std::size_t c = 0; c < classes; ++c) {
      for (std::size_t w = 0; w < parties; ++w) {
        const double draw = log_gamma_draw(alpha_, stream);
        log_weights[w] = static_cast<double>(held[w]) < fair ? draw : none;
      }
      normalise(log_weights, shares);
      double sum = 0;
      std::size_t before = 0;
      for (std::size_t w = 0; w < parties; ++w) {
        sum += shares[w];
        const double end = std::floor(sum * static_cast<double>(by_class[c].size()));
        const std::size_t cut = w + 1 == parties
                                    ? by_class[c].size()
                                    : std::min(by_class[c].size(), static_cast<std::size_t>(end));
        held[w] += cut - before;
        cuts[c].push_back(before = cut);
      }
    }
    if (*std::min_element(held.begin(), held.end()) < least) continue;
    std::vector<std::vector<std::uint32_t>> by_worker(parties);
    for (std::size_t c = 0; c < classes; ++c) {
      std::size_t from = 0;
      for (std::size_t w = 0; w < parties; ++w) {
        for (; from < cuts[c][w]; ++from) by_worker[w].push_back(by_class[c][from]);
      }
    }
    return joined(by_worker);
  }
  refuse(fmt::format("no draw of {} gave each of {} workers at least {} samples", attempts, workers, least),
         "use a larger alpha, fewer workers, a smaller least_samples, or the convention hsu");
}

}  // namespace

WorkerSamples WorkerSamples::replicated(std::size_t count, int workers) {
  std::vector<std::uint32_t> positions(count);
  std::iota(positions.begin(), positions.end(), 0U);
  WorkerSamples result(std::move(positions), {0, count});
  result.replicas_ = workers;
  return result;
}

std::span<const std::uint32_t> WorkerSamples::of(int worker) const {
  if (worker < 0 || worker >= workers()) throw std::logic_error("samples of a worker that does not exist");
  const std::size_t index = replicas_ > 0 ? 0 : static_cast<std::size_t>(worker);
  return std::span(positions_).subspan(offsets_[index], offsets_[index + 1] - offsets_[index]);
}

std::vector<std::vector<std::size_t>> WorkerSamples::label_histograms(std::span<const std::uint8_t> labels,
                                                                      std::size_t classes) const {
  std::vector<std::vector<std::size_t>> result(static_cast<std::size_t>(workers()),
                                               std::vector<std::size_t>(classes, 0));
  for (int w = 0; w < workers(); ++w) {
    for (const std::uint32_t position : of(w)) ++result[static_cast<std::size_t>(w)].at(labels[position]);
  }
  return result;
}

VariantMakers<Partition> partition_makers() {
  return {{"iid", [] { return std::make_unique<Iid>(); }},
          {"dirichlet", [] { return std::make_unique<Dirichlet>(); }},
          {"replicated", [] { return std::make_unique<Replicated>(); }}};
}

}  // namespace convoy
