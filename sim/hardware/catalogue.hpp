// Accelerators by name, with the source of every figure.
//
//   const DeviceSpec& device = find_device("A100-SXM-80GB");
//   double peak = device.peak_flops(NumberFormat::bf16).value();   // FLOP/s
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace convoy {

/// Number format of matrix arithmetic, without sparsity.
enum class NumberFormat { fp64, fp32, tf32, bf16, fp16, fp8, int8 };
inline constexpr std::size_t number_formats = 7;
/// "bf16".
[[nodiscard]] std::string_view name_of(NumberFormat format);

/// How sure a figure is.
enum class Certainty {
  verified,           ///< read in the named source
  general_knowledge,  ///< from memory of the named kind of source; overridable, not re-checked
};

/// A number with the place it comes from.
struct Figure {
  double value = 0;
  Certainty certainty = Certainty::general_knowledge;
  std::string_view source;
};

enum class Interconnect { nvlink, pcie };

/// One accelerator as a data sheet states it. Base units: FLOP/s, B, B/s, W, USD/h.
struct DeviceSpec {
  std::string_view name;  ///< "H100-SXM"
  std::array<std::optional<Figure>, number_formats>
      peak;                 ///< FLOP/s by NumberFormat; unset where there is no such unit
  Figure memory;            ///< B
  Figure memory_bandwidth;  ///< B/s
  Interconnect interconnect = Interconnect::pcie;  ///< to the other devices of a host
  Figure interconnect_bandwidth;                   ///< B/s, one direction, all links together
  bool peer_to_peer = true;                        ///< whether devices of a host reach one another directly
  Figure power;                                    ///< W at full load
  Figure price;                                    ///< USD/h, on demand

  /// FLOP/s in that format, or nothing.
  [[nodiscard]] std::optional<double> peak_flops(NumberFormat format) const {
    const std::optional<Figure>& figure = peak[static_cast<std::size_t>(format)];
    return figure ? std::optional<double>(figure->value) : std::nullopt;
  }
};

/// All devices, by name ascending.
[[nodiscard]] std::span<const DeviceSpec> devices();
/// Throws ConfigError (path `path`) naming the nearest device.
[[nodiscard]] const DeviceSpec& find_device(std::string_view name, std::string_view path = {});

}  // namespace convoy
