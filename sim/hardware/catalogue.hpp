// Accelerators and links by name, with the source of every figure. The figures stand in configs/hardware.
//
//   const DeviceSpec& device = find_device("A100-SXM-80GB");
//   double peak = device.peak_flops(NumberFormat::bf16).value();   // FLOP/s
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/time.hpp"
#include "core/units.hpp"

namespace convoy {

/// Number format of matrix arithmetic, without sparsity.
enum class NumberFormat { fp64, fp32, tf32, bf16, fp16, fp8, int8 };
inline constexpr std::size_t number_formats = 7;
/// "bf16".
[[nodiscard]] std::string_view name_of(NumberFormat format);
/// Every format with its name, as a choice of options takes them.
[[nodiscard]] std::vector<std::pair<std::string, NumberFormat>> number_format_words();

/// How sure a figure is.
enum class Certainty {
  verified,           ///< read in the named source
  general_knowledge,  ///< from memory of the named kind of source; overridable, not re-checked
};

/// A number with the place it comes from.
struct Figure {
  double value = 0;
  Certainty certainty = Certainty::general_knowledge;
  std::string source{};
};

/// How a device reaches the other devices of its host.
enum class Interconnect { nvlink, pcie, infinity_fabric, torus };
/// "NVLink", for people.
[[nodiscard]] std::string_view title_of(Interconnect kind);
[[nodiscard]] std::vector<std::pair<std::string, Interconnect>> interconnect_words();

/// One accelerator as a data sheet states it. Base units: FLOP/s, B, B/s, W, USD/s.
struct DeviceSpec {
  std::string name{};   ///< "H100-SXM"
  std::string about{};  ///< what is particular, or empty
  std::array<std::optional<Figure>, number_formats>
      peak{};                 ///< FLOP/s by NumberFormat; unset: no such unit, or unknown
  Figure memory{};            ///< B
  Figure memory_bandwidth{};  ///< B/s
  Interconnect interconnect = Interconnect::pcie;  ///< to the other devices of a host
  Figure interconnect_bandwidth{};                 ///< B/s, one direction, all links together
  bool peer_to_peer = true;                        ///< whether devices of a host reach one another directly
  std::optional<Figure> power{};                   ///< W at full load
  std::optional<Figure> price{};                   ///< USD/s, on demand

  /// FLOP/s in that format, or nothing.
  [[nodiscard]] std::optional<double> peak_flops(NumberFormat format) const {
    const std::optional<Figure>& figure = peak[static_cast<std::size_t>(format)];
    return figure ? std::optional<double>(figure->value) : std::nullopt;
  }
  /// The fields a key of configs/hardware names: "memory", "peak.bf16", ... with their dimension; null for no
  /// figure. Makes an unset figure.
  [[nodiscard]] std::pair<Figure*, Dimension> figure(std::string_view key);
};

/// One direction of a link.
struct LinkKind {
  std::string name{};            ///< "NVLink4"
  std::string about{};           ///< "one link of generation 4"
  Figure bandwidth{};            ///< B/s, as specified
  Figure effective_bandwidth{};  ///< B/s that a collective library gets
  Figure latency{};              ///< s
};

/// All devices, by name ascending.
[[nodiscard]] std::span<const DeviceSpec> devices();
/// A device of `own` (a config's), or of the catalogue. Throws ConfigError (path `path`) naming the nearest.
[[nodiscard]] const DeviceSpec& find_device(std::string_view name, std::string_view path = {},
                                            std::span<const DeviceSpec> own = {});
/// All links, by name ascending.
[[nodiscard]] std::span<const LinkKind> links();

}  // namespace convoy
