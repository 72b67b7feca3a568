#include "experiment/node_path.hpp"

#include <doctest/doctest.h>

#include <string>

#include "core/error.hpp"
#include "experiment/json_reader.hpp"
#include "experiment/json_writer.hpp"

using namespace convoy;

namespace {

constexpr const char* experiment = R"({
  "name": "quickstart",
  "cluster": "clusters/halos_4x4.json",
  "training": {"optimizer": "adamw"},
  "algorithms": [
    {"kind": "data_parallel"},
    {"kind": "halos", "label": "halos K=32", "local_steps": 8},
    {"kind": "halos", "label": "halos K=16", "local_steps": 8},
    "diloco"
  ]
})";

/// The tree after an override, or the fault's text.
std::string after(const std::string& assignment) {
  Node root = read_json_text(experiment, "a.json");
  try {
    apply_override(root, assignment);
  } catch (const ConfigError& error) {
    // A fault leaves the tree as it was.
    CHECK(root == read_json_text(experiment, "a.json"));
    return error.what();
  }
  const Node* algorithms = root.find("algorithms");
  root.members.erase(root.members.begin() + 1);  // the cluster is never changed here
  return write_canonical_json(algorithms == nullptr ? root : *root.find("algorithms")) + " " +
         write_canonical_json(*root.find("training"));
}

Node overridden(const std::string& assignment) {
  Node root = read_json_text(experiment, "a.json");
  apply_override(root, assignment);
  return root;
}

const Node& algorithm(const Node& root, std::size_t index) {
  return root.find("algorithms")->items[index];
}

}  // namespace

TEST_CASE("a path names members with slashes or dots, items by index, label or kind") {
  for (const char* path : {"/algorithms/halos K=32/local_steps=16", "/algorithms/1/local_steps=16",
                           "algorithms[1].local_steps=16", "algorithms[\"halos K=32\"].local_steps=16",
                           "algorithms.1.local_steps=16"}) {
    CAPTURE(path);
    CHECK(algorithm(overridden(path), 1).find("local_steps")->integer == 16);
  }
  CHECK(algorithm(overridden("/algorithms/data_parallel/local_steps=16"), 0).find("local_steps")->integer ==
        16);
}

TEST_CASE("a value is JSON if it is that, else a text") {
  const auto value = [](const std::string& text) { return *overridden("name=" + text).find("name"); };
  CHECK(value("16") == Node::of(16));
  CHECK(value("0.5") == Node::of(0.5));
  CHECK(value("true") == Node::of(true));
  CHECK(value("null") == Node());
  CHECK(value("\"16\"") == Node::of("16"));
  CHECK(value("[1, 2]") == Node::list({Node::of(1), Node::of(2)}));
  CHECK(value("2 h") == Node::of("2 h"));
  CHECK(value("adamw") == Node::of("adamw"));
  CHECK(value("") == Node::of(""));
  CHECK(value("a=b") == Node::of("a=b"));
}

TEST_CASE("a value that begins like JSON and is none is a fault, not a text") {
  CHECK(
      after("name=[1, 2") ==
      "--set name=[1, 2: the file ends inside the list that opens at line 1, column 1; close it with \"]\"");
}

TEST_CASE("members that are not there are made, with the override as their origin") {
  const Node root = overridden("/stop/time=2 h");
  const Node* time = root.find("stop")->find("time");
  CHECK(time->text == "2 h");
  CHECK(*time->origin.file == "--set /stop/time=2 h");
  CHECK(time->origin.line == 0);
  CHECK(*root.members.back().key_origin.file == "--set /stop/time=2 h");
  CHECK(*root.find("stop")->members[0].key_origin.file == "--set /stop/time=2 h");
}

TEST_CASE("the short form of a kind grows into its object") {
  const Node root = overridden("training.optimizer.learning_rate=0.1");
  const Node* optimizer = root.find("training")->find("optimizer");
  CHECK(optimizer->find("kind")->text == "adamw");
  CHECK(optimizer->find("learning_rate")->number == 0.1);
  CHECK(algorithm(overridden("/algorithms/diloco/local_steps=5"), 3).find("kind")->text == "diloco");
}

TEST_CASE("an asterisk names every item") {
  const Node root = overridden("/algorithms/*/batch=4");
  for (std::size_t i = 0; i < 4; ++i) CHECK(algorithm(root, i).find("batch")->integer == 4);
  Node tree = read_json_text(experiment, "a.json");
  CHECK(NodePath("/algorithms/*").select(tree).size() == 4);
  CHECK(NodePath("/training/*").select(tree).size() == 1);
}

TEST_CASE("slashes inside of names are escaped as in JSON Pointer") {
  Node tree = read_json_text(R"({"a/b": {"c~d": 1}})", "a.json");
  CHECK(NodePath("/a~1b/c~0d").select(tree)[0]->integer == 1);
}

TEST_CASE("an item that is not there is a fault with the names that are") {
  CHECK(after("/algorithms/hallos K=32/local_steps=16") ==
        "--set /algorithms/hallos K=32/local_steps=16: algorithms: no item has the label, name or kind "
        "\"hallos K=32\" "
        "(allowed: data_parallel, halos K=32, halos, halos K=16, diloco); did you mean \"halos K=32\"?");
  CHECK(
      after("algorithms[7].local_steps=16") ==
      "--set algorithms[7].local_steps=16: algorithms: there is no item [7] in a list of 4; the last is [3]");
}

TEST_CASE("a kind that several items have is ambiguous") {
  CHECK(after("/algorithms/halos/local_steps=16") ==
        "--set /algorithms/halos/local_steps=16: algorithms: 2 items match \"halos\": [1], [2]; give the "
        "index or a "
        "label, or * for all of them");
}

TEST_CASE("what has no members cannot be overridden inside") {
  CHECK(after("/cluster/contention=false") ==
        "--set /cluster/contention=false: cluster: the text \"clusters/halos_4x4.json\" has no member "
        "\"contention\"; "
        "override it in that file");
  CHECK(after("/algorithms/1/local_steps/x=1") ==
        "--set /algorithms/1/local_steps/x=1: algorithms[1].local_steps: the number 8 has no member \"x\"");
  CHECK(after("/trainig/0/x=1") ==
        "--set /trainig/0/x=1: trainig: there is no such member (allowed: name, cluster, training, "
        "algorithms); did you "
        "mean \"training\"?");
  CHECK(after("/stop/*=1") ==
        "--set /stop/*=1: stop: there is no such member (allowed: name, cluster, training, "
        "algorithms)");
}

TEST_CASE("what is no assignment or no path is refused with an example") {
  const std::string example = "write --set /algorithms/halos/local_steps=16, for instance";
  CHECK(after("name") == "--set name: PATH=VALUE is needed; " + example);
  CHECK(after("=3") == "--set =3: PATH=VALUE is needed; " + example);
  CHECK(after("") == "--set : PATH=VALUE is needed; " + example);
  CHECK(after("/=3") == "--set /=3: the path \"/\" has an empty step");
  CHECK(after("a..b=3") == "--set a..b=3: the path \"a..b\" has an empty step");
  CHECK(after("a.=3") == "--set a.=3: the path \"a.\" ends in a dot");
  CHECK(after("a[0=3") ==
        "--set a[0=3: a bracket of the path \"a[0\" is not closed; write name[0] or name[\"label\"]");
}
