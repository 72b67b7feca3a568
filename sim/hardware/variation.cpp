#include "hardware/variation.hpp"

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "hardware/variation_presets.hpp"

namespace convoy {
namespace {

/// The stream of one step's draw.
RandomStream draw(const Variation& source, const DrawKey& key, std::uint64_t step) {
  return RandomStream(key.seed, std::string("step time ") + std::string(source.kind()), key.entity, step);
}

/// A factor above zero: rounding may not make a step vanish.
StepFactor factor_of(double value) {
  return {.factor = std::max(value, 1e-12), .added = {}};
}

class LogNormal final : public Variation {
 public:
  [[nodiscard]] std::string_view kind() const override { return "log_normal"; }
  [[nodiscard]] std::string_view about() const override {
    return "factor exp(sigma z - sigma^2/2), of mean 1";
  }
  void declare(Options& options) override {
    options.add("sigma", sigma_).required().more_than(0).help("standard deviation of the logarithm");
    Variation::declare(options);
  }
  [[nodiscard]] StepFactor step(const DrawKey& key, std::uint64_t step, double&) const override {
    return factor_of(portable_exp(sigma_ * draw(*this, key, step).normal() - sigma_ * sigma_ / 2));
  }

 private:
  double sigma_ = 0;
};

class ShiftedExponential final : public Variation {
 public:
  [[nodiscard]] std::string_view kind() const override { return "shifted_exponential"; }
  [[nodiscard]] std::string_view about() const override { return "factor shift + scale Exp(1)"; }
  void declare(Options& options) override {
    options.add("shift", shift_).at_least(0).help("the least factor");
    options.add("scale", scale_).more_than(0).help("mean of the exponential part");
    Variation::declare(options);
  }
  [[nodiscard]] StepFactor step(const DrawKey& key, std::uint64_t step, double&) const override {
    return factor_of(shift_ + scale_ * draw(*this, key, step).exponential());
  }

 private:
  double shift_ = 0, scale_ = 1;
};

class Pareto final : public Variation {
 public:
  [[nodiscard]] std::string_view kind() const override { return "pareto"; }
  [[nodiscard]] std::string_view about() const override { return "factor u^(-1/alpha), at least 1"; }
  void declare(Options& options) override {
    options.add("alpha", alpha_).required().more_than(0).help("tail index; the mean is infinite up to 1");
    Variation::declare(options);
  }
  [[nodiscard]] StepFactor step(const DrawKey& key, std::uint64_t step, double&) const override {
    return factor_of(portable_exp(-portable_log(1 - draw(*this, key, step).uniform()) / alpha_));
  }

 private:
  double alpha_ = 0;
};

class Weibull final : public Variation {
 public:
  [[nodiscard]] std::string_view kind() const override { return "weibull"; }
  [[nodiscard]] std::string_view about() const override { return "factor scale Exp(1)^(1/shape)"; }
  void declare(Options& options) override {
    options.add("shape", shape_).required().more_than(0).help("below 1: heavier than exponential");
    options.add("scale", scale_).more_than(0).help("63 % of the factors are below it");
    Variation::declare(options);
  }
  [[nodiscard]] StepFactor step(const DrawKey& key, std::uint64_t step, double&) const override {
    const double exponential = std::max(draw(*this, key, step).exponential(), 1e-300);
    return factor_of(scale_ * portable_exp(portable_log(exponential) / shape_));
  }

 private:
  double shape_ = 1, scale_ = 1;
};

class Gamma final : public Variation {
 public:
  [[nodiscard]] std::string_view kind() const override { return "gamma"; }
  [[nodiscard]] std::string_view about() const override { return "factor Gamma(shape, 1/shape), of mean 1"; }
  void declare(Options& options) override {
    options.add("shape", shape_).required().more_than(0).help("the variance is 1/shape");
    Variation::declare(options);
  }
  [[nodiscard]] StepFactor step(const DrawKey& key, std::uint64_t step, double&) const override {
    return factor_of(draw(*this, key, step).gamma(shape_) / shape_);
  }

 private:
  double shape_ = 1;
};

class Bernoulli final : public Variation {
 public:
  [[nodiscard]] std::string_view kind() const override { return "bernoulli"; }
  [[nodiscard]] std::string_view about() const override {
    return "a step is slower by a factor now and then";
  }
  void declare(Options& options) override {
    options.add("probability", probability_).required().between(0, 1).help("of a slow step");
    options.add("slowdown", slowdown_).required().more_than(0).help("factor of a slow step");
    Variation::declare(options);
  }
  [[nodiscard]] StepFactor step(const DrawKey& key, std::uint64_t step, double&) const override {
    return factor_of(draw(*this, key, step).bernoulli(probability_) ? slowdown_ : 1);
  }

 private:
  double probability_ = 0, slowdown_ = 1;
};

class Ar1 final : public Variation {
 public:
  [[nodiscard]] std::string_view kind() const override { return "ar1"; }
  [[nodiscard]] std::string_view about() const override {
    return "logarithm a <- correlation a + noise, stationary with deviation sigma; factor exp(a - sigma^2/2)";
  }
  void declare(Options& options) override {
    options.add("correlation", correlation_)
        .required()
        .at_least(0)
        .less_than(1)
        .help("of successive logarithms");
    options.add("sigma", sigma_).required().more_than(0).help("standard deviation of the logarithm");
    Variation::declare(options);
  }
  [[nodiscard]] StepFactor step(const DrawKey& key, std::uint64_t step, double& state) const override {
    const double z = draw(*this, key, step).normal();
    state = step == 0 ? sigma_ * z
                      : correlation_ * state + sigma_ * std::sqrt(1 - correlation_ * correlation_) * z;
    return factor_of(portable_exp(state - sigma_ * sigma_ / 2));
  }

 private:
  double correlation_ = 0, sigma_ = 0;
};

class PersistentUniform final : public Variation {
 public:
  [[nodiscard]] std::string_view kind() const override { return "persistent_uniform"; }
  [[nodiscard]] std::string_view about() const override {
    return "speed drawn once, uniform in [low, high] (HALoS draws its workers so)";
  }
  void declare(Options& options) override {
    options.add("low", low_).more_than(0).help("least speed").source("HALoS: 0.1");
    options.add("high", high_).more_than(0).help("largest speed");
    options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
      if (low_ > high_) faults.add(whole, path + ".low", "exceeds high", "low <= high");
    });
    Variation::declare(options);
  }
  [[nodiscard]] StepFactor step(const DrawKey& key, std::uint64_t, double&) const override {
    return factor_of(1 / (low_ + (high_ - low_) * draw(*this, key, 0).uniform()));
  }

 private:
  double low_ = 0.1, high_ = 1;
};

class Delay final : public Variation {
 public:
  [[nodiscard]] std::string_view kind() const override { return "delay"; }
  [[nodiscard]] std::string_view about() const override { return "one step takes longer by a stated time"; }
  void declare(Options& options) override {
    options.add("step", step_).required().at_least(0).help("number of the worker's step, from 0");
    options.add("add", added_).required().at_least(0).help("time on top");
    Variation::declare(options);
  }
  [[nodiscard]] StepFactor step(const DrawKey&, std::uint64_t step, double&) const override {
    return {.factor = 1, .added = static_cast<std::int64_t>(step) == step_ ? added_ : Duration()};
  }

 private:
  std::int64_t step_ = 0;
  Duration added_;
};

/// Two speeds with exponential holding times.
class MarkovCurve final : public SpeedCurve {
 public:
  MarkovCurve(RandomStream stream, double slow, Duration normal_mean, Duration slow_mean)
      : stream_(std::move(stream)), slow_(slow), means_{normal_mean, slow_mean} {
    const double normal = means_[0].to_seconds(), total = normal + means_[1].to_seconds();
    in_slow_ = !stream_.bernoulli(normal / total);  // the stationary state
  }
  SpeedPiece next() override {
    const double mean = means_[in_slow_ ? 1 : 0].to_seconds();
    const SpeedPiece piece{
        .speed = in_slow_ ? slow_ : 1,
        .length = std::max(Duration::nanoseconds(1), Duration::seconds(mean * stream_.exponential())),
        .endless = false};
    in_slow_ = !in_slow_;
    return piece;
  }

 private:
  RandomStream stream_;
  double slow_;
  Duration means_[2];
  bool in_slow_;
};

class Markov final : public Variation {
 public:
  [[nodiscard]] std::string_view kind() const override { return "markov"; }
  [[nodiscard]] std::string_view about() const override {
    return "two speeds with exponential holding times; a switch in mid-step leaves exactly the residual work";
  }
  void declare(Options& options) override {
    options.add("slowdown", slowdown_).required().at_least(1).help("of the slow state");
    options.add("normal", normal_).required().more_than(0).help("mean time in the normal state");
    options.add("slow", slow_).required().more_than(0).help("mean time in the slow state");
    Variation::declare(options);
  }
  [[nodiscard]] std::unique_ptr<SpeedCurve> curve(const DrawKey& key) const override {
    return std::make_unique<MarkovCurve>(RandomStream(key.seed, "speed markov", key.entity), 1 / slowdown_,
                                         normal_, slow_);
  }

 private:
  double slowdown_ = 1;
  Duration normal_, slow_;
};

/// A list of pieces, from `repeat_from` on again and again; without a repetition the last piece is endless.
class ListedCurve final : public SpeedCurve {
 public:
  ListedCurve(std::vector<SpeedPiece> pieces, std::optional<std::size_t> repeat_from)
      : pieces_(std::move(pieces)), repeat_from_(repeat_from) {}
  SpeedPiece next() override {
    const SpeedPiece piece = pieces_[at_];
    if (++at_ == pieces_.size() && repeat_from_) at_ = *repeat_from_;
    return piece;
  }

 private:
  std::vector<SpeedPiece> pieces_;
  std::optional<std::size_t> repeat_from_;
  std::size_t at_ = 0;
};

class Pauses final : public Variation {
 public:
  [[nodiscard]] std::string_view kind() const override { return "pauses"; }
  [[nodiscard]] std::string_view about() const override {
    return "the device stands still for a while, periodically";
  }
  void declare(Options& options) override {
    options.add("every", every_).required().more_than(0).help("period");
    options.add("length", length_).required().more_than(0).help("of a pause, shorter than the period");
    options.add("first", first_)
        .at_least(0)
        .default_text("random within a period")
        .help("begin of the first pause");
    options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
      if (length_ >= every_)
        faults.add(whole, path + ".length", "is not shorter than the period", "less than every");
    });
    Variation::declare(options);
  }
  [[nodiscard]] std::unique_ptr<SpeedCurve> curve(const DrawKey& key) const override {
    const Duration first = first_.value_or(
        Duration::seconds(every_.to_seconds() * RandomStream(key.seed, "pauses", key.entity).uniform()));
    return std::make_unique<ListedCurve>(
        std::vector<SpeedPiece>{{.speed = 1, .length = first, .endless = false},
                                {.speed = 0, .length = length_, .endless = false},
                                {.speed = 1, .length = every_ - length_, .endless = false}},
        1);
  }

 private:
  Duration every_, length_;
  std::optional<Duration> first_;
};

class SlowPeriod final : public Variation {
 public:
  [[nodiscard]] std::string_view kind() const override { return "slow_period"; }
  [[nodiscard]] std::string_view about() const override { return "slower by a factor between two times"; }
  void declare(Options& options) override {
    options.add("slowdown", slowdown_).required().more_than(0).help("factor; below 1 it is faster");
    options.add("from", from_).at_least(0).help("begin");
    options.add("to", to_).at_least(0).default_text("the end of the run").help("end, after from");
    options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
      if (to_ && *to_ <= from_) faults.add(whole, path + ".to", "is not after from", "a later time");
    });
    Variation::declare(options);
  }
  [[nodiscard]] std::unique_ptr<SpeedCurve> curve(const DrawKey&) const override {
    std::vector<SpeedPiece> pieces = {
        {.speed = 1, .length = from_, .endless = false},
        {.speed = 1 / slowdown_, .length = to_.value_or(from_) - from_, .endless = !to_}};
    if (to_) pieces.push_back({.speed = 1, .length = {}, .endless = true});
    return std::make_unique<ListedCurve>(std::move(pieces), std::nullopt);
  }

 private:
  double slowdown_ = 1;
  Duration from_;
  std::optional<Duration> to_;
};

template <class T>
std::unique_ptr<Variation> make() {
  return std::make_unique<T>();
}

}  // namespace

void Variation::declare(Options& options) {
  options.add("workers", workers_)
      .at_least(0)
      .help("indices of the workers that it concerns; all where left out");
  options
      .add("shared_by", shared_by_,
           {{"worker", SharedBy::worker}, {"host", SharedBy::host}, {"site", SharedBy::site}})
      .help("who has the same luck: each worker alone, all of a host, all of a region");
}

StepFactor Variation::step(const DrawKey&, std::uint64_t, double&) const {
  return {};
}

std::unique_ptr<SpeedCurve> Variation::curve(const DrawKey&) const {
  return nullptr;
}

bool Variation::concerns(std::int64_t worker) const {
  return workers_.empty() || std::find(workers_.begin(), workers_.end(), worker) != workers_.end();
}

VariantMakers<Variation> variation_makers() {
  return {{"alibaba_shared", make_alibaba_shared},
          {"ar1", make<Ar1>},
          {"bernoulli", make<Bernoulli>},
          {"delay", make<Delay>},
          {"gamma", make<Gamma>},
          {"log_normal", make<LogNormal>},
          {"markov", make<Markov>},
          {"pareto", make<Pareto>},
          {"pauses", make<Pauses>},
          {"persistent_uniform", make<PersistentUniform>},
          {"shifted_exponential", make<ShiftedExponential>},
          {"slow_period", make<SlowPeriod>},
          {"weibull", make<Weibull>}};
}

}  // namespace convoy
