// Devices that a cluster describes itself: new ones, or those of the catalogue with other figures.
//
//   "hardware": {"devices": [{"name": "H100-SXM", "like": "H100-SXM", "price": "2.5 USD/h"},
//                            {"name": "Prototype", "peak": {"bf16": "500 TFLOP/s"}, "memory": "64 GB",
//                             "memory_bandwidth": "2 TB/s"}]}
//
// or "hardware": "mine.json", a file in the form of configs/hardware.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/options.hpp"
#include "hardware/catalogue.hpp"

namespace convoy {

/// One device; what it leaves out is that of the device that it is `like`.
struct DeviceOptions {
  std::string name;
  std::optional<std::string> like;
  std::optional<std::string> about;
  std::optional<Interconnect> interconnect;
  std::optional<bool> peer_to_peer;
  std::map<std::string, Figure> figures;  ///< by key of DeviceSpec::figure
  void declare(Options& options);

  /// Throws ConfigError where `like` names no device.
  [[nodiscard]] DeviceSpec spec() const;
};

struct HardwareOptions {
  std::optional<std::string> about;
  std::map<std::string, std::string> sources;  ///< long names of the figures' sources
  std::vector<DeviceOptions> devices;
  void declare(Options& options);

  /// Names that a cluster can give its devices: these, and the catalogue's.
  [[nodiscard]] std::vector<std::string> known_names() const;
  /// The devices, in the order written.
  [[nodiscard]] std::vector<DeviceSpec> specs() const;
};

}  // namespace convoy
