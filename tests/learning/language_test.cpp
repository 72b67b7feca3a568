#include "learning/language.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "learning/fixtures.hpp"
#include "learning/optimizer.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

Node gpt(std::int64_t context) {
  return object({{"kind", text("char_gpt")},
                 {"layers", integer(1)},
                 {"width", integer(16)},
                 {"heads", integer(2)},
                 {"context", integer(context)}});
}

Node language(const char* data, Node model, std::int64_t batch) {
  return object({{"kind", text("language")},
                 {"data", text(data)},
                 {"model", std::move(model)},
                 {"batch_size", integer(batch)}});
}

// "abcabcabc...": after two characters the next one is sure.
std::string periodic(std::size_t size) {
  std::string result;
  while (result.size() < size) result += "abc";
  return result;
}

}  // namespace

TEST_CASE("a text becomes positions in the ascending list of its bytes") {
  const TemporaryFolder folder;
  const TextCorpus corpus = read_text(folder.write("a.txt", "ba\nab"), "a");
  CHECK(corpus.alphabet == std::vector<std::uint8_t>{'\n', 'a', 'b'});
  CHECK(corpus.tokens == std::vector<std::uint8_t>{2, 1, 0, 1, 2});
  CHECK_THROWS_AS(static_cast<void>(read_text(folder.write("empty.txt", ""), "e")), DataError);
  CHECK_THROWS_AS(static_cast<void>(read_text(folder.write("one.txt", "aaaa"), "o")), DataError);
  CHECK_THROWS_AS(static_cast<void>(read_text(folder.path() / "none.txt", "n")), DataError);
  try {
    static_cast<void>(read_text(folder.write("nul.txt", std::string("ab\nc\0d", 6)), "n"));
    FAIL("accepted");
  } catch (const DataError& error) {
    CHECK(std::string(error.what()).find("NUL") != std::string::npos);
  }
}

TEST_CASE("the shipped text has the size and the alphabet that its table states") {
  DataStore store({shipped_data()});
  const auto corpus = store.load_text(DataKind::kjv);
  CHECK(corpus->tokens.size() == 1115345);
  CHECK(corpus->vocabulary() == 62);
  CHECK(store.load_text(DataKind::kjv) == corpus);
}

TEST_CASE("shards are contiguous and windows stay inside them") {
  // 1,000 characters: the last 100 for the test, 75 of the other 900 for validation, 825 over 3 workers: 275
  // each; (275 - 10) / 10 windows of 10.
  const TemporaryFolder folder;
  folder.write("p.txt", periodic(1000));
  DataStore store({folder.path()});
  Node node = language("text", gpt(10), 4);
  node.set("path", text(folder.path().string()));
  const auto task = task_of(node, store, 0, 3);
  for (int w = 0; w < 3; ++w) CHECK(task->worker_samples(w) == 26);
  CHECK(task_of(node, store, 0, 3, true)->worker_samples(0) == 29);  // 900 / 3
  Vector g;
  CHECK(task->gradient(task->initial_parameters(), 2, 1000, g).samples == 4);
  CHECK(g.finite());
  // 20 characters a worker are needed.
  CHECK_THROWS_AS(static_cast<void>(task_of(node, store, 0, 60)), ConfigError);
}

TEST_CASE("a new model knows nothing: log of the alphabet's size in nats per character") {
  // Logits of weights with deviation 0.02 are within 0.1 of each other.
  DataStore store({shipped_data()});
  const auto task = task_of(language("kjv", gpt(32), 4), store, 0, 2);
  CHECK(std::abs(task->evaluate(task->initial_parameters(), Split::validation).loss - std::log(62.0)) < 0.02);
}

TEST_CASE("a periodic text is learned to almost no loss") {
  // Context 8: the first of eight characters is predicted from one character alone, which suffices for period
  // three: the loss has no lower bound but 0.
  const TemporaryFolder folder;
  folder.write("p.txt", periodic(3000));
  DataStore store({folder.path()});
  Node lstm = object(
      {{"kind", text("char_lstm")}, {"layers", integer(1)}, {"width", integer(12)}, {"context", integer(8)}});
  for (const Node& model : {gpt(8), lstm}) {
    Node node = language("text", model, 8);
    node.set("path", text(folder.path().string()));
    const auto task = task_of(node, store, 0, 2);
    const auto adam = make(optimizer_makers(), "adamw", object({{"learning_rate", number(0.01)}}));
    Vector x = task->initial_parameters();
    OptimizerState state = adam->initial_state(x.shared_layout(), x.precision());
    Vector g;
    for (int k = 0; k < 150; ++k) {
      task->gradient(x, k % 2, static_cast<std::uint64_t>(k / 2), g);
      adam->step(x, g, state, 1);
    }
    CHECK(task->evaluate(x, Split::test).loss < 0.05);
    CHECK(*task->evaluate(x, Split::test).accuracy > 0.99);
  }
}

TEST_CASE("a text and a model of numbers do not go together, nor labelled samples and a model of text") {
  DataStore store({shipped_data()});
  CHECK_THROWS_AS(static_cast<void>(task_of(language("kjv", text("mlp"), 4), store, 0, 1)), ConfigError);
  CHECK_THROWS_AS(static_cast<void>(task_of(language("digits", gpt(8), 4), store, 0, 1)), ConfigError);
  CHECK_THROWS_AS(
      static_cast<void>(task_of(
          object({{"data", text("digits")}, {"model", gpt(8)}, {"batch_size", integer(4)}}), store, 0, 1)),
      ConfigError);
  Node with_partition = language("kjv", gpt(8), 4);
  with_partition.set("partition", text("iid"));
  CHECK_THROWS_AS(static_cast<void>(task_of(with_partition, store, 0, 1)), ConfigError);
  CHECK_THROWS_AS(static_cast<void>(make(model_makers(), "char_gpt", object({{"heads", integer(3)}}))),
                  ConfigError);
}

TEST_CASE(
    "a small transformer falls below 1.9 nats per character of the shipped text in 1,500 steps [slow]") {
  DataStore store({shipped_data()});
  const auto task = task_of(language("kjv", text("char_gpt"), 16), store, 0, 1);
  CHECK(task->evaluate(train_along_cosine(*task, 1500, 3e-3), Split::test).loss < 1.9);
}
