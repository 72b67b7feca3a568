#include "experiment/error_text.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/options.hpp"
#include "experiment/json_reader.hpp"

using namespace convoy;

namespace {

struct Link {
  double bandwidth = 1e9;
  std::int64_t lanes = 1;
  void declare(Options& o) {
    o.add("bandwidth", bandwidth, Dimension::bandwidth).more_than(0);
    o.add("lanes", lanes).at_least(1);
  }
};

/// explain() of the faults of `text` as a file, whose name it returns as "FILE".
std::string explained(std::string_view text, std::size_t width = 110) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("convoy_error_text_" + std::to_string(::getpid()))).string();
  std::ofstream(path, std::ios::binary) << text;
  std::string result;
  try {
    const Node node = read_json_file(path);
    Link link;
    FaultSink faults;
    read_options(node, "link", link, faults);
    faults.throw_if_any();
  } catch (const ConfigError& error) {
    result = explain(error, width);
  }
  std::filesystem::remove(path);
  for (std::size_t at = result.find(path); at != std::string::npos; at = result.find(path)) {
    result.replace(at, path.size(), "FILE");
  }
  return result;
}

}  // namespace

TEST_CASE("each fault shows its line, a mark under what is wrong, and what would be right") {
  CHECK(explained("{\n  \"bandwith\": \"80 GB/s\",\r\n  \"lanes\": \"two\"\n}") ==
        "FILE:2:3: link.bandwith: unknown key (allowed: bandwidth, lanes)\n"
        "     2 |   \"bandwith\": \"80 GB/s\",\n"
        "       |   ^^^^^^^^^^\n"
        "         did you mean \"bandwidth\"?\n"
        "FILE:3:12: link.lanes: must be an integer >= 1 (found the text \"two\")\n"
        "     3 |   \"lanes\": \"two\"\n"
        "       |            ^^^^^\n");
}

TEST_CASE("marks count characters, not bytes, and tabs take one column") {
  CHECK(explained("{\t\"\u00E4\u00F6\": \"\u00FC\", \"lanes\": -1.5}") ==
        "FILE:1:3: link[\"\u00E4\u00F6\"]: unknown key (allowed: bandwidth, lanes)\n"
        "     1 | { \"\u00E4\u00F6\": \"\u00FC\", \"lanes\": -1.5}\n"
        "       |   ^^^^\n"
        "FILE:1:26: link.lanes: must be an integer >= 1 (found the number -1.5)\n"
        "     1 | { \"\u00E4\u00F6\": \"\u00FC\", \"lanes\": -1.5}\n"
        "       |                       ^^^^\n");
}

TEST_CASE("a long line is shown around its fault") {
  const std::string filler(200, ' ');
  const std::string text =
      explained("{" + filler + "\"lanes\": 0," + filler + "\"bandwidth\": \"1 GB/s\"}", 60);
  CHECK(text ==
        "FILE:1:211: link.lanes: must be >= 1 (found the number 0)\n"
        "     1 | ..." +
            std::string(8, ' ') + "\"lanes\": 0," + std::string(26, ' ') + "...\n       | " +
            std::string(20, ' ') + "^\n");
}

TEST_CASE("a fault at the end of the file has its mark behind the last character") {
  CHECK(explained("{\"lanes\": 2") ==
        "FILE:1:12: the file ends inside the object that opens at line 1, column 1\n"
        "     1 | {\"lanes\": 2\n"
        "       |            ^\n"
        "         close it with \"}\"\n");
}

TEST_CASE("faults without a file or position are told without a line") {
  ConfigFault fault;
  fault.path = "stop";
  fault.message = "is required";
  fault.file = "no_such_file.json";
  fault.line = 3;
  fault.column = 1;
  CHECK(explain(ConfigError(fault)) == "no_such_file.json:3:1: stop: is required\n");
}

TEST_CASE("a long list of what is allowed has lines of its own") {
  ConfigFault fault;
  fault.path = "x";
  fault.message = "unknown key";
  for (int i = 0; i < 30; ++i) fault.allowed += (i == 0 ? "option_" : ", option_") + std::to_string(i);
  const std::string text = explain(ConfigError(fault), 80);
  CHECK(text.find("x: unknown key\n         allowed: option_0, option_1,") == 0);
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = text.find('\n', start);
    CHECK(end - start <= 80);
    start = end + 1;
  }
}
