#include "hardware/catalogue.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "core/error.hpp"

using namespace convoy;

TEST_CASE("the catalogue states each figure in base units with its source") {
  CHECK(devices().size() == 5);
  CHECK(std::is_sorted(devices().begin(), devices().end(),
                       [](const auto& a, const auto& b) { return a.name < b.name; }));
  for (const DeviceSpec& device : devices()) {
    CAPTURE(device.name);
    std::vector<Figure> figures{device.memory, device.memory_bandwidth, device.interconnect_bandwidth,
                                device.power, device.price};
    for (const auto& peak : device.peak) {
      if (peak) figures.push_back(*peak);
    }
    for (const Figure& figure : figures) {
      CHECK(figure.value > 0);
      CHECK_FALSE(figure.source.empty());
    }
    CHECK(device.peak_flops(NumberFormat::fp32).has_value());
  }
}

TEST_CASE("figures are those of the accelerator table") {
  // Dense peaks: H100 SXM 989 TFLOP/s in bf16 and 3350 GB/s; A100 80 GB SXM 312 and 2039; V100 125 in fp16,
  // no bf16, 900 GB/s; T4 65 and 320; RTX 4090 165 accumulating in fp32 and 1008. NVLink per direction: 450,
  // 300 and 150 GB/s.
  CHECK(find_device("H100-SXM").peak_flops(NumberFormat::bf16) == 989e12);
  CHECK(find_device("H100-SXM").memory_bandwidth.value == 3350e9);
  CHECK(find_device("H100-SXM").interconnect_bandwidth.value == 450e9);
  CHECK(find_device("A100-SXM-80GB").peak_flops(NumberFormat::tf32) == 156e12);
  CHECK(find_device("A100-SXM-80GB").memory.value == 80e9);
  CHECK(find_device("A100-SXM-80GB").memory_bandwidth.value == 2039e9);
  CHECK(find_device("V100-SXM-16GB").peak_flops(NumberFormat::fp16) == 125e12);
  CHECK(find_device("V100-SXM-16GB").peak_flops(NumberFormat::bf16) == std::nullopt);
  CHECK(find_device("V100-SXM-16GB").price.certainty == Certainty::verified);
  CHECK(find_device("T4").memory_bandwidth.value == 320e9);
  CHECK(find_device("T4").price.certainty == Certainty::general_knowledge);
  CHECK(find_device("RTX-4090").peak_flops(NumberFormat::bf16) == 165e12);
  CHECK_FALSE(find_device("RTX-4090").peer_to_peer);
}

TEST_CASE("an unknown accelerator is answered with the nearest name") {
  try {
    (void)find_device("A100-SXM-80G", "cluster.hosts[0].devices");
    FAIL("found");
  } catch (const ConfigError& error) {
    REQUIRE(error.faults().size() == 1);
    CHECK(error.faults()[0].path == "cluster.hosts[0].devices");
    CHECK(error.faults()[0].hint.find("A100-SXM-80GB") != std::string::npos);
  }
}
