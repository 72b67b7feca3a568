#include "experiment/json_writer.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "experiment/json_reader.hpp"

using namespace convoy;

TEST_CASE("pretty JSON keeps the order of members and puts on a line what fits there") {
  Node node =
      read_json_text(R"({"name": "a", "seeds": [0, 1, 2], "task": {"model": {"kind": "mlp", "hidden": [128]}},
                                 "empty": [], "none": {}, "weight": 0.25, "set": true, "cap": null})",
                     "a.json");
  CHECK(write_json(node) ==
        "{\n"
        "  \"name\": \"a\",\n"
        "  \"seeds\": [0, 1, 2],\n"
        "  \"task\": {\n"
        "    \"model\": {\"kind\": \"mlp\", \"hidden\": [128]}\n"
        "  },\n"
        "  \"empty\": [],\n"
        "  \"none\": {},\n"
        "  \"weight\": 0.25,\n"
        "  \"set\": true,\n"
        "  \"cap\": null\n"
        "}\n");
}

TEST_CASE("pretty JSON fills the lines of long lists of numbers and keeps within its width") {
  Node list = Node::list();
  for (int i = 0; i < 100; ++i) list.items.push_back(Node::of(i));
  Node node = Node::object();
  node.set("values", list);
  const std::string text = write_json(node, 40);
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = text.find('\n', start);
    CHECK(end - start <= 40);
    start = end + 1;
  }
  CHECK(text.find("\n    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,\n") != std::string::npos);
  CHECK(read_json_text(text, "a.json") == node);
}

TEST_CASE("canonical JSON has sorted keys and no spaces, whatever the order written") {
  const Node a = read_json_text(R"({"b": [1, 2.0, "x"], "a": {"d": null, "c": true}})", "a.json");
  const Node b = read_json_text(R"({"a": {"c": true, "d": null}, "b": [1, 2.0, "x"]})", "b.json");
  CHECK(write_canonical_json(a) == R"({"a":{"c":true,"d":null},"b":[1,2.0,"x"]})");
  CHECK(write_canonical_json(a) == write_canonical_json(b));
}

TEST_CASE("numbers are written as short as they read back to the same bits") {
  CHECK(write_canonical_json(Node::of(0.1)) == "0.1");
  CHECK(write_canonical_json(Node::of(1.0)) == "1.0");  // stays a number, apart from the integer 1
  CHECK(write_canonical_json(Node::of(1)) == "1");
  CHECK(write_canonical_json(Node::of(1e16)) == "1e+16");
  CHECK(write_canonical_json(Node::of(5e-324)) == "5e-324");
  CHECK(write_canonical_json(Node::of(-0.0)) == "-0.0");
  CHECK(write_canonical_json(Node::of(std::numeric_limits<double>::max())) == "1.7976931348623157e+308");
  std::uint64_t state = 88172645463325252U;  // xorshift64
  for (int i = 0; i < 5000; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    double value = 0;
    std::memcpy(&value, &state, sizeof value);
    if (!std::isfinite(value)) continue;
    const Node back = read_json_text(write_canonical_json(Node::of(value)), "a.json");
    CHECK(std::memcmp(&back.number, &value, sizeof value) == 0);
    CHECK(back.kind == Node::Kind::number);
  }
}

TEST_CASE("what JSON has no number for is null") {
  CHECK(write_canonical_json(Node::of(std::numeric_limits<double>::quiet_NaN())) == "null");
  CHECK(write_canonical_json(Node::of(std::numeric_limits<double>::infinity())) == "null");
}

TEST_CASE("texts are escaped so that they read back, and bytes that are no UTF-8 never break the file") {
  const std::string odd = "quote \" backslash \\ line\n tab\t bell\x07 \u00E4 \U0001F600";
  CHECK(read_json_text(write_json(Node::of(odd)), "a.json").text == odd);
  CHECK(write_canonical_json(Node::of("a\xFFz")) == "\"a\uFFFDz\"");
}

TEST_CASE("writing and reading gives the same tree in both forms") {
  const Node node =
      read_json_text(R"({"hosts": [{"name": "a b", "links": [["a", "b", "1 Gbit/s"], ["c", "d", 3.5]]}, )"
                     R"({"x": {"y": {"z": [[[1]]]}}}]})",
                     "a.json");
  CHECK(read_json_text(write_json(node), "b.json") == node);
  CHECK(read_json_text(write_json(node, 20), "b.json") == node);
  // Canonical sorts, which this tree is already but for hosts[0].
  CHECK(write_canonical_json(read_json_text(write_canonical_json(node), "b.json")) ==
        write_canonical_json(node));
}
