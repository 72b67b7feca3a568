#include "hardware/device_options.hpp"

#include <algorithm>
#include <set>

#include "core/error.hpp"
#include "core/nearest_word.hpp"

namespace convoy {

namespace {

constexpr const char* own_source = "the config";
constexpr const char* figure_type = "quantity, or {\"value\": quantity, \"source\", \"certainty\"}";

/// A figure with its source, as configs/hardware writes it.
struct WrittenFigure {
  double value = 0;
  Certainty certainty = Certainty::general_knowledge;
  std::string source = own_source;
  Dimension dimension;

  explicit WrittenFigure(Dimension of) : dimension(of) {}
  void declare(Options& options) {
    options.add("value", value, dimension).required().more_than(0).help("the figure");
    options.add("source", source).help("where it was read, or a key of \"sources\"");
    options
        .add("certainty", certainty,
             {{"verified", Certainty::verified}, {"general knowledge", Certainty::general_knowledge}})
        .help("verified: read in the source; general knowledge: from memory");
  }
};

void read_figure(const Node& node, const std::string& path, FaultSink& faults, const std::string& key,
                 std::map<std::string, Figure>& figures) {
  DeviceSpec unused;
  WrittenFigure written(unused.figure(key).second);
  if (node.is_object()) {
    read_options(node, path, written, faults);
  } else if (!read_value(node, path, written.value, written.dimension, faults, Option().more_than(0))) {
    return;
  }
  figures[key] = Figure{.value = written.value, .certainty = written.certainty, .source = written.source};
}

Node write_figure(const std::map<std::string, Figure>& figures, const std::string& key) {
  const auto found = figures.find(key);
  if (found == figures.end()) return {};
  DeviceSpec unused;
  Node node = Node::object();
  node.set("value", Node::of(format_exact(found->second.value, unused.figure(key).second)));
  node.set("source", Node::of(found->second.source));
  node.set("certainty",
           Node::of(found->second.certainty == Certainty::verified ? "verified" : "general knowledge"));
  return node;
}

void read_peaks(const Node& node, const std::string& path, FaultSink& faults,
                std::map<std::string, Figure>& figures) {
  if (!node.is_object()) {
    faults.add(node, path, "must be an object", "{\"bf16\": \"312 TFLOP/s\"}");
    return;
  }
  std::vector<std::string> formats;
  std::string allowed;
  for (const auto& entry : number_format_words()) {
    formats.push_back(entry.first);
    allowed += (allowed.empty() ? "" : ", ") + entry.first;
  }
  for (const Node::Member& member : node.members) {
    if (std::find(formats.begin(), formats.end(), member.key) == formats.end()) {
      faults.add(member.value, path + "." + member.key, "is no number format", allowed,
                 nearest_hint(member.key, formats));
      continue;
    }
    read_figure(member.value, path + "." + member.key, faults, "peak." + member.key, figures);
  }
}

Node write_peaks(const std::map<std::string, Figure>& figures) {
  Node peaks = Node::object();
  for (const auto& entry : figures) {
    if (entry.first.starts_with("peak."))
      peaks.set(entry.first.substr(5), write_figure(figures, entry.first));
  }
  return peaks.members.empty() ? Node() : peaks;
}

}  // namespace

void DeviceOptions::declare(Options& options) {
  options.add("name", name).required().help("as \"devices\" of a cluster names it");
  options.add("like", like).help("device of the catalogue that gives what is left out");
  options.add("about", about).help("what is particular");
  options
      .custom(
          "peak", "object of number format -> computing rate",
          [this](const Node& node, const std::string& path, FaultSink& faults) {
            read_peaks(node, path, faults, figures);
          },
          [this] { return write_peaks(figures); })
      .help("dense peaks, of matrix units where there are any: {\"bf16\": \"312 TFLOP/s\"}");
  const auto figure = [&](const char* key, const char* help) {
    options
        .custom(
            key, figure_type,
            [this, key](const Node& node, const std::string& path, FaultSink& faults) {
              read_figure(node, path, faults, key, figures);
            },
            [this, key] { return write_figure(figures, key); })
        .help(help);
  };
  figure("memory", "of the device");
  figure("memory_bandwidth", "of that memory");
  options.add("interconnect", interconnect, interconnect_words()).help("to the other devices of a host");
  figure("interconnect_bandwidth", "one direction, all links together");
  options.add("peer_to_peer", peer_to_peer).help("whether devices of a host reach one another directly");
  figure("power", "at full load");
  figure("price", "on demand");
  options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
    if (like) {
      const std::vector<std::string> names = HardwareOptions().known_names();
      if (std::find(names.begin(), names.end(), *like) != names.end()) return;
      const Node* written = whole.find("like");
      faults.add(written != nullptr ? *written : whole, path + ".like", "no device has that name",
                 "see `sim list devices`", nearest_hint(*like, names));
      return;
    }
    for (const char* key : {"memory", "memory_bandwidth"}) {
      if (figures.contains(key)) continue;
      faults.add(whole, path + "." + key, "is missing", "a figure, or \"like\": a device that gives it");
    }
    if (std::none_of(figures.begin(), figures.end(),
                     [](const auto& entry) { return entry.first.starts_with("peak."); })) {
      faults.add(whole, path + ".peak", "is missing", "a figure, or \"like\": a device that gives it");
    }
  });
}

DeviceSpec DeviceOptions::spec() const {
  DeviceSpec device = like ? find_device(*like, "cluster.hardware.devices") : DeviceSpec{};
  device.name = name;
  if (about) device.about = *about;
  if (interconnect) device.interconnect = *interconnect;
  if (peer_to_peer) device.peer_to_peer = *peer_to_peer;
  for (const auto& [key, figure] : figures) *device.figure(key).first = figure;
  return device;
}

void HardwareOptions::declare(Options& options) {
  options.add("about", about).help("what the figures are");
  options.add("sources", sources).help("long names of the sources that figures name");
  options.add("devices", devices).help("new devices, or those of the catalogue with other figures");
  options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (seen.insert(devices[i].name).second) continue;
      const std::string place = path + ".devices[" + std::to_string(i) + "].name";
      faults.add(whole.find("devices")->items[i], place,
                 "repeats the device name " + in_quotes(devices[i].name));
    }
  });
}

std::vector<std::string> HardwareOptions::known_names() const {
  std::vector<std::string> names;
  for (const DeviceOptions& device : devices) names.push_back(device.name);
  for (const DeviceSpec& device : convoy::devices()) names.push_back(device.name);
  return names;
}

std::vector<DeviceSpec> HardwareOptions::specs() const {
  std::vector<DeviceSpec> result;
  for (const DeviceOptions& device : devices) {
    DeviceSpec& spec = result.emplace_back(device.spec());
    for (const auto& entry : device.figures) {
      Figure& figure = *spec.figure(entry.first).first;
      if (const auto source = sources.find(figure.source); source != sources.end()) {
        figure.source = source->second;
      }
    }
  }
  return result;
}

}  // namespace convoy
