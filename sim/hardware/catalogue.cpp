#include "hardware/catalogue.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/error.hpp"
#include "core/nearest_word.hpp"
#include "hardware/catalogue_rows.hpp"

namespace convoy {

namespace {

constexpr std::string_view format_names[number_formats] = {"fp64", "fp32", "tf32", "bf16",
                                                           "fp16", "fp8",  "int8"};

Figure figure_of(const CatalogueRow& row, Dimension dimension) {
  return {.value = parse_quantity(row.value, dimension),
          .certainty = row.certainty == "verified" ? Certainty::verified : Certainty::general_knowledge,
          .source = std::string(row.source)};
}

[[noreturn]] void reject(const CatalogueRow& row) {
  throw std::logic_error("configs/hardware: " + std::string(row.name) + " has the unknown member " +
                         std::string(row.key));
}

Interconnect interconnect_of(const CatalogueRow& row) {
  for (const auto& [word, kind] : interconnect_words()) {
    if (word == row.value) return kind;
  }
  reject(row);
}

void set_member(DeviceSpec& device, const CatalogueRow& row) {
  if (row.key == "about") {
    device.about = row.value;
  } else if (row.key == "interconnect") {
    device.interconnect = interconnect_of(row);
  } else if (row.key == "peer_to_peer") {
    device.peer_to_peer = row.value == "ON";  // as CMake spells true
  } else {
    const auto [figure, dimension] = device.figure(row.key);
    if (figure == nullptr) reject(row);
    *figure = figure_of(row, dimension);
  }
}

void set_member(LinkKind& link, const CatalogueRow& row) {
  if (row.key == "about") {
    link.about = row.value;
  } else if (row.key == "bandwidth") {
    link.bandwidth = figure_of(row, Dimension::bandwidth);
  } else if (row.key == "effective_bandwidth") {
    link.effective_bandwidth = figure_of(row, Dimension::bandwidth);
  } else if (row.key == "latency") {
    link.latency = figure_of(row, Dimension::time);
  } else {
    reject(row);
  }
}

/// The rows of one name each make one entry; entries by name ascending.
template <class Entry>
std::vector<Entry> assemble(std::span<const CatalogueRow> rows) {
  std::vector<Entry> entries;
  for (const CatalogueRow& row : rows) {
    if (entries.empty() || entries.back().name != row.name) {
      entries.emplace_back().name = row.name;
    }
    set_member(entries.back(), row);
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

}  // namespace

std::string_view name_of(NumberFormat format) {
  return format_names[static_cast<std::size_t>(format)];
}

std::vector<std::pair<std::string, NumberFormat>> number_format_words() {
  std::vector<std::pair<std::string, NumberFormat>> words;
  for (std::size_t i = 0; i < number_formats; ++i) {
    words.emplace_back(format_names[i], static_cast<NumberFormat>(i));
  }
  return words;
}

std::string_view title_of(Interconnect kind) {
  constexpr std::string_view titles[] = {"NVLink", "PCIe", "Infinity Fabric", "torus links"};
  return titles[static_cast<std::size_t>(kind)];
}

std::vector<std::pair<std::string, Interconnect>> interconnect_words() {
  return {{"nvlink", Interconnect::nvlink},
          {"pcie", Interconnect::pcie},
          {"infinity_fabric", Interconnect::infinity_fabric},
          {"torus", Interconnect::torus}};
}

std::pair<Figure*, Dimension> DeviceSpec::figure(std::string_view key) {
  const auto made = [](std::optional<Figure>& field) { return &(field ? *field : field.emplace()); };
  if (key == "memory") return {&memory, Dimension::bytes};
  if (key == "memory_bandwidth") return {&memory_bandwidth, Dimension::bandwidth};
  if (key == "interconnect_bandwidth") return {&interconnect_bandwidth, Dimension::bandwidth};
  if (key == "power") return {made(power), Dimension::power};
  if (key == "price") return {made(price), Dimension::money_rate};
  for (std::size_t i = 0; i < number_formats; ++i) {
    if (key.starts_with("peak.") && key.substr(5) == format_names[i]) {
      return {made(peak[i]), Dimension::flop_rate};
    }
  }
  return {nullptr, Dimension::time};
}

std::span<const DeviceSpec> devices() {
  static const std::vector<DeviceSpec> all = assemble<DeviceSpec>(device_rows());
  return all;
}

std::span<const LinkKind> links() {
  static const std::vector<LinkKind> all = assemble<LinkKind>(link_rows());
  return all;
}

const DeviceSpec& find_device(std::string_view name, std::string_view path, std::span<const DeviceSpec> own) {
  std::vector<std::string> names;
  for (const std::span<const DeviceSpec> some : {own, devices()}) {
    for (const DeviceSpec& device : some) {
      if (device.name == name) return device;
      names.push_back(device.name);
    }
  }
  ConfigFault fault;
  fault.path = std::string(path);
  fault.message = "no accelerator of the catalogue has that name";
  fault.found = std::string(name);
  fault.allowed = "one of `sim list devices`, or of cluster.hardware.devices";
  fault.hint = nearest_hint(name, names);
  throw ConfigError(std::move(fault));
}

}  // namespace convoy
