// What options hold and how they present it: resolved values, words and the table of `sim describe`.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "core/options.hpp"
#include "tests/core/options_sample.hpp"

using namespace convoy;
using namespace convoy::sample;

TEST_CASE("a value that no config could say is our own error") {
  Options options;
  double limit = std::numeric_limits<double>::infinity();
  options.add("limit", limit);
  CHECK_THROWS_AS((void)options.values(), std::logic_error);
}

TEST_CASE("resolved values are in base units and in the order of declaration") {
  Group group;
  group.latency = Duration::nanoseconds(936);
  group.memory = 8e10;
  Options options;
  group.declare(options);
  const Node values = options.values();
  REQUIRE(values.members.size() == 2);
  CHECK(values.members[0].key == "latency");
  CHECK(values.find("latency")->text == "0.000000936 s");
  CHECK(values.find("memory")->text == "80000000000 B");
}

TEST_CASE("resolved values read back to the same values, whatever they are") {
  std::uint64_t state = 2463534242U;  // xorshift64
  for (int round = 0; round < 300; ++round) {
    Sample written = random_sample(state);
    Options options;
    written.declare(options);
    const Node values = options.values();
    Sample read;
    FaultSink faults;
    read_options(values, "", read, faults);
    CHECK(faults.empty());
    Options again;
    read.declare(again);
    CHECK(again.values() == values);
    // Not only the texts: the values are the same to the bit.
    CHECK(read.nic == written.nic);
    CHECK(read.latency == written.latency);
    CHECK(read.horizon == written.horizon);
    CHECK(read.matrix == written.matrix);
    CHECK(read.cap == written.cap);
    CHECK(read.bits == written.bits);
    CHECK(read.speeds == written.speeds);
  }
}

TEST_CASE("an option tells its type, range and default in words") {
  Sample sample;
  Options options;
  sample.declare(options);
  const auto type = [&options](const char* name) { return options.find(name)->type_text(); };
  CHECK(type("flag") == "true or false");
  CHECK(type("integer") == "integer >= 1");
  CHECK(type("mode") == "one of fast, slow");
  CHECK(type("latency") == "time >= 0, e.g. \"2 h\"");
  CHECK(type("nic") == "bandwidth > 0, e.g. \"100 Gbit/s\"");
  CHECK(type("horizon") == "local_steps, samples or rounds, e.g. \"4800 local_steps\"");
  CHECK(type("numbers") == "list of numbers >= 0");
  CHECK(type("matrix") == "list of lists of numbers");
  CHECK(type("ladder") == "number, or list of numbers");
  CHECK(type("groups") == "list of at most 3 objects");
  CHECK(type("streams") == "object of integers with keys among average, delta");
  CHECK(type("rule") == "one of momentum, sgd");
  CHECK(options.find("integer")->default_shown() == "3");
  CHECK(options.find("latency")->default_shown() == "\"936 ns\"");
  CHECK(options.find("nic")->default_shown() == "\"12.5 GB/s\"");
  CHECK(options.find("cap")->default_shown() == "unset");
  CHECK(options.find("rule")->default_shown() == "sgd");
}

TEST_CASE("describe is an aligned table of at most 110 columns") {
  struct Halos {
    std::int64_t local_steps = 8;
    double global_weight = 0.25;
    std::optional<double> bandwidth;
    Group group;
    void declare(Options& o) {
      o.add("local_steps", local_steps).at_least(1).help("local steps H").source("arXiv 2506.04531");
      o.add("global_weight", global_weight).between(0, 1).tunable(0.01, 1).help("its weight");
      o.add("bandwidth", bandwidth, Dimension::bandwidth).help("of each direction");
      o.add("server", group).help("the server");
    }
  } halos;
  Options options;
  halos.declare(options);
  CHECK(describe_options(options) ==
        // clang-format off
        "name           type                          default   meaning\n"
        "local_steps    integer >= 1                  8         local steps H [arXiv 2506.04531]\n"
        "global_weight  number between 0 and 1        0.25      its weight; tuned over 0.01 to 1\n"
        "bandwidth      bandwidth, e.g. \"100 Gbit/s\"  unset     of each direction\n"
        "server         object                                  the server\n"
        "  latency      time >= 0, e.g. \"2 h\"         \"936 ns\"\n"
        "  memory       amount of data, e.g. \"80 GB\"  unset\n"
        // clang-format on
  );
}

TEST_CASE("describe wraps long cells inside their columns") {
  Options options;
  std::string text(60, 'w');
  options.add("a_name_that_is_so_long_that_it_does_not_fit_into_its_column_at_all", text)
      .help(
          "a story \u00E4 of many words that goes on and on and on until it fills more than a single line of "
          "the table, "
          "and then goes on");
  const std::string table = describe_options(options);
  std::size_t start = 0;
  while (start < table.size()) {
    const std::size_t end = table.find('\n', start);
    CHECK(end - start <= 111);  // 110 characters, one of them of two bytes
    start = end + 1;
  }
}
