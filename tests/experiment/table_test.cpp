#include "experiment/table.hpp"

#include <doctest/doctest.h>

#include <sstream>

using namespace convoy;

namespace {

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::size_t widest = 0;
  while (std::getline(lines, line)) widest = std::max(widest, line.size());
  return widest;
}

}  // namespace

TEST_CASE("columns are aligned, and one without a cell is left out") {
  TextTable table({{.title = "a"}, {.title = "empty"}, {.title = "n", .right = true}});
  table.add({"one", "", "5"});
  table.add({"three", "", "12"});
  CHECK(table.text() == "a       n\none     5\nthree  12\n");
}

TEST_CASE("a table that is too wide loses the columns that matter least, then shortens names") {
  TextTable table(
      {{.title = "name"}, {.title = "least", .keep = 1}, {.title = "more", .keep = 2}, {.title = "always"}});
  table.add({"a rather long name of an algorithm", std::string(30, 'x'), std::string(30, 'y'),
             std::string(10, 'z')});
  const std::string text = table.text(50);
  CHECK(widest_line(text) <= 50);
  CHECK(text.find("least") == std::string::npos);
  CHECK(text.find("always") != std::string::npos);
  const std::string narrow = table.text(30);
  CHECK(widest_line(narrow) <= 30);
  CHECK(narrow.find("a rather long na..") != std::string::npos);
}

TEST_CASE("times carry their interval in one unit") {
  CHECK(time_text({.mean = 1092, .low = 1050, .high = 1134, .count = 3}) == "18.2 min [17.5, 18.9]");
  CHECK(time_text({.mean = 18802.8, .low = {}, .high = {}, .count = 1}) == "5.22 h");
  CHECK(time_text({.mean = 0.25, .low = 0.25, .high = 0.25, .count = 3}) == "250 ms");
}

TEST_CASE("speed-ups are called by what may be said of them") {
  const auto speedup = [](double mean, double low, double high) {
    const Estimate ratio{.mean = mean, .low = low, .high = high, .count = 3};
    return speedup_text({.ratio = ratio, .more_than = {}, .less_than = {}, .verdict = verdict_of(ratio)});
  };
  CHECK(speedup(5.1, 4.7, 5.5) == "5.1x [4.7, 5.5]");
  CHECK(speedup(1.02, 0.93, 1.1) == "no difference [0.93, 1.1]");
  CHECK(speedup_text({.ratio = {}, .more_than = 3.25, .less_than = {}, .verdict = {}}) == "> 3.2x");
  CHECK(speedup_text({.ratio = Estimate{.mean = 1.3, .low = {}, .high = {}, .count = 1},
                      .more_than = {},
                      .less_than = {},
                      .verdict = {}}) == "1.3x (one seed)");
  CHECK(speedup_text({}) == "-");
}

TEST_CASE("whole numbers are grouped by thousands") {
  CHECK(grouped(98304) == "98,304");
  CHECK(grouped(0) == "0");
  CHECK(grouped(1234567.4) == "1,234,567");
}
