#include "experiment/schema.hpp"

#include <doctest/doctest.h>

#include <string>

#include "experiment/json_reader.hpp"
#include "experiment/json_writer.hpp"
#include "tests/core/options_sample.hpp"
#include "tests/experiment/schema_validator.hpp"

using namespace convoy;
using namespace convoy::sample;

namespace {

Node sample_schema() {
  Sample sample;
  Options options;
  sample.declare(options);
  return json_schema(options, "sample", "every type");
}

std::string property(const Node& schema, const char* name) {
  return write_canonical_json(*schema.find("properties")->find(name));
}

}  // namespace

TEST_CASE("a schema names its draft, its title and every option, and allows no other key") {
  const Node schema = sample_schema();
  CHECK(schema.find("$schema")->text == "https://json-schema.org/draft/2020-12/schema");
  CHECK(schema.find("title")->text == "sample");
  CHECK(schema.find("description")->text == "every type");
  CHECK(schema.find("type")->text == "object");
  CHECK(schema.find("additionalProperties")->boolean == false);
  Sample sample;
  Options options;
  sample.declare(options);
  CHECK(schema.find("properties")->members.size() == options.all().size());
}

TEST_CASE("types, ranges, defaults, help and source stand in the schema") {
  const Node schema = sample_schema();
  CHECK(property(schema, "flag") == R"({"default":true,"description":"a flag","type":"boolean"})");
  CHECK(property(schema, "integer") ==
        R"({"default":3,"description":"an integer. Source: arXiv 0000.00000","minimum":1,"type":"integer"})");
  CHECK(property(schema, "mode") == R"({"default":"fast","enum":["fast","slow"]})");
  CHECK(property(schema, "numbers") ==
        R"({"default":[1.0,2.0],"items":{"minimum":0,"type":"number"},"type":"array"})");
  CHECK(property(schema, "ladder") ==
        R"({"anyOf":[{"type":"number"},{"items":{"type":"number"},"type":"array"}],"default":[0.8]})");
  CHECK(property(schema, "streams") == R"({"additionalProperties":{"type":"integer"},"default":{},)"
                                       R"("propertyNames":{"enum":["average","delta"]},"type":"object"})");
}

TEST_CASE("a quantity is a text with a pattern of its units") {
  const Node schema = sample_schema();
  const Node* nic = schema.find("properties")->find("nic");
  CHECK(nic->find("type")->text == "string");
  CHECK(nic->find("default")->text == "12.5 GB/s");
  CHECK(nic->find("description")->text == "bandwidth > 0, e.g. \"100 Gbit/s\"");
  SchemaValidator validator(*nic);
  for (const char* good : {"100 Gbit/s", "12.5 GB/s", ".5e-3Mbps", "1e3 B/s", " 5 TiB/s "}) {
    CAPTURE(good);
    CHECK(validator.accepts(Node::of(good)));
  }
  for (const char* bad : {"100", "100 GB", "100 Gb/s", "-1 Gbit/s", "fast", "1 Gbit/sx", ". B/s"}) {
    CAPTURE(bad);
    CHECK_FALSE(validator.accepts(Node::of(bad)));
  }
}

TEST_CASE("a variant is one of its kinds, defined once for all options of its family, itself included") {
  const Node schema = sample_schema();
  CHECK(schema.find("$defs")->members.size() == 1);
  CHECK(property(schema, "rules") == R"({"default":[],"items":{"$ref":"#/$defs/rule"},"type":"array"})");
  const Node& alternatives = *schema.find("$defs")->find("rule")->find("oneOf");
  REQUIRE(alternatives.items.size() == 3);
  CHECK(write_canonical_json(alternatives.items[0]) == R"({"enum":["momentum","sgd"]})");
  const Node* momentum = alternatives.items[1].find("properties");
  CHECK(momentum->find("kind")->find("const")->text == "momentum");
  CHECK(write_canonical_json(*momentum->find("inner")) ==
        R"({"anyOf":[{"$ref":"#/$defs/rule"},{"type":"null"}]})");
}

TEST_CASE("required options are required, and a kind that requires one has no short form") {
  struct Strict : Rule {
    double rate = 0;
    void declare(Options& o) override { o.add("rate", rate).required(); }
    [[nodiscard]] std::string_view kind() const override { return "strict"; }
  };
  std::unique_ptr<Rule> rule;
  const VariantMakers<Rule> makers{{"strict", [] { return std::make_unique<Strict>(); }}};
  Options options;
  options.add("rule", rule, makers).required();
  const Node schema = json_schema(options);
  CHECK(write_canonical_json(*schema.find("required")) == R"(["rule"])");
  CHECK(property(schema, "rule") == R"({"$ref":"#/$defs/rule"})");  // required: null is none
  const Node& alternatives = *schema.find("$defs")->find("rule")->find("oneOf");
  REQUIRE(alternatives.items.size() == 1);
  CHECK(write_canonical_json(*alternatives.items[0].find("required")) == R"(["kind","rate"])");
}

TEST_CASE("two families of one name have definitions of their own") {
  struct Other : Rule {
    void declare(Options&) override {}
    [[nodiscard]] std::string_view kind() const override { return "other"; }
  };
  struct Holder {
    std::unique_ptr<Rule> rule;
    VariantMakers<Rule> makers;
    void declare(Options& o) { o.add("rule", rule, makers); }
  };
  Holder a, b;
  a.makers = rule_makers();
  b.makers = {{"other", [] { return std::make_unique<Other>(); }}};
  Options options;
  options.add("a", a);
  options.add("b", b);
  const Node schema = json_schema(options);
  CHECK(schema.find("$defs")->find("rule") != nullptr);
  CHECK(schema.find("$defs")->find("rule_2") != nullptr);
}

TEST_CASE("a value that may also be a file, and a custom option with a schema of its own") {
  Options options;
  Group group;
  options.add("cluster", group).or_file();
  options
      .custom(
          "link", "[from, to]", [](const Node&, const std::string&, FaultSink&) {}, [] { return Node(); })
      .schema(read_json_text(R"({"type": "array"})", "a.json"))
      .help("a link");
  options.custom(
      "any", "anything", [](const Node&, const std::string&, FaultSink&) {}, [] { return Node(); });
  const Node schema = json_schema(options);
  CHECK(schema.find("properties")->find("cluster")->find("anyOf")->items.size() == 2);
  CHECK(property(schema, "link") == R"({"description":"a link. [from, to]","type":"array"})");
  CHECK(property(schema, "any") == R"({"description":"anything"})");
  CHECK(options.find("cluster")->type_text() == "object, or the path of a file");
}

TEST_CASE("the schema accepts every resolved config") {
  SchemaValidator validator(sample_schema());
  std::uint64_t state = 362436069;
  for (int i = 0; i < 100; ++i) {
    Sample sample = random_sample(state);
    Options options;
    sample.declare(options);
    CHECK(validator.accepts(options.values()));
  }
}

TEST_CASE("the schema accepts its own defaults") {
  const Node schema = sample_schema();
  Node defaults = Node::object();
  for (const Node::Member& member : schema.find("properties")->members) {
    if (const Node* value = member.value.find("default")) defaults.set(member.key, *value);
  }
  CHECK(SchemaValidator(schema).accepts(defaults));
  Sample sample;
  FaultSink faults;
  read_options(defaults, "", sample, faults);
  CHECK(faults.empty());
}

TEST_CASE("the schema refuses what the reader refuses, ranges of quantities aside") {
  SchemaValidator validator(sample_schema());
  for (const char* text :
       {R"({"flagg": true})", R"({"flag": 1})", R"({"integer": 0})", R"({"integer": 1.5})",
        R"({"mode": "medium"})", R"({"nic": 100})", R"({"nic": "80 GB"})", R"({"latency": "-1 s"})",
        R"({"horizon": "3 epochs"})", R"({"numbers": [1, -1]})", R"({"groups": [{}, {}, {}, {}]})",
        R"({"rule": "adamw"})", R"({"rule": {"kind": "sgd", "momentum": 0.9}})",
        R"({"rules": [{"momentum": 0.9}]})", R"({"streams": {"averge": 1}})",
        R"({"group": {"latencyy": "1 s"}})", R"({"label": null})"}) {
    CAPTURE(text);
    const Node node = read_json_text(text, "a.json");
    CHECK_FALSE(validator.accepts(node));
    Sample sample;
    FaultSink faults;
    read_options(node, "", sample, faults);
    CHECK_FALSE(faults.empty());
  }
}
