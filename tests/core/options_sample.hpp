// A set of options with every type that options can have, for the tests of reading, writing, schema and
// fuzzing.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/options.hpp"

namespace convoy::sample {

enum class Mode { fast, slow };

struct Group {
  Duration latency = Duration::nanoseconds(936);
  std::optional<double> memory;
  void declare(Options& o) {
    o.add("latency", latency).at_least(0);
    o.add("memory", memory, Dimension::bytes);
  }
};

struct Rule {
  virtual ~Rule() = default;
  virtual void declare(Options& o) = 0;
  [[nodiscard]] virtual std::string_view kind() const = 0;
};

struct Sgd : Rule {
  double learning_rate = 0.1;
  void declare(Options& o) override { o.add("learning_rate", learning_rate).more_than(0).help("step size"); }
  [[nodiscard]] std::string_view kind() const override { return "sgd"; }
};

struct Momentum : Rule {
  double momentum = 0.9;
  std::unique_ptr<Rule> inner;  // a family that holds itself
  void declare(Options& o) override;
  [[nodiscard]] std::string_view kind() const override { return "momentum"; }
};

inline VariantMakers<Rule> rule_makers() {
  return {{"sgd", [] { return std::make_unique<Sgd>(); }},
          {"momentum", [] { return std::make_unique<Momentum>(); }}};
}

inline void Momentum::declare(Options& o) {
  o.add("momentum", momentum).at_least(0).less_than(1);
  o.add("inner", inner, rule_makers());
}

struct Sample {
  bool flag = true;
  int integer = 3;
  std::int64_t whole = 8;
  double number = 0.25;
  std::string label = "x y";
  Mode mode = Mode::fast;
  Duration latency = Duration::nanoseconds(936);
  Progress horizon{4800, Progress::Unit::local_steps};
  double nic = 1.25e10;
  std::optional<double> cap;
  std::optional<Mode> maybe_mode;
  Group group;
  std::optional<Group> maybe_group;
  std::vector<Group> groups;
  std::vector<double> numbers{1, 2};
  std::vector<std::vector<double>> matrix;
  std::vector<bool> bits{true, false};
  std::vector<Mode> modes{Mode::slow};
  std::vector<Duration> times;
  std::vector<double> nics{1e9};
  std::vector<double> ladder{0.8};
  std::map<std::string, double> speeds;
  std::map<std::string, int> streams;
  std::unique_ptr<Rule> rule = std::make_unique<Sgd>();
  std::vector<std::unique_ptr<Rule>> rules;

  void declare(Options& o) {
    const std::vector<std::pair<std::string, Mode>> words{{"fast", Mode::fast}, {"slow", Mode::slow}};
    o.add("flag", flag).help("a flag");
    o.add("integer", integer).at_least(1).help("an integer").source("arXiv 0000.00000");
    o.add("whole", whole);
    o.add("number", number).tunable(0.1, 1);
    o.add("label", label);
    o.add("mode", mode, words);
    o.add("latency", latency).at_least(0).help("of one traversal");
    o.add("horizon", horizon);
    o.add("nic", nic, Dimension::bandwidth).more_than(0);
    o.add("cap", cap, Dimension::bytes);
    o.add("maybe_mode", maybe_mode, words);
    o.add("group", group);
    o.add("maybe_group", maybe_group);
    o.add("groups", groups).items(0, 3);
    o.add("numbers", numbers).at_least(0);
    o.add("matrix", matrix);
    o.add("bits", bits);
    o.add("modes", modes, words);
    o.add("times", times);
    o.add("nics", nics, Dimension::bandwidth);
    o.add("ladder", ladder).or_single();
    o.add("speeds", speeds, Dimension::bandwidth);
    o.add("streams", streams).keys({"average", "delta"});
    o.add("rule", rule, rule_makers());
    o.add("rules", rules, rule_makers());
  }
};

/// Marsaglia's xorshift64: the same numbers everywhere.
inline std::uint64_t next_random(std::uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/// Values of every size and sign within the declared ranges.
inline Sample random_sample(std::uint64_t& state) {
  const auto below = [&state](std::uint64_t n) { return next_random(state) % n; };
  const auto positive = [&state, below] {
    return std::ldexp(static_cast<double>(next_random(state) >> 1), static_cast<int>(below(120)) - 100);
  };
  const auto time = [&state, below] {
    return Duration::nanoseconds(static_cast<std::int64_t>(next_random(state) >> (1 + below(63))));
  };
  const auto group = [&] {
    Group result;
    result.latency = time();
    if (below(2) == 0) result.memory = positive();
    return result;
  };
  Sample sample;
  sample.flag = below(2) == 0;
  sample.integer = static_cast<int>(1 + below(1'000'000));
  sample.whole = static_cast<std::int64_t>(next_random(state));
  sample.number = below(2) == 0 ? positive() : -positive();
  sample.label.clear();
  for (std::uint64_t i = below(6); i > 0; --i) sample.label += static_cast<char>(1 + below(127));
  sample.mode = below(2) == 0 ? Mode::fast : Mode::slow;
  sample.latency = time();
  sample.horizon = {positive(), static_cast<Progress::Unit>(below(3))};
  sample.nic = positive();
  if (below(2) == 0) sample.cap = positive();
  if (below(2) == 0) sample.maybe_mode = Mode::slow;
  sample.group = group();
  if (below(2) == 0) sample.maybe_group = group();
  for (std::uint64_t i = below(4); i > 0; --i) sample.groups.push_back(group());
  for (std::uint64_t i = below(4); i > 0; --i) sample.numbers.push_back(positive());
  for (std::uint64_t i = below(4); i > 0; --i) sample.matrix.emplace_back(below(3), -positive());
  for (std::uint64_t i = below(4); i > 0; --i) sample.bits.push_back(below(2) == 0);
  for (std::uint64_t i = below(4); i > 0; --i) sample.times.push_back(time());
  sample.modes.assign(below(3), Mode::fast);
  sample.nics.assign(below(3), positive());
  sample.ladder.assign(below(3), positive());
  for (std::uint64_t i = below(4); i > 0; --i)
    sample.speeds["s" + std::to_string(below(9)) + " \""] = positive();
  if (below(2) == 0) sample.streams["delta"] = static_cast<int>(below(9));
  if (below(3) == 0) sample.rule.reset();
  if (below(3) == 0) {
    auto momentum = std::make_unique<Momentum>();
    momentum->inner = std::make_unique<Sgd>();
    sample.rules.push_back(std::move(momentum));
  }
  return sample;
}

}  // namespace convoy::sample
