// Replicas against their devices' memory, and steps in micro-batches.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "core/error.hpp"
#include "support/run_json.hpp"

namespace convoy::test {
namespace {

/// Two workers on a device of 1 TFLOP/s and 10 GB (9.2 usable) that charge a custom model.
std::string experiment(const std::string& workload, const std::string& algorithm,
                       const std::string& memory = "10 GB") {
  return R"({"cluster": {"workers": 2, "devices": ["P"], "link": {"bandwidth": "1 GB/s"},
      "compute": {"format": "bf16", "efficiency": 1},
      "hardware": {"devices": [{"name": "P", "peak": {"bf16": "1 TFLOP/s"}, "memory": ")" +
         memory + R"(", "memory_bandwidth": "1000000 GB/s"}]}},
    "task": {"kind": "clock_only", "batch_size": 8},
    "workload": )" +
         workload + R"(, "algorithms": [)" + algorithm +
         R"(], "stop": {"local_steps": 4, "time": "1000000 h"}, "seeds": [0]})";
}

std::string fault_of(const std::string& text) {
  try {
    (void)run_json(text);
  } catch (const ConfigError& error) {
    return error.faults()[0].path + ": " + error.faults()[0].message + "; " + error.faults()[0].hint;
  }
  return "no fault";
}

TEST_CASE("a replica that exceeds its device is refused, saying by how much and what fits") {
  // 1e9 parameters in 16 bits under Adam: 16 GB, 6.8 more than 9.2 GB. ZeRO-1 over two workers: 4 + 6 = 10
  // GB, ZeRO-2 2 + 7 = 9 GB fit.
  const std::string model = R"({"parameters": 1000000000, "bytes_per_parameter": 2)";
  const std::string fault = fault_of(experiment(model + "}", R"("data_parallel")"));
  CHECK(fault.find("memory: ") == 0);
  CHECK(fault.find("local.w0") != std::string::npos);
  CHECK(fault.find("by 6.8 GB") != std::string::npos);
  CHECK(fault.find("\"zero2\" over 2 devices") != std::string::npos);
  CHECK(fault_of(experiment(model + R"(, "memory": {"scheme": "zero2"}})", R"("data_parallel")")) ==
        "no fault");
  CHECK(fault_of(experiment(model + "}", R"({"kind": "data_parallel", "memory": {"scheme": "zero2"}})")) ==
        "no fault");
  // 100 GB have room for DDP's 16, DiLoCo's 20 and CO2's 24; 24 GB x 0.92 = 22.08 for the first two.
  CHECK(fault_of(experiment(model + "}", R"("co2")", "100 GB")) == "no fault");
  CHECK(fault_of(experiment(model + "}", R"("diloco")", "24 GB")) == "no fault");
  CHECK(fault_of(experiment(model + "}", R"("co2")", "24 GB")).find("scheme co2") != std::string::npos);
}

TEST_CASE("a transformer's activations are part of it, and a micro-batch makes them fit") {
  // One layer of width 1024, 16 heads, 1024 tokens: 1024 x 1024 x (34 + 5 x 16) = 119.5 MB a sample in 16
  // bits; 8 samples 956 MB. 1 GB x 0.92 less the states (vocabulary 1: 2 x 1024 + 12 x 1024^2 + ... = 12.6e6
  // x 16 = 201 MB) leaves 718 MB: 6 samples.
  const std::string model =
      R"({"transformer": {"layers": 1, "width": 1024, "heads": 16, "sequence": 1024, "vocabulary": 1},
          "bytes_per_parameter": 2)";
  const std::string fault = fault_of(experiment(model + "}", R"("data_parallel")", "1 GB"));
  CHECK(fault.find("micro_batch of 6 fits") != std::string::npos);
  CHECK(fault_of(experiment(model + R"(, "memory": {"micro_batch": 6}})", R"("data_parallel")", "1 GB")) ==
        "no fault");
  // Without the scores 34 of the 114 stay: 285 MB.
  CHECK(fault_of(experiment(model + R"(, "recompute": "selective"})", R"("data_parallel")", "1 GB")) ==
        "no fault");
}

TEST_CASE("a step in micro-batches launches each of them") {
  // 1e6 parameters, 8 samples of a token: 48 MFLOP at 1 TFLOP/s = 48 us, and 1 ms of launch for each of 8 / 3
  // -> 3 micro-batches: 4 steps a worker take 4 x 3.048 ms.
  std::string text = experiment(R"({"parameters": 1000000, "memory": {"micro_batch": 3}})", R"("local_sgd")");
  const std::string plain = R"("efficiency": 1)";
  text.replace(text.find(plain), plain.size(), plain + R"(, "launch_overhead": "1 ms")");
  const auto runs = run_json(text);
  const WorkAmount& computed = runs[0].result.work[0].computed;
  REQUIRE(computed.steps > 0);
  const double step = computed.time.to_seconds() / static_cast<double>(computed.steps);
  CHECK(std::abs(step / 3.048e-3 - 1) < 1e-6);
}

TEST_CASE("a precision that the device lacks is refused with those it has") {
  std::string text = experiment(R"({"parameters": 1000000})", R"("local_sgd")");
  const std::string format = R"("format": "bf16")";
  text.replace(text.find(format), format.size(), R"("format": "fp8")");
  CHECK(fault_of(text) == "cluster.compute.format: P has no matrix unit for fp8; it has bf16");
}

}  // namespace
}  // namespace convoy::test
