#include "hardware/transformer.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/options.hpp"
#include "hardware/sparse_tables.hpp"

using namespace convoy;

namespace {

using Members = std::vector<std::pair<const char*, Node>>;

Node whole(std::int64_t value) {
  return Node::of(value);
}

template <class Part>
std::vector<ConfigFault> read(const Members& members, Part& part) {
  Node node = Node::object();
  for (const auto& [key, value] : members) node.set(key, value);
  FaultSink faults;
  read_options(node, "model", part, faults);
  return faults.faults();
}

Members llama() {
  return {{"layers", whole(32)},     {"width", whole(4096)},       {"heads", whole(32)},
          {"sequence", whole(4096)}, {"vocabulary", whole(32000)}, {"gated", Node::of(true)}};
}

}  // namespace

TEST_CASE("activations and FLOPs of a transformer follow from its shape") {
  // GPT-3's layer at 2048 tokens (h = 12288, a = 96): s b h (34 + 5 a s / h) = 2048 x 12288 x 114 = 2.869e9
  // B; 96 layers. Without the scores 34 of the 114 stay.
  const TransformerShape gpt3{.layers = 96, .width = 12288, .heads = 96, .sequence = 2048};
  CHECK(activation_bytes(gpt3, 1) == 96.0 * 2048 * 12288 * 114);
  CHECK(activation_bytes(gpt3, 3) == 3 * activation_bytes(gpt3, 1));
  CHECK(activation_bytes(gpt3, 1, Recompute::selective) == 96.0 * 2048 * 12288 * 34);
  CHECK(activation_bytes(gpt3, 1, Recompute::full) == 96.0 * 2 * 2048 * 12288 + 2048.0 * 12288 * 114);
  // 6 x 175e9 + 6 x 96 x 12288 x 2048 = 1.05e12 + 1.4496e10; with recomputation 8 N and a third more
  // attention.
  CHECK(flops_per_token(175e9, gpt3) == 6 * 175e9 + 6.0 * 96 * 12288 * 2048);
  TransformerShape encoder = gpt3;
  encoder.causal = false;
  CHECK(flops_per_token(175e9, encoder) == 6 * 175e9 + 12.0 * 96 * 12288 * 2048);
  CHECK(std::abs(flops_per_token(175e9, TransformerShape{}, Recompute::full) / (8 * 175e9) - 1) < 1e-12);
  CHECK(flops_per_token(175e9, gpt3, Recompute::selective) == 6 * 175e9 + 8.0 * 96 * 12288 * 2048);
}

TEST_CASE("a transformer from a few numbers has the parameters of the published model") {
  // Llama 2 7B: 6,738,415,616 with a gated feed-forward of 11008 and untied embeddings.
  Members numbers = llama();
  numbers.emplace_back("feed_forward", whole(11008));
  TransformerOptions options;
  REQUIRE(read(numbers, options).empty());
  CHECK(elements_of(options.tensors()) == 6'738'415'616);
  // Mistral 7B: width 4096, 32 layers, 8 heads of keys and values, 14336: 7,241,732,096.
  Members mistral = llama();
  mistral.emplace_back("feed_forward", whole(14336));
  mistral.emplace_back("key_value_heads", whole(8));
  TransformerOptions grouped;
  REQUIRE(read(mistral, grouped).empty());
  CHECK(elements_of(grouped.tensors()) == 7'241'732'096);
}

TEST_CASE("stated parameters are met exactly, by the feed-forward width and a rest") {
  Members numbers = llama();
  numbers.emplace_back("parameters", whole(7'000'000'001));
  TransformerOptions options;
  REQUIRE(read(numbers, options).empty());
  CHECK(elements_of(options.tensors()) == 7'000'000'001);
  // The rest is less than one more column of each feed-forward matrix.
  CHECK(options.tensors().back().name == "rest");
  CHECK(options.tensors().back().elements() < 32 * 3 * 4096);
}

TEST_CASE("numbers that make no transformer are refused at their keys") {
  const auto path_of = [](Members members) {
    TransformerOptions options;
    const auto faults = read(members, options);
    return faults.size() == 1 ? faults[0].path : std::to_string(faults.size()) + " faults";
  };
  const auto with = [](const char* key, Node value) {
    Members numbers = llama();
    for (auto& [name, old] : numbers) {
      if (std::string(name) == key) old = value;
    }
    if (std::string(key) == "parameters" || std::string(key) == "key_value_heads")
      numbers.emplace_back(key, std::move(value));
    return numbers;
  };
  CHECK(path_of(with("heads", whole(3))) == "model.heads");
  CHECK(path_of(with("key_value_heads", whole(5))) == "model.key_value_heads");
  CHECK(path_of(with("parameters", whole(1000))) == "model.parameters");
  CHECK(path_of(with("layers", whole(-1))) == "model.layers");
  CHECK(path_of(with("sequence", Node::of(0.5))) == "model.sequence");
  Members both = with("parameters", whole(7'000'000'000));
  both.emplace_back("feed_forward", whole(11008));
  CHECK(path_of(both) == "model.feed_forward");
}

TEST_CASE("tables whose rows have no dot product with the bottom's vector are refused") {
  SparseTables tables;
  const Members numbers = {{"rows", Node::list({whole(10), whole(20)})},
                           {"width", whole(8)},
                           {"bottom", Node::list({whole(16), whole(4)})},
                           {"top", Node::list({whole(1)})}};
  const auto faults = read(numbers, tables);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].path == "model.bottom");
}
