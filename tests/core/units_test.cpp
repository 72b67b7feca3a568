#include "core/units.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/decimal.hpp"

using namespace convoy;

namespace {

/// "message; hint" of the error that `text` raises, or "no error".
std::string error_of(std::string_view text, Dimension dimension) {
  try {
    (void)parse_quantity(text, dimension);
    return "no error";
  } catch (const QuantityError& error) {
    return std::string(error.what()) + "; " + error.hint();
  }
}

constexpr Dimension all_dimensions[] = {
    Dimension::time,  Dimension::bytes,  Dimension::bandwidth, Dimension::flop,       Dimension::flop_rate,
    Dimension::power, Dimension::energy, Dimension::money,     Dimension::money_rate, Dimension::money_bytes};

}  // namespace

TEST_CASE(
    "a gigabyte over a gigabit per second takes 8 s, a gibibyte 8.589934592 s, over a gigabyte per second 1 "
    "s") {
  // 1e9 B * 8 bit/B / 1e9 bit/s = 8 s; 2^30 * 8 / 1e9 = 8.589934592 s; 1e9 B / 1e9 B/s = 1 s.
  const auto seconds = [](const char* data, const char* bandwidth) {
    return parse_quantity(data, Dimension::bytes) / parse_quantity(bandwidth, Dimension::bandwidth);
  };
  CHECK(seconds("1 GB", "1 Gbit/s") == 8.0);
  CHECK(seconds("1 GiB", "1 Gbit/s") == 8.589934592);
  CHECK(seconds("1 GB", "1 GB/s") == 1.0);
  CHECK(seconds("1 GB", "1 Gbps") == 8.0);
}

TEST_CASE("decimal quantities are exact to the last digit") {
  CHECK(parse_quantity("100 Gbit/s", Dimension::bandwidth) == 1.25e10);
  // 0.537e9 / 8 = 67125000, though 0.537 * 1e9 in doubles is not 537000000 in every order of operations.
  CHECK(parse_quantity("0.537 Gbit/s", Dimension::bandwidth) == 67125000.0);
  CHECK(parse_quantity("12.5 GB/s", Dimension::bandwidth) == 1.25e10);
  CHECK(parse_quantity("1 bit/s", Dimension::bandwidth) == 0.125);
  CHECK(parse_quantity("80 GiB", Dimension::bytes) == 80.0 * 1024 * 1024 * 1024);
  CHECK(parse_quantity("312 TFLOP/s", Dimension::flop_rate) == 3.12e14);
  CHECK(parse_quantity("312 TFLOPS", Dimension::flop_rate) == 3.12e14);
  CHECK(parse_quantity("936 ns", Dimension::time) == 936e-9);  // the double nearest to 0.000000936
  CHECK(parse_quantity("0.1 s", Dimension::time) == 0.1);
  CHECK(parse_quantity("3 kWh", Dimension::energy) == 3 * 3.6e6);
  CHECK(parse_quantity("0.02 USD/GB", Dimension::money_bytes) == 0.02e-9);
  // 0.9 / 3600 = 0.00025, rounded once.
  CHECK(parse_quantity("0.9 USD/h", Dimension::money_rate) == 0.00025);
  CHECK(parse_quantity("1e3 GFLOP", Dimension::flop) == 1e12);
  CHECK(parse_quantity("-2 h", Dimension::time) == -7200.0);
  CHECK(parse_quantity("+.5 min", Dimension::time) == 30.0);
}

TEST_CASE("a time in decimal notation is exact to the nanosecond") {
  CHECK(parse_duration("238.391 ms").count() == 238391000);
  CHECK(parse_duration("4.2 s").count() == 4200000000);
  CHECK(parse_duration("936 ns").count() == 936);
  CHECK(parse_duration("2 h").count() == 7200000000000);
  CHECK(parse_duration("1 d").count() == 86400000000000);
  CHECK(parse_duration("5 \u00B5s").count() == 5000);  // micro sign
  CHECK(parse_duration("5 \u03BCs").count() == 5000);  // Greek mu
  CHECK(parse_duration("0 s").count() == 0);
  // 2^63 - 1 ns, which no double holds.
  CHECK(parse_duration("9223372036.854775807 s").count() == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("a fraction of a nanosecond is rounded up, so that no cost vanishes") {
  CHECK(parse_duration("0.1 ns").count() == 1);
  CHECK(parse_duration("1.0000000001 s").count() == 1000000001);
  CHECK(parse_duration("-0.5 ns").count() == 0);
  CHECK(parse_duration("1e-400 s").count() == 1);
}

TEST_CASE("a time beyond 292 years is refused, not wrapped") {
  CHECK_THROWS_WITH_AS((void)parse_duration("9223372036.854775808 s"),
                       "\"9223372036.854775808 s\" is beyond the 292 years that virtual time can count",
                       QuantityError);
  CHECK_THROWS_AS((void)parse_duration("1e999999999999999999999 d"), QuantityError);
}

TEST_CASE("white space around and between number and unit does not count") {
  CHECK(parse_quantity("  100Gbit/s\t", Dimension::bandwidth) == 1.25e10);
  CHECK(parse_quantity("100   Gbit/s", Dimension::bandwidth) == 1.25e10);
}

TEST_CASE("a unit of another dimension is refused by name, with the related unit of the right one") {
  CHECK(error_of("80 GB", Dimension::bandwidth) ==
        "\"80 GB\" is an amount of data, a bandwidth is needed; did you mean \"80 GB/s\"?");
  CHECK(error_of("10 Gbps", Dimension::bytes) ==
        "\"10 Gbps\" is a bandwidth, an amount of data is needed; did you mean \"10 Gbit\"?");
  CHECK(error_of("312 TFLOP", Dimension::flop_rate) ==
        "\"312 TFLOP\" is a number of operations, a computing rate is needed; did you mean \"312 TFLOP/s\"?");
  CHECK(error_of("300 W", Dimension::energy) ==
        "\"300 W\" is a power, an amount of energy is needed; did you mean \"300 Wh\"?");
  CHECK(error_of("2 USD", Dimension::money_rate) ==
        "\"2 USD\" is an amount of money, a price per time is needed; did you mean \"2 USD/h\"?");
  CHECK(
      error_of("3 s", Dimension::bandwidth) ==
      "\"3 s\" is a time, a bandwidth is needed; write a bandwidth such as \"100 Gbit/s\" or \"12.5 GB/s\"");
}

TEST_CASE("a bare number is refused with its likely spelling") {
  CHECK(error_of("100", Dimension::bandwidth) ==
        "\"100\" has no unit, a bandwidth is needed; did you mean \"100 Gbit/s\"?");
  CHECK(error_of("0.9", Dimension::money_rate) ==
        "\"0.9\" has no unit, a price per time is needed; did you mean \"0.9 USD/h\"?");
  // Whoever writes millions has counted in the base unit.
  CHECK(error_of("12500000000", Dimension::bandwidth) ==
        "\"12500000000\" has no unit, a bandwidth is needed; did you mean \"12500000000 B/s\"?");
}

TEST_CASE("what may mean bits or bytes is refused with both readings") {
  CHECK(error_of("10 Gb/s", Dimension::bandwidth) ==
        "the unit of \"10 Gb/s\" is unknown, a bandwidth is needed; did you mean \"10 Gbit/s\" or \"10 "
        "GB/s\"?");
  CHECK(
      error_of("10 Gb", Dimension::bandwidth) ==
      "the unit of \"10 Gb\" is unknown, a bandwidth is needed; did you mean \"10 Gbit/s\" or \"10 GB/s\"?");
  CHECK(error_of("5 KB", Dimension::bytes) ==
        "the unit of \"5 KB\" is unknown, an amount of data is needed; did you mean \"5 kB\" or \"5 KiB\"?");
  CHECK(error_of("5 mb", Dimension::bytes) ==
        "the unit of \"5 mb\" is unknown, an amount of data is needed; did you mean \"5 Mbit\" or \"5 MB\"?");
  CHECK(error_of("1 GBps", Dimension::bandwidth) ==
        "the unit of \"1 GBps\" is unknown, a bandwidth is needed; did you mean \"1 GB/s\"?");
}

TEST_CASE("usual misspellings of units get the right one") {
  CHECK(error_of("3 hours", Dimension::time) ==
        "the unit of \"3 hours\" is unknown, a time is needed; did you mean "
        "\"3 h\"?");
  CHECK(error_of("30 sec", Dimension::time) ==
        "the unit of \"30 sec\" is unknown, a time is needed; did you mean "
        "\"30 s\"?");
  CHECK(error_of("1 gbps", Dimension::bandwidth) ==
        "the unit of \"1 gbps\" is unknown, a bandwidth is needed; did you mean \"1 Gbit/s\"?");
  CHECK(error_of("1 Gbits/s", Dimension::bandwidth) ==
        "the unit of \"1 Gbits/s\" is unknown, a bandwidth is needed; did you mean \"1 Gbit/s\"?");
  CHECK(error_of("2 $/h", Dimension::money_rate) ==
        "the unit of \"2 $/h\" is unknown, a price per time is needed; did you mean \"2 USD/h\"?");
}

TEST_CASE("texts that are no quantity at all are refused with an example") {
  CHECK(error_of("", Dimension::time) ==
        "the text is empty, a time is needed; write a time such as \"30 s\" or \"2 h\"");
  CHECK(error_of("fast", Dimension::bandwidth) ==
        "\"fast\" does not begin with a number, a bandwidth is needed; write a bandwidth such as \"100 "
        "Gbit/s\" or "
        "\"12.5 GB/s\"");
  CHECK(error_of("GB", Dimension::bytes) ==
        "\"GB\" is a unit without a number, an amount of data is needed; did you mean \"1 GB\"?");
  CHECK(error_of("1,5 GB", Dimension::bytes) ==
        "\"1,5 GB\" has a comma in its number, an amount of data is needed; write the decimal point as a "
        "point, and no "
        "separators of thousands");
  CHECK(error_of("1 000 MB", Dimension::bytes) ==
        "\"1 000 MB\" has two numbers, an amount of data is needed; write the digits of a number together");
}

TEST_CASE("infinite, undefined and unrepresentable numbers are refused") {
  for (const char* text : {"inf s", "-inf s", "Infinity", "nan s", "NaN", "-nan(0x1) s"}) {
    CAPTURE(text);
    CHECK(error_of(text, Dimension::time).find("is not finite, a time is needed") != std::string::npos);
  }
  CHECK(error_of("1e400 GB", Dimension::bytes) == "\"1e400 GB\" is too large; ");
  CHECK(error_of("1e-400 GB", Dimension::bytes) ==
        "\"1e-400 GB\" is too close to zero; write 0 if zero is meant");
  CHECK(error_of("1e99999999999999999999 GB", Dimension::bytes) ==
        "\"1e99999999999999999999 GB\" is too large; ");
  CHECK(error_of(std::string(100'000, '1') + " GB", Dimension::bytes).find("is too long") !=
        std::string::npos);
  CHECK(parse_quantity("0e999 GB", Dimension::bytes) == 0.0);
}

TEST_CASE("the letter e after a number is an exponent only before digits") {
  CHECK(parse_quantity("2EFLOP", Dimension::flop) == 2e18);
  CHECK(parse_quantity("2e3FLOP", Dimension::flop) == 2000.0);
}

TEST_CASE("the exact format is in base units and reads back to the same value") {
  CHECK(format_exact(1.25e10, Dimension::bandwidth) == "12500000000 B/s");
  CHECK(format_exact(0.00025, Dimension::money_rate) == "0.00025 USD/s");
  CHECK(format_exact(Duration::nanoseconds(238391000)) == "0.238391 s");
  CHECK(format_exact(Duration::nanoseconds(-1)) == "-0.000000001 s");
  CHECK(format_exact(Duration::nanoseconds(7200000000000)) == "7200 s");
  CHECK(format_exact(-0.0, Dimension::bytes) == "0 B");

  std::uint64_t state = 88172645463325252U;  // xorshift64
  const auto next = [&state] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  };
  for (int i = 0; i < 2000; ++i) {
    const double value = std::ldexp(static_cast<double>(next()), static_cast<int>(next() % 200) - 130);
    for (const Dimension dimension : all_dimensions) {
      CHECK(parse_quantity(format_exact(value, dimension), dimension) == value);
      CHECK(parse_quantity(format_readable(value, dimension), dimension) == value);
    }
    const auto count = static_cast<std::int64_t>(next() >> (1 + next() % 62));
    CHECK(parse_duration(format_exact(Duration::nanoseconds(count))).count() == count);
    CHECK(parse_duration(format_exact(Duration::nanoseconds(-count))).count() == -count);
  }
}

TEST_CASE("quantities for people have three significant digits and the unit that people would choose") {
  CHECK(format_quantity(1.25e10, Dimension::bandwidth) == "12.5 GB/s");
  CHECK(format_quantity(1.18e11, Dimension::bytes) == "118 GB");
  CHECK(format_quantity(18.2 * 60, Dimension::time) == "18.2 min");
  CHECK(format_quantity(936e-9, Dimension::time) == "936 ns");
  CHECK(format_quantity(0.2383912, Dimension::time) == "238 ms");
  CHECK(format_quantity(7200, Dimension::time) == "2 h");
  CHECK(format_quantity(0.9 / 3600, Dimension::money_rate) == "0.9 USD/h");
  CHECK(format_quantity(0.02e-9, Dimension::money_bytes) == "0.02 USD/GB");
  CHECK(format_quantity(14.234, Dimension::money) == "14.2 USD");
  CHECK(format_quantity(12345.6, Dimension::money) == "12,346 USD");
  CHECK(format_quantity(5.4e6, Dimension::energy) == "1.5 kWh");
  CHECK(format_quantity(400, Dimension::power) == "400 W");
  CHECK(format_quantity(3.12e14, Dimension::flop_rate) == "312 TFLOP/s");
}

TEST_CASE("rounding never leaves a thousand of the smaller unit") {
  CHECK(format_quantity(999.6e6, Dimension::bytes) == "1 GB");
  CHECK(format_quantity(59.99, Dimension::time) == "1 min");
  CHECK(format_quantity(3599.9, Dimension::time) == "1 h");
  CHECK(format_quantity(999.4e6, Dimension::bytes) == "999 MB");
}

TEST_CASE("zero, tiny, huge and undefined quantities still format") {
  CHECK(format_quantity(0, Dimension::time) == "0 s");
  CHECK(format_quantity(0, Dimension::power) == "0 W");
  CHECK(format_quantity(0, Dimension::money_rate) == "0 USD/h");
  CHECK(format_quantity(-1.5e9, Dimension::bytes) == "-1.5 GB");
  CHECK(format_quantity(1e-12, Dimension::time) == "0.001 ns");
  CHECK(format_quantity(4e8 * 86400, Dimension::time) == "400,000,000 d");
  CHECK(format_quantity(std::numeric_limits<double>::quiet_NaN(), Dimension::time).find("nan") == 0);
  CHECK(format_quantity(std::numeric_limits<double>::infinity(), Dimension::time).find("inf") == 0);
}

TEST_CASE("every unit of every dimension is read by its own dimension alone") {
  for (const Dimension dimension : all_dimensions) {
    CHECK_FALSE(unit_names(dimension).empty());
    for (const std::string_view unit : unit_names(dimension)) {
      const std::string text = "1 " + std::string(unit);
      CAPTURE(text);
      CHECK(parse_quantity(text, dimension) > 0);
      for (const Dimension other : all_dimensions) {
        if (other != dimension) CHECK(error_of(text, other).find(" is needed") != std::string::npos);
      }
    }
  }
}

TEST_CASE("progress is counted in local steps, samples or rounds") {
  CHECK(parse_progress("4800 local_steps") == Progress{4800, Progress::Unit::local_steps});
  CHECK(parse_progress("1e6 samples") == Progress{1e6, Progress::Unit::samples});
  CHECK(parse_progress("20rounds") == Progress{20, Progress::Unit::rounds});
  CHECK(format_exact(Progress{4800, Progress::Unit::local_steps}) == "4800 local_steps");
  CHECK(parse_progress(format_exact(Progress{0.1, Progress::Unit::rounds})) ==
        Progress{0.1, Progress::Unit::rounds});
}

TEST_CASE("progress without its unit, or in another, is refused with the likely one") {
  const auto error = [](const char* text) -> std::string {
    try {
      (void)parse_progress(text);
      return "no error";
    } catch (const QuantityError& fault) {
      return std::string(fault.what()) + "; " + fault.hint();
    }
  };
  CHECK(error("4800") ==
        "\"4800\" has no unit, an amount of progress is needed; did you mean \"4800 local_steps\"?");
  CHECK(error("4800 steps") ==
        "the unit of \"4800 steps\" is unknown, an amount of progress is needed; did you mean \"4800 "
        "local_steps\"?");
  CHECK(error("3 epochs") ==
        "the unit of \"3 epochs\" is unknown, an amount of progress is needed; write a number of "
        "local_steps, samples "
        "or rounds, such as \"4800 local_steps\"");
  CHECK(error("inf rounds").find("is not finite") != std::string::npos);
}

TEST_CASE("decimals multiply and divide without losing a digit") {
  const auto decimal = [](const char* text) {
    std::size_t used = 0;
    return *Decimal::parse(text, used);
  };
  CHECK(decimal("0.1").multiply(3).to_double() == 0.3);  // 0.1 * 3 in doubles is 0.30000000000000004
  CHECK(decimal("1").divide(3).to_double() == 1.0 / 3);
  CHECK(decimal("7").divide(8).shift(3).round_up() == 875);
  CHECK(decimal("123456789").multiply(1'000'000'007).shift(-9).round_up() == 123456790);  // 123456789.86...
  CHECK(decimal("0").shift(5).multiply(7).is_zero());
  // 2^53 + 1 is a tie of two doubles; the digit behind it decides.
  CHECK(decimal("9007199254740993").to_double() == 9007199254740992.0);
  CHECK(decimal("9007199254740993.0000000000000000000000000001").to_double() == 9007199254740994.0);
}
