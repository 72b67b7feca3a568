#include "hardware/catalogue.hpp"

#include <string>

#include "core/error.hpp"
#include "core/options.hpp"

namespace convoy {

namespace {

constexpr double tera = 1e12, giga = 1e9;

// Where figures were read: the tables of two open tools, a constant of NCCL, price lists. Data sheets are the
// vendors', quoted from memory.
constexpr std::string_view tables = "pytorch/torchtitan tools/utils.py or cli99/llm-analysis gpu_configs";
constexpr std::string_view runpod = "RunPod, in the SkyPilot catalogue (catalogs/v6)";
constexpr std::string_view sheet = "vendor's data sheet";
constexpr std::string_view nccl = "NCCL, src/graph/topo.h: bandwidth of a PCIe x16 link";

constexpr Figure read(double value, std::string_view source) {
  return {value, Certainty::verified, source};
}
constexpr Figure recalled(double value, std::string_view source = sheet) {
  return {value, Certainty::general_knowledge, source};
}

// Peaks in the order of NumberFormat: fp64, fp32, tf32, bf16, fp16, fp8, int8. Matrix units where there are
// any.
constexpr DeviceSpec table[] = {
    {.name = "A100-SXM-80GB",
     .peak = {recalled(19.5 * tera), recalled(19.5 * tera), recalled(156 * tera), read(312 * tera, tables),
              read(312 * tera, tables), std::nullopt, recalled(624 * tera)},
     .memory = recalled(80 * giga),
     .memory_bandwidth = read(2039 * giga, tables),
     .interconnect = Interconnect::nvlink,
     .interconnect_bandwidth = read(300 * giga, tables),
     .peer_to_peer = true,
     .power = recalled(400),
     .price = read(2.29, runpod)},
    {.name = "H100-SXM",
     .peak = {recalled(67 * tera), recalled(67 * tera), recalled(495 * tera), read(989 * tera, tables),
              read(989 * tera, tables), recalled(1979 * tera), recalled(1979 * tera)},
     .memory = recalled(80 * giga),
     .memory_bandwidth = read(3350 * giga, tables),
     .interconnect = Interconnect::nvlink,
     .interconnect_bandwidth = read(450 * giga, tables),
     .peer_to_peer = true,
     .power = read(700, tables),
     .price = read(4.69, runpod)},
    {.name = "RTX-4090",
     .peak = {recalled(1.29 * tera), recalled(82.6 * tera), recalled(82.6 * tera), recalled(165 * tera),
              recalled(165 * tera, "vendor's data sheet, accumulating in fp32"), recalled(330 * tera),
              recalled(661 * tera)},
     .memory = recalled(24 * giga),
     .memory_bandwidth = recalled(1008 * giga),
     .interconnect = Interconnect::pcie,
     .interconnect_bandwidth = read(24 * giga, nccl),
     .peer_to_peer = false,
     .power = recalled(450),
     .price = recalled(0.69, "market price")},
    {.name = "T4",
     .peak = {recalled(0.254 * tera), recalled(8.1 * tera), std::nullopt, std::nullopt, recalled(65 * tera),
              std::nullopt, recalled(130 * tera)},
     .memory = recalled(16 * giga),
     .memory_bandwidth = recalled(320 * giga),
     .interconnect = Interconnect::pcie,
     .interconnect_bandwidth = read(12 * giga, nccl),
     .peer_to_peer = true,
     .power = read(70, tables),
     .price = recalled(0.53, "AWS g4dn.xlarge, on demand")},
    {.name = "V100-SXM-16GB",
     .peak = {recalled(7.8 * tera), recalled(15.7 * tera), std::nullopt, std::nullopt,
              read(125 * tera, tables), std::nullopt, std::nullopt},
     .memory = recalled(16 * giga),
     .memory_bandwidth = read(900 * giga, tables),
     .interconnect = Interconnect::nvlink,
     .interconnect_bandwidth = read(150 * giga, tables),
     .peer_to_peer = true,
     .power = recalled(300),
     .price = read(2.86, "Sailor (eth-easl/sailor), GCP price")},
};

}  // namespace

std::string_view name_of(NumberFormat format) {
  constexpr std::string_view names[number_formats] = {"fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8"};
  return names[static_cast<std::size_t>(format)];
}

std::span<const DeviceSpec> devices() {
  return table;
}

const DeviceSpec& find_device(std::string_view name, std::string_view path) {
  std::vector<std::string> names;
  for (const DeviceSpec& device : table) {
    if (device.name == name) return device;
    names.emplace_back(device.name);
  }
  ConfigFault fault;
  fault.path = std::string(path);
  fault.message = "no accelerator of the catalogue has that name";
  fault.found = std::string(name);
  for (const std::string& known : names) fault.allowed += (fault.allowed.empty() ? "" : ", ") + known;
  if (const std::string nearest = nearest_word(name, names); !nearest.empty()) {
    fault.hint = "did you mean \"" + nearest + "\"?";
  }
  throw ConfigError(std::move(fault));
}

}  // namespace convoy
