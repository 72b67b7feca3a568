#include "core/node.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "core/error.hpp"
#include "core/nearest_word.hpp"

using namespace convoy;

TEST_CASE("a node keeps the kind of the value that it was made of") {
  CHECK(Node::of(true).kind == Node::Kind::boolean);
  CHECK(Node::of(3).kind == Node::Kind::integer);
  CHECK(Node::of(std::size_t{3}).integer == 3);
  CHECK(Node::of(3).number == 3.0);
  CHECK(Node::of(3.0).kind == Node::Kind::number);
  CHECK(Node::of("text").kind == Node::Kind::text);  // not a boolean, as a pointer would be
  CHECK(Node::of(std::string("text")).text == "text");
  CHECK(Node().is_null());
  CHECK_THROWS_AS((void)Node::of(std::numeric_limits<std::uint64_t>::max()), std::logic_error);
}

TEST_CASE("an object keeps its members in the order written and replaces a member in place") {
  Node object = Node::object();
  object.set("b", Node::of(1));
  object.set("a", Node::of(2));
  object.set("b", Node::of(3));
  REQUIRE(object.members.size() == 2);
  CHECK(object.members[0].key == "b");
  CHECK(object.find("b")->integer == 3);
  CHECK(object.find("c") == nullptr);
  CHECK(Node::of(1).find("b") == nullptr);
  CHECK_THROWS_AS(Node::list().set("a", Node()), std::logic_error);
}

TEST_CASE("nodes are equal by structure, whatever their origin") {
  Node a = Node::list({Node::of(1), Node::of("x"), Node()});
  Node b = a;
  b.origin.line = 7;
  CHECK(a == b);
  CHECK_FALSE(Node::of(1) == Node::of(1.0));
  CHECK_FALSE(a == Node::list({Node::of(1), Node::of("x")}));
  Node c = Node::object();
  c.set("a", Node::of(1));
  Node d = Node::object();
  d.set("a", Node::of(2));
  CHECK_FALSE(c == d);
}

TEST_CASE("a node describes itself for error messages") {
  CHECK(Node::of(3).describe() == "the number 3");
  CHECK(Node::of(0.25).describe() == "the number 0.25");
  CHECK(Node::of("abc").describe() == "the text \"abc\"");
  CHECK(Node::of("").describe() == "an empty text");
  CHECK(Node::of(false).describe() == "false");
  CHECK(Node().describe() == "null");
  CHECK(Node::list().describe() == "an empty list");
  CHECK(Node::list({Node()}).describe() == "a list");
  CHECK(Node::object().describe() == "an empty object");
}

TEST_CASE("a long text is shortened to 60 characters and never inside a character") {
  const std::string described = Node::of(std::string(1000, 'x')).describe();
  CHECK(described.size() == 60);
  CHECK(described.substr(described.size() - 5) == "x...\"");
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "\u00E4";
  const std::string cut = in_quotes(umlauts, 20);  // 15 bytes of room: 7 whole characters of 2 bytes
  CHECK(cut == "\"\u00E4\u00E4\u00E4\u00E4\u00E4\u00E4\u00E4...\"");
}

TEST_CASE("quotes and control characters are escaped in messages") {
  CHECK(in_quotes("a\"b\\c\nd\x01") == "\"a\\\"b\\\\c\\nd\\u0001\"");
}

TEST_CASE("paths join with dots and brackets, odd names in quotes") {
  CHECK(member_path("", "cluster") == "cluster");
  CHECK(member_path("cluster", "links") == "cluster.links");
  CHECK(item_path("cluster.links", 3) == "cluster.links[3]");
  CHECK(member_path("links", "a b") == "links[\"a b\"]");
  CHECK(member_path("", "") == "[\"\"]");
}

TEST_CASE("a fault reads as one line with its empty parts left out") {
  ConfigFault fault;
  fault.message = "must be > 0";
  CHECK(fault.to_string() == "must be > 0");
  fault.path = "cluster.links[3].bandwidth";
  fault.found = "the number -1";
  CHECK(fault.to_string() == "cluster.links[3].bandwidth: must be > 0 (found the number -1)");
  fault.file = "a.json";
  CHECK(fault.to_string() == "a.json: cluster.links[3].bandwidth: must be > 0 (found the number -1)");
  fault.line = 12;
  fault.column = 5;
  fault.allowed = "bandwidth > 0";
  fault.hint = "did you mean \"1 Gbit/s\"?";
  CHECK(fault.to_string() ==
        "a.json:12:5: cluster.links[3].bandwidth: must be > 0 (found the number -1; allowed: bandwidth > 0); "
        "did you "
        "mean \"1 Gbit/s\"?");
}

TEST_CASE("a fault does not repeat what its message says already") {
  ConfigFault fault;
  fault.path = "nic";
  fault.message = "\"80 GB\" is an amount of data, a bandwidth is needed";
  fault.found = "the text \"80 GB\"";
  fault.allowed = "a bandwidth";
  CHECK(fault.to_string() == "nic: \"80 GB\" is an amount of data, a bandwidth is needed");
}

TEST_CASE("an error says each of its faults on a line") {
  ConfigFault a, b;
  a.message = "one";
  b.message = "two";
  const ConfigError error({a, b});
  CHECK(std::string(error.what()) == "one\ntwo");
  CHECK(error.faults().size() == 2);
}

TEST_CASE("the nearest word is found through typing errors, case and separators") {
  const std::vector<std::string> words{"staleness_bound", "local_steps", "learning_rate", "label"};
  CHECK(nearest_word("staleness_bnd", words) == "staleness_bound");
  CHECK(nearest_word("loacl_steps", words) == "local_steps");
  CHECK(nearest_word("Learning-Rate", words) == "learning_rate");
  CHECK(nearest_word("lable", words) == "label");
}

TEST_CASE("no word is nearest where none is near") {
  const std::vector<std::string> words{"staleness_bound", "local_steps", "k"};
  CHECK(nearest_word("bandwidth", words).empty());
  CHECK(nearest_word("", words).empty());
  CHECK(nearest_word("n", words).empty());  // one letter replaced is another word
  CHECK(nearest_word(std::string(1'000'000, 'x'), words).empty());
  CHECK(nearest_hint("bandwidth", words).empty());
}

TEST_CASE("the beginning or the end of one word means that word") {
  const std::vector<std::string> words{"staleness_bound", "local_steps", "local_batch"};
  CHECK(nearest_word("staleness", words) == "staleness_bound");
  CHECK(nearest_word("steps", words) == "local_steps");
  CHECK(nearest_word("local", words).empty());  // of two
  CHECK(nearest_hint("steps", words) == "did you mean \"local_steps\"?");
}
