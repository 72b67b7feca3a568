#include "core/options.hpp"

#include <doctest/doctest.h>

#include <string>

#include "core/error.hpp"
#include "experiment/json_writer.hpp"
#include "experiment/node_path.hpp"
#include "experiment/schema.hpp"
#include "tests/core/options_sample.hpp"
#include "tests/experiment/schema_validator.hpp"
#include "tests/fuzz/mutation.hpp"

using namespace convoy;
using namespace convoy::sample;

namespace {

const std::vector<std::string> words{"",        "fast", "sgd",          "momentum", "kind", "inner",
                                     "1 GB",    "2 h",  "nan",          "8",        "true", "average",
                                     "latency", "flag", "3 rounds",     "-1 s",     "1e99", "\xFF",
                                     "rule",    "a b",  "learning_rate"};

Node random_node(fuzz::Random& random, int depth) {
  switch (random.below(depth > 0 ? 8 : 6)) {
    case 0:
      return Node();
    case 1:
      return Node::of(random.below(2) == 0);
    case 2:
      return Node::of(static_cast<std::int64_t>(random.below(20)) - 10);
    case 3:
      return Node::of(static_cast<double>(random.below(2000)) / 16 - 60);
    case 4:
      return Node::of(random.any_of(std::vector<double>{1e300, -1e300, 1e17, 5e-324, -0.0}));
    case 5:
      return Node::of(random.any_of(words));
    case 6: {
      Node list = Node::list();
      for (std::uint64_t i = random.below(4); i > 0; --i)
        list.items.push_back(random_node(random, depth - 1));
      return list;
    }
    default: {
      Node object = Node::object();
      for (std::uint64_t i = random.below(4); i > 0; --i) {
        object.set(random.any_of(words), random_node(random, depth - 1));
      }
      return object;
    }
  }
}

/// Replaces, renames, removes or adds one thing somewhere in the tree.
void mutate(Node& node, fuzz::Random& random) {
  const bool deeper = random.below(3) > 0;
  if (deeper && !node.items.empty()) return mutate(node.items[random.below(node.items.size())], random);
  if (deeper && !node.members.empty()) {
    return mutate(node.members[random.below(node.members.size())].value, random);
  }
  if (!node.members.empty() && random.below(2) == 0) {
    const auto at = static_cast<std::ptrdiff_t>(random.below(node.members.size()));
    if (random.below(2) == 0) {
      node.members.erase(node.members.begin() + at);
    } else if (const std::string& key = random.any_of(words); node.find(key) == nullptr) {
      node.members[static_cast<std::size_t>(at)].key =
          key;  // no duplicates: the JSON reader lets none through
    }
    return;
  }
  node = random_node(random, 2);
}

Node sample_schema() {
  Sample sample;
  Options options;
  sample.declare(options);
  return json_schema(options);
}

}  // namespace

TEST_CASE("no tree makes the options reader throw, and what it accepts the schema accepts") {
  fuzz::Random random(99);
  std::uint64_t state = 123456789;
  SchemaValidator validator(sample_schema());
  int accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    Sample written = random_sample(state);
    Options options;
    written.declare(options);
    Node node = options.values();
    for (std::uint64_t edits = 1 + random.below(3); edits > 0; --edits) mutate(node, random);
    Sample target;
    FaultSink faults;
    read_options(node, "x", target, faults);
    for (const ConfigFault& fault : faults.faults()) {
      CHECK_FALSE(fault.message.empty());
      CHECK(fault.path.starts_with("x"));
      CHECK(fault.to_string().size() < 2000);
    }
    if (!faults.empty()) continue;
    ++accepted;
    CAPTURE(write_canonical_json(node));
    CHECK(validator.accepts(node));
    Options read;
    target.declare(read);
    Sample again;
    FaultSink none;
    read_options(read.values(), "x", again, none);
    CHECK(none.empty());
  }
  CHECK(accepted > 100);
}

TEST_CASE(
    "no assignment makes --set do anything but change the tree or throw a ConfigError and leave it as it "
    "was") {
  fuzz::Random random(5);
  const std::vector<std::string> seeds{"/algorithms/halos/local_steps=16",
                                       "algorithms[1].local_steps=16",
                                       "algorithms[\"halos K=32\"].optimizer.learning_rate=1e-3",
                                       "/algorithms/*/label=\"a=b\"",
                                       "stop.time=2 h",
                                       "/seeds=[0, 1]",
                                       "/a~1b/c=true"};
  const std::vector<std::string> tokens{
      "/",          ".",     "[", "]",    "=",  "*",    "\"", "~", "~1", "0", "9999999999999999999999",
      "algorithms", "halos", "{", "null", "\n", "\xFF", "//", "/*"};
  Node root = Node::object();
  Node first = Node::object();
  first.set("kind", Node::of("halos"));
  Node second = first;
  second.set("label", Node::of("halos K=32"));
  root.set("algorithms", Node::list({first, second, Node::of("diloco"), Node()}));
  root.set("cluster", Node::of("clusters/a.json"));
  root.set("seeds", Node::list({Node::of(1)}));
  int changed = 0;
  for (int i = 0; i < 6000; ++i) {
    const std::string assignment = fuzz::mutated(random.any_of(seeds), tokens, random);
    CAPTURE(assignment);
    Node node = root;
    try {
      apply_override(node, assignment);
      ++changed;
    } catch (const ConfigError& error) {
      CHECK(node == root);
      for (const ConfigFault& fault : error.faults()) CHECK_FALSE(fault.message.empty());
    }
  }
  CHECK(changed > 100);
}
