#include "hardware/compute_model.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "core/error.hpp"

using namespace convoy;

namespace {

Duration ms(double value) {
  return Duration::seconds(value * 1e-3);
}

std::string fault_of(auto&& action) {
  try {
    action();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no fault";
}

}  // namespace

TEST_CASE("a stated step time is divided by the speed, which is never normalised") {
  // HALoS: 238.391 ms at speed 1, a worker of speed 0.232 takes 238.391 / 0.232 = 1027.547413793... ms,
  // rounded up to 1 ns.
  const StatedStepTime model{.step_time = ms(238.391), .reference_batch = 64};
  CHECK(model.time(64) == Duration::nanoseconds(238'391'000));
  CHECK(model.time(64, 0.232) == Duration::nanoseconds(1'027'547'414));
  CHECK(model.time(64, 2) == Duration::nanoseconds(119'195'500));
  CHECK(model.time(0) == Duration::zero());
}

TEST_CASE("another batch than the stated one is an error that says so") {
  const StatedStepTime model{.step_time = ms(238.391), .reference_batch = 64};
  const std::string fault = fault_of([&] { (void)model.time(32); });
  CHECK(fault.find("batch of 64") != std::string::npos);
  CHECK(fault.find("32") != std::string::npos);
  CHECK(fault.find("fixed_time") != std::string::npos);
}

TEST_CASE("with a fixed part the step time is affine in the batch") {
  // t0 = 40 ms, t(64) = 200 ms: c = 2.5 ms a sample. t(32) = 120 ms, t(128) = 360 ms, at half speed 720 ms.
  const StatedStepTime model{.step_time = ms(200), .reference_batch = 64, .fixed_time = ms(40)};
  CHECK(model.time(64) == ms(200));
  CHECK(model.time(32) == ms(120));
  CHECK(model.time(128, 0.5) == ms(720));
}

TEST_CASE("a speed that is no speed is refused") {
  const StatedStepTime stated{.step_time = ms(1), .reference_batch = 1};
  const Roofline roofline{.efficiency = 1};
  for (const double speed :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    CHECK_THROWS_AS((void)stated.time(1, speed), ConfigError);
    CHECK_THROWS_AS((void)roofline.time({.flops = 1}, 1, 1, speed), ConfigError);
  }
}

TEST_CASE("a roofline is bound by the slower of arithmetic and memory (T19)") {
  // 2 FLOP/B at 1 GB/s and 1 TFLOP/s: attainable 2 GFLOP/s, so 2 GFLOP (1 GB) take 1.0 s. At 2000 FLOP/B
  // arithmetic binds: 2 TFLOP over 1 GB take 2.0 s. Half the efficiency doubles it.
  Roofline roofline{.efficiency = 1};
  CHECK(roofline.time({.flops = 2e9, .bytes = 1e9}, 1e12, 1e9) == Duration::seconds(1));
  CHECK(roofline.time({.flops = 2e12, .bytes = 1e9}, 1e12, 1e9) == Duration::seconds(2));
  roofline.efficiency = 0.5;
  CHECK(roofline.time({.flops = 2e12, .bytes = 1e9}, 1e12, 1e9) == Duration::seconds(4));
  roofline.memory_efficiency = 0.5;
  CHECK(roofline.time({.flops = 2e9, .bytes = 1e9}, 1e12, 1e9) == Duration::seconds(2));
  CHECK(roofline.time({.flops = 2e9, .bytes = 1e9}, 1e12, 1e9, 4) == Duration::seconds(0.5));
}

TEST_CASE("launch overhead is added to any work, and no work takes no time (T14)") {
  const Roofline roofline{.efficiency = 1, .launch_overhead = Duration::nanoseconds(5000)};
  CHECK(roofline.time({.flops = 0, .bytes = 0}, 1e12, 1e9) == Duration::zero());
  CHECK(roofline.time({.flops = 1e6, .bytes = 0}, 1e12, 1e9) == Duration::nanoseconds(6000));
  CHECK(roofline.time({.flops = 0, .bytes = 1}, 1e12, 1e9) == Duration::nanoseconds(5001));
}

TEST_CASE("utilisation rises with the rows, so that arithmetic takes time affine in the batch") {
  // 2 TFLOP a sample of 1000 rows at 1 PFLOP/s x 0.5 and m_half = 3000: m rows take 4 ms x (m + 3000) / 1000,
  // so t(b) = 12 ms + 4 ms b: 16 ms for one sample (a quarter of the efficiency), 24 for three (half), 76
  // for 16.
  const Roofline roofline{.efficiency = 0.5, .half_efficiency_rows = 3000};
  const auto time = [&](double samples) {
    return roofline.time({.flops = 2e12 * samples, .bytes = 1, .rows = 1000 * samples}, 1e15, 1e9);
  };
  CHECK(time(1) == ms(16));
  CHECK(time(3) == ms(24));
  CHECK(time(16) == ms(76));
  // Without rows there is no ramp.
  CHECK(roofline.time({.flops = 2e12, .bytes = 1}, 1e15, 1e9) == ms(4));
}

TEST_CASE("a device without a unit for the format is refused, with what it has") {
  Roofline roofline{.format = NumberFormat::bf16, .efficiency = 0.5};
  // H100: 989 TFLOP/s x 0.5; 494.5 TFLOP take 1 s.
  CHECK(roofline.time({.flops = 494.5e12}, find_device("H100-SXM")) == Duration::seconds(1));
  const std::string fault =
      fault_of([&] { (void)roofline.time({.flops = 1}, find_device("V100-SXM-16GB")); });
  CHECK(fault.find("bf16") != std::string::npos);
  CHECK(fault.find("fp16") != std::string::npos);
}

TEST_CASE("rates, efficiencies and costs that mean nothing are refused") {
  Roofline roofline{.efficiency = 1};
  CHECK_THROWS_AS((void)roofline.time({.flops = 1}, 0, 1e9), ConfigError);
  CHECK_THROWS_AS((void)roofline.time({.flops = 1}, 1e12, -1), ConfigError);
  CHECK_THROWS_AS((void)roofline.time({.flops = -1}, 1e12, 1e9), std::logic_error);
  CHECK_THROWS_AS((void)Roofline{}.time({.flops = 1}, 1e12, 1e9), ConfigError);  // efficiency was not stated
}

TEST_CASE("compute models read their options, and what is missing is an error") {
  Node written = Node::object();
  written.set("step_time", Node::of(std::string("200 ms")));
  written.set("reference_batch", Node::of(std::int64_t{64}));
  written.set("fixed_time", Node::of(std::string("40 ms")));
  StatedStepTime stated;
  FaultSink faults;
  read_options(written, "compute", stated, faults);
  CHECK(faults.empty());
  CHECK(stated.time(32) == ms(120));

  written.set("fixed_time", Node::of(std::string("201 ms")));
  read_options(written, "compute", stated, faults);
  REQUIRE(faults.faults().size() == 1);
  CHECK(faults.faults()[0].path == "compute.fixed_time");

  Node roof = Node::object();
  roof.set("format", Node::of(std::string("fp16")));
  Roofline roofline;
  FaultSink missing;
  read_options(roof, "compute", roofline, missing);
  REQUIRE(missing.faults().size() == 1);
  CHECK(missing.faults()[0].to_string().find("efficiency") != std::string::npos);
}
