#include "hardware/catalogue.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "hardware/device_options.hpp"

using namespace convoy;

namespace {

Node object(std::initializer_list<std::pair<const char*, Node>> members) {
  Node node = Node::object();
  for (const auto& [key, value] : members) node.set(key, value);
  return node;
}

std::vector<ConfigFault> read_hardware(const Node& node, HardwareOptions& options) {
  FaultSink faults;
  read_options(node, "hardware", options, faults);
  return faults.faults();
}

}  // namespace

TEST_CASE("the catalogue states each figure in base units with its source") {
  CHECK(devices().size() == 29);
  CHECK(std::is_sorted(devices().begin(), devices().end(),
                       [](const auto& a, const auto& b) { return a.name < b.name; }));
  for (const DeviceSpec& device : devices()) {
    CAPTURE(device.name);
    std::vector<Figure> figures{device.memory, device.memory_bandwidth, device.interconnect_bandwidth};
    for (const auto& figure : {device.power, device.price}) {
      if (figure) figures.push_back(*figure);
    }
    for (const auto& peak : device.peak) {
      if (peak) figures.push_back(*peak);
    }
    for (const Figure& figure : figures) {
      CHECK(figure.value > 0);
      CHECK_FALSE(figure.source.empty());
    }
    CHECK(std::any_of(device.peak.begin(), device.peak.end(),
                      [](const auto& peak) { return peak.has_value(); }));
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
  CHECK(find_device("V100-SXM-16GB").price.value().certainty == Certainty::verified);
  CHECK(find_device("T4").memory_bandwidth.value == 320e9);
  CHECK(find_device("T4").price.value().certainty == Certainty::general_knowledge);
  CHECK(find_device("RTX-4090").peak_flops(NumberFormat::bf16) == 165e12);
  CHECK_FALSE(find_device("RTX-4090").peer_to_peer);
  CHECK(find_device("H100-SXM").peer_to_peer);
  // MI300X: 1307 in bf16, 192 GB, 5300 GB/s; TPU v5p: 459 and six links of 100 GB/s a direction; H20: 148,
  // less than half of an A100 on more memory.
  CHECK(find_device("MI300X").peak_flops(NumberFormat::bf16) == 1307e12);
  CHECK(find_device("MI300X").interconnect == Interconnect::infinity_fabric);
  CHECK(find_device("TPU-v5p").peak_flops(NumberFormat::bf16) == 459e12);
  CHECK(find_device("TPU-v5p").interconnect_bandwidth.value == 600e9);
  CHECK(find_device("H20").peak_flops(NumberFormat::bf16) == 148e12);
  CHECK(std::abs(find_device("H100-SXM").price.value().value * 3600 / 4.69 - 1) < 1e-12);
}

TEST_CASE("links are those of the link table") {
  // NVLink 4: 25 GB/s specified, 20.6 used by NCCL, 936.25 ns in ASTRA-sim's HGX-H100; PCIe 4: 31.5 and 24;
  // InfiniBand NDR: 50 GB/s a direction; HDR half of it.
  const auto link = [](std::string_view name) -> const LinkKind& {
    return *std::find_if(links().begin(), links().end(),
                         [&](const LinkKind& kind) { return kind.name == name; });
  };
  CHECK(link("NVLink4").bandwidth.value == 25e9);
  CHECK(link("NVLink4").effective_bandwidth.value == 20.6e9);
  CHECK(std::abs(link("NVLink4").latency.value / 936.25e-9 - 1) < 1e-12);
  CHECK(link("PCIe4-x16").bandwidth.value == 31.5e9);
  CHECK(link("PCIe4-x16").effective_bandwidth.value == 24e9);
  CHECK(link("InfiniBand-NDR").bandwidth.value == 50e9);
  CHECK(link("InfiniBand-HDR").bandwidth.value == 25e9);
  for (const LinkKind& kind : links()) {
    CAPTURE(kind.name);
    CHECK(kind.effective_bandwidth.value <= kind.bandwidth.value);
    CHECK(kind.effective_bandwidth.value > 0);
    CHECK(kind.latency.value > 0);
    CHECK_FALSE(kind.latency.source.empty());
    CHECK_FALSE(kind.about.empty());
  }
}

TEST_CASE("a device of the user's own goes first, and takes what it leaves out from another") {
  const Node cheap = object(
      {{"name", Node::of("H100-SXM")}, {"like", Node::of("H100-SXM")}, {"price", Node::of("1.8 USD/h")}});
  const Node peak = object(
      {{"value", Node::of("500 TFLOP/s")}, {"source", Node::of("lab")}, {"certainty", Node::of("verified")}});
  const Node fresh = object({{"name", Node::of("Prototype")},
                             {"memory", Node::of("64 GB")},
                             {"memory_bandwidth", Node::of("2 TB/s")},
                             {"peak", object({{"bf16", peak}})}});
  HardwareOptions options;
  const auto faults = read_hardware(object({{"sources", object({{"lab", Node::of("measured in our lab")}})},
                                            {"devices", Node::list({cheap, fresh})}}),
                                    options);
  REQUIRE(faults.empty());
  const std::vector<DeviceSpec> own = options.specs();
  const DeviceSpec& h100 = find_device("H100-SXM", {}, own);
  CHECK(std::abs(h100.price.value().value * 3600 - 1.8) < 1e-12);
  CHECK(h100.peak_flops(NumberFormat::bf16) == 989e12);
  const DeviceSpec& prototype = find_device("Prototype", {}, own);
  CHECK(prototype.memory.value == 64e9);
  const Figure figure = prototype.peak[static_cast<std::size_t>(NumberFormat::bf16)].value();
  CHECK(figure.source == "measured in our lab");
  CHECK(figure.certainty == Certainty::verified);
  CHECK(find_device("T4", {}, own).memory.value == 16e9);
}

TEST_CASE("a device of the user's own with wrong figures is refused at its key") {
  const auto first_fault = [](const char* key, const Node& value) {
    Node device = object({{"name", Node::of("x")}, {"like", Node::of("T4")}});
    device.set(key, value);
    HardwareOptions options;
    const auto faults = read_hardware(object({{"devices", Node::list({device})}}), options);
    return faults.empty() ? std::string() : faults[0].path + " " + faults[0].hint;
  };
  CHECK(first_fault("memory", Node::of("-1 GB")).starts_with("hardware.devices[0].memory"));
  CHECK(first_fault("price", Node::of("2.5")).starts_with("hardware.devices[0].price"));
  CHECK(first_fault("price", Node::of("2.5 W")).starts_with("hardware.devices[0].price"));
  CHECK(first_fault("like", Node::of("H100-SMX")).find("H100-SXM") != std::string::npos);
  CHECK(first_fault("peak", object({{"bf61", Node::of("1 TFLOP/s")}}))
            .starts_with("hardware.devices[0].peak.bf61"));
  HardwareOptions options;
  const Node bare = object({{"name", Node::of("x")}});
  // Memory, its bandwidth and a peak are missing.
  CHECK(read_hardware(object({{"devices", Node::list({bare})}}), options).size() == 3);
  const Node twin = object({{"name", Node::of("x")}, {"like", Node::of("T4")}});
  CHECK(read_hardware(object({{"devices", Node::list({twin, twin})}}), options).size() == 1);
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
