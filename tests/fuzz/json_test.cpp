#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/error.hpp"
#include "experiment/error_text.hpp"
#include "experiment/json_reader.hpp"
#include "experiment/json_writer.hpp"
#include "tests/fuzz/mutation.hpp"

using namespace convoy;

namespace {

const std::vector<std::string> seeds{
    "// a comment\n{\"name\": \"quickstart\", \"seeds\": [0, 1, 2], \"stop\": {\"time\": \"6 h\"}}\n",
    "{\"a\": [true, false, null, -1.5e-3, 0, 9223372036854775807], /* b */ \"c\": \"\\u00e4\\n\\\"\"}",
    "\xEF\xBB\xBF[\r\n  [[1], {}, []],\r\n  \"\xC3\xA4\xF0\x9F\x98\x80\"\r\n]",
    "{\"a\": {\"b\": {\"c\": [{\"d\": 1}, {\"d\": 2}]}}}"};
const std::vector<std::string> tokens{"{",
                                      "}",
                                      "[",
                                      "]",
                                      ",",
                                      ":",
                                      "\"",
                                      "\\",
                                      "//",
                                      "/*",
                                      "*/",
                                      "\n",
                                      "\r\n",
                                      "\t",
                                      "NaN",
                                      "true",
                                      "null",
                                      "-Infinity",
                                      "1e999",
                                      "-0",
                                      "01",
                                      "+1",
                                      "\\ud800",
                                      "'",
                                      "#",
                                      "\"a\"",
                                      "\"a\":1,",
                                      "1e-999",
                                      "\xFF",
                                      "\xEF\xBB\xBF",
                                      "18446744073709551616",
                                      "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["};

/// A fault has words, and a position inside of the text.
void check_fault(const ConfigFault& fault, std::string_view text) {
  CHECK_FALSE(fault.message.empty());
  CHECK(fault.message.find("nlohmann") == std::string::npos);
  CHECK(fault.message.find("json.exception") == std::string::npos);
  if (fault.line == 0) return;
  const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  CHECK(fault.line <= lines);
  CHECK(fault.column >= 1);
  CHECK(fault.column <= static_cast<int>(text.size()) + 1);
}

}  // namespace

TEST_CASE(
    "no text makes the JSON reader do anything but return a tree or throw a ConfigError with a position") {
  fuzz::Random random(20240601);
  int read = 0;
  for (int i = 0; i < 6000; ++i) {
    const std::string text = fuzz::mutated(random.any_of(seeds), tokens, random);
    CAPTURE(text);
    try {
      const Node node = read_json_text(text, "fuzz.json");
      ++read;
      // What is read is JSON to the library too, and survives writing in both forms.
      CHECK(nlohmann::json::accept(text, true));
      CHECK(read_json_text(write_json(node), "again") == node);
      const std::string canonical = write_canonical_json(node);
      CHECK(write_canonical_json(read_json_text(canonical, "again")) == canonical);
    } catch (const ConfigError& error) {
      for (const ConfigFault& fault : error.faults()) check_fault(fault, text);
    }
  }
  CHECK(read > 100);  // the mutations are not all nonsense
}

TEST_CASE("every fault of a file can be shown with its line") {
  fuzz::Random random(7);
  const std::string path =
      (std::filesystem::temp_directory_path() / ("convoy_fuzz_" + std::to_string(::getpid()))).string();
  for (int i = 0; i < 150; ++i) {
    const std::string text = fuzz::mutated(random.any_of(seeds), tokens, random);
    std::ofstream(path, std::ios::binary) << text;
    try {
      (void)read_json_file(path);
    } catch (const ConfigError& error) {
      const std::string shown = explain(error, 20 + random.below(100));
      CHECK(shown.ends_with('\n'));
      CHECK(shown.find(path) == 0);
    }
  }
  std::filesystem::remove(path);
}

TEST_CASE("deep nesting of every kind ends in a fault, not in the stack") {
  for (const char* opening : {"[", "{\"a\":", "[{\"a\":[", "[1,", "/**/["}) {
    std::string text;
    for (int i = 0; i < 10'000; ++i) text += opening;
    CHECK_THROWS_AS((void)read_json_text(text, "fuzz.json"), ConfigError);
  }
}
