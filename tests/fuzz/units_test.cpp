#include "core/units.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "tests/fuzz/mutation.hpp"

using namespace convoy;

namespace {

struct Seed {
  std::string text;
  Dimension dimension;
};
const std::vector<Seed> seeds{{"100 Gbit/s", Dimension::bandwidth},
                              {"12.5 GB/s", Dimension::bandwidth},
                              {"936 ns", Dimension::time},
                              {"5 \u00B5s", Dimension::time},
                              {"-2.5 min", Dimension::time},
                              {"312 TFLOP/s", Dimension::flop_rate},
                              {"6 EFLOP", Dimension::flop},
                              {"80 GiB", Dimension::bytes},
                              {"0.9 USD/h", Dimension::money_rate},
                              {"+.5 USD", Dimension::money},
                              {"0.02 USD/GB", Dimension::money_bytes},
                              {"400 W", Dimension::power},
                              {"1e-3 kWh", Dimension::energy},
                              {"4800 local_steps", Dimension::time}};
const std::vector<std::string> tokens{
    "e",    "e999", "E-999", ".",  "-", "+", " ",  "inf", "nan", "0x",
    ",",    "\t",   "/s",    "ps", "b", "B", "Gi", "k",   "1",   "000000000000000000000000000000",
    "\xC2", "\xFF"};
}  // namespace

TEST_CASE("no text makes the units parser do anything but return a finite value or throw a QuantityError") {
  fuzz::Random random(42);
  int read = 0;
  for (int i = 0; i < 6000; ++i) {
    const Seed& seed = random.any_of(seeds);
    const std::string text = fuzz::mutated(seed.text, tokens, random);
    // Mostly the right dimension, sometimes that of another.
    const Dimension dimension = random.below(4) > 0 ? seed.dimension : random.any_of(seeds).dimension;
    CAPTURE(text);
    try {
      const double value = parse_quantity(text, dimension);
      ++read;
      CHECK(std::isfinite(value));
      CHECK(parse_quantity(format_exact(value, dimension), dimension) == value);
      CHECK_FALSE(format_quantity(value, dimension).empty());
    } catch (const QuantityError& error) {
      CHECK_FALSE(std::string(error.what()).empty());
      CHECK(std::string(error.what()).size() < 300);
      CHECK(error.hint().size() < 600);
    }
    try {
      const Duration value = parse_duration(text);
      CHECK(parse_duration(format_exact(value)) == value);
    } catch (const QuantityError&) {
    }
    try {
      const Progress value = parse_progress(text);
      CHECK(parse_progress(format_exact(value)) == value);
    } catch (const QuantityError&) {
    }
  }
  CHECK(read > 100);
}
