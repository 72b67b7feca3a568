#include "core/options.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/core/options_sample.hpp"

using namespace convoy;
using namespace convoy::sample;

namespace {

/// What reading `node` into `target` reports, a line a fault.
template <Declares T>
std::string faults_of(const Node& node, T& target, const std::string& path = "x") {
  FaultSink faults;
  read_options(node, path, target, faults);
  std::string lines;
  for (const ConfigFault& fault : faults.faults()) lines += (lines.empty() ? "" : "\n") + fault.to_string();
  return lines;
}

Node object(std::string key, Node value) {
  Node node = Node::object();
  node.set(std::move(key), std::move(value));
  return node;
}

/// The fault of one member read into a fresh sample.
std::string fault_at(const std::string& key, Node value) {
  Sample sample;
  return faults_of(object(key, std::move(value)), sample);
}

struct Bounded {
  double fraction = 0.5, positive = 1, below = 0.5, half_open = 0.5;
  std::int64_t count = 3;
  Duration latency;
  double bandwidth = 1e9;
  void declare(Options& o) {
    o.add("fraction", fraction).between(0, 1);
    o.add("positive", positive).more_than(0);
    o.add("below", below).less_than(1);
    o.add("half_open", half_open).more_than(0).at_most(1);
    o.add("count", count).at_least(1);
    o.add("latency", latency).at_least(0).at_most(60);
    o.add("bandwidth", bandwidth, Dimension::bandwidth).more_than(0).at_most(1.25e10);
  }
};

std::string range_fault(const std::string& key, Node value) {
  Bounded bounded;
  return faults_of(object(key, std::move(value)), bounded);
}

}  // namespace

TEST_CASE("what is not written keeps its default, what is written is read") {
  Sample sample;
  Node node = Node::object();
  node.set("integer", Node::of(7));
  node.set("latency", Node::of("2.5 ms"));
  node.set("nic", Node::of("100 Gbit/s"));
  CHECK(faults_of(node, sample) == "");
  CHECK(sample.integer == 7);
  CHECK(sample.latency.count() == 2500000);
  CHECK(sample.nic == 1.25e10);
  CHECK(sample.number == 0.25);
  CHECK(sample.label == "x y");
}

TEST_CASE("an option knows whether it was written") {
  Sample sample;
  Options options;
  sample.declare(options);
  FaultSink faults;
  read_options(object("integer", Node::of(3)), "", options, faults);
  CHECK(options.find("integer")->was_set());
  CHECK_FALSE(options.find("number")->was_set());
}

TEST_CASE("an unknown key is a fault at the key, with the nearest name") {
  struct Ssp {
    std::int64_t staleness_bound = 3;
    void declare(Options& o) { o.add("staleness_bound", staleness_bound).at_least(0); }
  } ssp;
  Node node = object("staleness_bnd", Node::of(3));
  node.members[0].key_origin = {
      .file = std::make_shared<const std::string>("ssp.json"), .line = 4, .column = 7};
  FaultSink faults;
  read_options(node, "algorithms[1]", ssp, faults);
  REQUIRE(faults.faults().size() == 1);
  CHECK(faults.faults()[0].to_string() ==
        "ssp.json:4:7: algorithms[1].staleness_bnd: unknown key (allowed: staleness_bound); did you mean "
        "\"staleness_bound\"?");
}

TEST_CASE("keys that belong to others are left to them but known to the hints") {
  Options options;
  bool flag = false;
  options.add("flag", flag);
  Node node = object("label", Node::of("a"));
  node.set("lable", Node::of("b"));
  FaultSink faults;
  read_options(node, "", options, faults, {"kind", "label"});
  REQUIRE(faults.faults().size() == 1);
  CHECK(faults.faults()[0].to_string() ==
        "lable: unknown key (allowed: flag, kind, label); did you mean \"label\"?");
}

TEST_CASE("all faults of an object are reported at once and none of its rules run") {
  struct Rules {
    std::int64_t a = 1, b = 2;
    void declare(Options& o) {
      o.add("a", a).at_least(1);
      o.add("b", b).at_least(1);
      o.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
        if (a > b) faults.add(whole, path, "a may not exceed b");
      });
    }
  } rules;
  Node node = object("a", Node::of(0));
  node.set("b", Node::of(false));
  CHECK(faults_of(node, rules) ==
        "x.a: must be >= 1 (found the number 0)\nx.b: must be an integer >= 1 (found false)");
  Node other = object("a", Node::of(5));
  CHECK(faults_of(other, rules) == "x: a may not exceed b (found an object)");
}

TEST_CASE("faults are thrown in the order in which they stand in their file") {
  const auto file = std::make_shared<const std::string>("a.json");
  Node late = Node::of(1), early = Node::of(2);
  late.origin = {.file = file, .line = 9, .column = 1};
  early.origin = {.file = file, .line = 2, .column = 30};
  FaultSink faults;
  CHECK_NOTHROW(faults.throw_if_any());
  faults.add(late, "late", "wrong");
  faults.add(early, "early", "wrong");
  try {
    faults.throw_if_any();
    FAIL("nothing thrown");
  } catch (const ConfigError& error) {
    CHECK(error.faults()[0].path == "early");
    CHECK(error.faults()[1].path == "late");
  }
}

TEST_CASE("a required key that is missing or null is a fault that says what is needed") {
  struct Link {
    double bandwidth = 0;
    void declare(Options& o) { o.add("bandwidth", bandwidth, Dimension::bandwidth).required().more_than(0); }
  } link;
  CHECK(faults_of(Node::object(), link) ==
        "x.bandwidth: is required (allowed: bandwidth > 0, e.g. \"100 Gbit/s\")");
  CHECK(faults_of(object("bandwidth", Node()), link) ==
        "x.bandwidth: is required and may not be null (allowed: bandwidth > 0, e.g. \"100 "
        "Gbit/s\")");
}

TEST_CASE("null where a value is needed names the default to be had by leaving the key out") {
  CHECK(fault_at("integer", Node()) ==
        "x.integer: may not be null (allowed: integer >= 1); leave it out for the default, 3");
}

TEST_CASE("a value of the wrong type is a fault that says what it must be") {
  CHECK(fault_at("flag", Node::of("true")) ==
        "x.flag: must be true or false (found the text \"true\"); write true without quotes");
  CHECK(fault_at("flag", Node::of(1)) == "x.flag: must be true or false (found the number 1); write true");
  CHECK(fault_at("flag", Node::of("yes")) ==
        "x.flag: must be true or false (found the text \"yes\"); write true");
  CHECK(fault_at("integer", Node::of("8")) ==
        "x.integer: must be an integer >= 1 (found the text \"8\"); write 8 without quotes");
  CHECK(fault_at("integer", Node::of(1.5)) == "x.integer: must be an integer >= 1 (found the number 1.5)");
  CHECK(fault_at("number", Node::list()) == "x.number: must be a number (found an empty list)");
  CHECK(fault_at("label", Node::of(3)) ==
        "x.label: must be a text (found the number 3); write \"3\", in quotes");
  CHECK(fault_at("group", Node::of(3)) == "x.group: must be an object (found the number 3)");
  CHECK(fault_at("numbers", Node::of(3)) ==
        "x.numbers: must be a list (found the number 3); for a list of one write [3]");
  CHECK(fault_at("latency", Node::of(true)) ==
        "x.latency: must be a time such as \"30 s\" or \"2 h\" (found true)");
}

TEST_CASE("an integer may be written as a number without a fraction, 8.0 or 1e3, as in JSON Schema") {
  Sample sample;
  CHECK(faults_of(object("integer", Node::of(1e3)), sample) == "");
  CHECK(sample.integer == 1000);
  CHECK(faults_of(object("whole", Node::of(8.0)), sample) == "");
  CHECK(sample.whole == 8);
  // Beyond 2^53 a double no longer tells neighbours apart.
  CHECK(fault_at("whole", Node::of(1e17)) ==
        "x.whole: must be an integer (found the number 1e+17); write all of its digits");
  CHECK(fault_at("integer", Node::of(std::int64_t{3000000000})) ==
        "x.integer: must be <= 2147483647 (found the number 3000000000)");
}

TEST_CASE("a value out of range is a fault in the words of its bound") {
  CHECK(range_fault("positive", Node::of(0)) == "x.positive: must be > 0 (found the number 0)");
  CHECK(range_fault("count", Node::of(-3)) == "x.count: must be >= 1 (found the number -3)");
  CHECK(range_fault("fraction", Node::of(1.01)) ==
        "x.fraction: must be between 0 and 1 (found the number 1.01)");
  CHECK(range_fault("below", Node::of(1)) == "x.below: must be < 1 (found the number 1)");
  CHECK(range_fault("half_open", Node::of(0)) == "x.half_open: must be > 0 and <= 1 (found the number 0)");
  CHECK(range_fault("latency", Node::of("-1 s")) ==
        "x.latency: must be between 0 and 1 min (found the text \"-1 s\")");
  CHECK(range_fault("latency", Node::of("61 s")) ==
        "x.latency: must be between 0 and 1 min (found the text \"61 s\")");
  CHECK(range_fault("bandwidth", Node::of("0 Gbit/s")) ==
        "x.bandwidth: must be > 0 and <= 12.5 GB/s (found the text \"0 Gbit/s\")");
}

TEST_CASE("bounds hold at their ends exactly as declared") {
  CHECK(range_fault("fraction", Node::of(0)) == "");
  CHECK(range_fault("fraction", Node::of(1)) == "");
  CHECK(range_fault("half_open", Node::of(1)) == "");
  CHECK(range_fault("latency", Node::of("0 s")) == "");
  CHECK(range_fault("latency", Node::of("1 min")) == "");
  CHECK(range_fault("bandwidth", Node::of("100 Gbit/s")) == "");
}

TEST_CASE("a quantity without a unit or with the wrong one is a fault with the likely spelling") {
  CHECK(fault_at("nic", Node::of(100)) ==
        "x.nic: the number 100 has no unit, a bandwidth is needed; did you mean \"100 Gbit/s\"?");
  CHECK(fault_at("nic", Node::of("80 GB")) ==
        "x.nic: \"80 GB\" is an amount of data, a bandwidth is needed; did you mean \"80 GB/s\"?");
  CHECK(fault_at("latency", Node::of(0)) ==
        "x.latency: the number 0 has no unit, a time is needed; did you mean \"0 s\"?");
  CHECK(fault_at("horizon", Node::of(4800)) ==
        "x.horizon: the number 4800 has no unit, an amount of progress is needed; did you mean \"4800 "
        "local_steps\"?");
}

TEST_CASE("a choice is one of its words and a near miss names the word") {
  Sample sample;
  CHECK(faults_of(object("mode", Node::of("slow")), sample) == "");
  CHECK(sample.mode == Mode::slow);
  CHECK(fault_at("mode", Node::of("fsat")) ==
        "x.mode: must be one of fast, slow (found the text \"fsat\"); did you mean \"fast\"?");
  CHECK(fault_at("mode", Node::of(3)) == "x.mode: must be one of fast, slow (found the number 3)");
}

TEST_CASE("a long list of words stands behind the message") {
  Mode mode = Mode::fast;
  std::vector<std::pair<std::string, Mode>> words;
  for (const char* word :
       {"asynchronous", "decentralised", "hierarchical", "overlapping", "synchronous", "pipelined"}) {
    words.emplace_back(word, Mode::slow);
  }
  Options options;
  words.emplace_back("fast", Mode::fast);
  options.add("family", mode, words);
  FaultSink faults;
  read_options(object("family", Node::of("hierarchic")), "", options, faults);
  read_options(object("family", Node::of(3)), "", options, faults);
  const std::string allowed =
      "allowed: asynchronous, decentralised, hierarchical, overlapping, synchronous, pipelined, fast)";
  CHECK(faults.faults()[0].to_string() ==
        "family: \"hierarchic\" is none of the choices (" + allowed + "; did you mean \"hierarchical\"?");
  CHECK(faults.faults()[1].to_string() == "family: must be one of 7 words (found the number 3; " + allowed);
}

TEST_CASE("items of lists are read one by one and their faults name the item") {
  Sample sample;
  CHECK(faults_of(object("numbers", Node::list({Node::of(1), Node::of(2.5)})), sample) == "");
  CHECK(sample.numbers == std::vector<double>{1, 2.5});
  CHECK(fault_at("numbers", Node::list({Node::of(1), Node::of("two"), Node::of(-3)})) ==
        "x.numbers[1]: must be a number >= 0 (found the text \"two\")\n"
        "x.numbers[2]: must be >= 0 (found the number -3)");
  CHECK(fault_at("matrix", Node::list({Node::list({Node::of(1), Node()})})) ==
        "x.matrix[0][1]: must be a number (found null)");
  CHECK(fault_at("groups", Node::list({object("latencyy", Node::of("1 s"))})) ==
        "x.groups[0].latencyy: unknown key (allowed: latency, memory); did you mean \"latency\"?");
}

TEST_CASE("the number of items is checked against what is declared") {
  struct Pair {
    std::vector<double> pair, some, few;
    void declare(Options& o) {
      o.add("pair", pair).items(2, 2);
      o.add("some", some).items(1);
      o.add("few", few).items(0, 1);
    }
  } pair;
  CHECK(faults_of(object("pair", Node::list({Node::of(1)})), pair) == "x.pair: must have 2 items (found 1)");
  CHECK(faults_of(object("some", Node::list()), pair) == "x.some: must have one or more items (found 0)");
  CHECK(faults_of(object("few", Node::list({Node::of(1), Node::of(2)})), pair) ==
        "x.few: must have at most 1 item (found 2)");
}

TEST_CASE("a list that allows it takes a bare item as a list of one") {
  Sample sample;
  CHECK(faults_of(object("ladder", Node::of(0.85)), sample) == "");
  CHECK(sample.ladder == std::vector<double>{0.85});
  CHECK(fault_at("ladder", Node::of("high")) == "x.ladder: must be a number (found the text \"high\")");
}

TEST_CASE("a map reads free keys, or only those that it names") {
  Sample sample;
  Node node = object("speeds", object("a b", Node::of("1 GB/s")));
  CHECK(faults_of(node, sample) == "");
  CHECK(sample.speeds.at("a b") == 1e9);
  CHECK(fault_at("speeds", object("a b", Node::of(1))) ==
        "x.speeds[\"a b\"]: the number 1 has no unit, a bandwidth is needed; did you mean \"1 Gbit/s\"?");
  CHECK(fault_at("streams", object("averge", Node::of(1))) ==
        "x.streams.averge: unknown key (allowed: average, delta); did you mean \"average\"?");
}

TEST_CASE("a variant is an object with its kind, or the bare kind") {
  Sample sample;
  CHECK(faults_of(object("rule", Node::of("momentum")), sample) == "");
  CHECK(sample.rule->kind() == "momentum");
  Node rule = object("kind", Node::of("momentum"));
  rule.set("momentum", Node::of(0.5));
  CHECK(faults_of(object("rule", rule), sample) == "");
  CHECK(dynamic_cast<const Momentum&>(*sample.rule).momentum == 0.5);
  CHECK(faults_of(object("rule", Node()), sample) == "");
  CHECK(sample.rule == nullptr);
}

TEST_CASE("an unknown kind lists the kinds and the nearest") {
  CHECK(fault_at("rule", Node::of("momentun")) ==
        "x.rule: must be one of momentum, sgd (found the text \"momentun\"); did you mean \"momentum\"?");
  CHECK(fault_at("rule", object("kind", Node::of("sdg"))) ==
        "x.rule.kind: must be one of momentum, sgd (found the text \"sdg\"); did you mean \"sgd\"?");
  CHECK(fault_at("rule", Node::object()) ==
        "x.rule.kind: is required (found an empty object; allowed: one of momentum, sgd); write {\"kind\": "
        "\"momentum\"}, for instance");
  CHECK(fault_at("rule", Node::of(3)) ==
        "x.rule: must be an object with a \"kind\" (found the number 3); write {\"kind\": \"momentum\"}, for "
        "instance");
}

TEST_CASE("options of a variant are checked like any others, also in lists of variants") {
  Node rule = object("kind", Node::of("momentum"));
  rule.set("momentum", Node::of(1));
  CHECK(fault_at("rule", rule) == "x.rule.momentum: must be >= 0 and < 1 (found the number 1)");
  CHECK(fault_at("rules", Node::list({Node::of("sgd"), rule})) ==
        "x.rules[1].momentum: must be >= 0 and < 1 (found the number 1)");
}

TEST_CASE("an optional is unset by null and set by a value, groups and quantities included") {
  Sample sample;
  sample.cap = 5;
  CHECK(faults_of(object("cap", Node()), sample) == "");
  CHECK_FALSE(sample.cap);
  CHECK(faults_of(object("cap", Node::of("80 GiB")), sample) == "");
  CHECK(*sample.cap == 80.0 * 1024 * 1024 * 1024);
  CHECK(faults_of(object("maybe_group", object("latency", Node::of("1 s"))), sample) == "");
  CHECK(sample.maybe_group->latency.count() == 1'000'000'000);
  CHECK(fault_at("maybe_group", object("latency", Node::of(1))) ==
        "x.maybe_group.latency: the number 1 has no unit, a time is needed; did you mean \"1 s\"?");
}

TEST_CASE("custom options read single values in the words of the declared types") {
  Options options;
  double bandwidth = 0;
  std::int64_t count = 0;
  options.custom(
      "link", "[count, bandwidth]",
      [&](const Node& node, const std::string& path, FaultSink& faults) {
        REQUIRE(node.items.size() == 2);
        (void)read_value(node.items[0], item_path(path, 0), count, faults, Option().at_least(1));
        (void)read_value(node.items[1], item_path(path, 1), bandwidth, Dimension::bandwidth, faults);
      },
      [] { return Node(); });
  FaultSink faults;
  read_options(object("link", Node::list({Node::of(0), Node::of(3)})), "", options, faults);
  REQUIRE(faults.faults().size() == 2);
  CHECK(faults.faults()[0].to_string() == "link[0]: must be >= 1 (found the number 0)");
  CHECK(faults.faults()[1].path == "link[1]");
  CHECK(options.values().members.empty());  // null of a custom option: nothing to show
  CHECK(options.find("link")->type_text() == "[count, bandwidth]");
}

TEST_CASE("declaring one name twice is our own error") {
  Options options;
  bool flag = false;
  options.add("flag", flag);
  CHECK_THROWS_AS(options.add("flag", flag), std::logic_error);
}
