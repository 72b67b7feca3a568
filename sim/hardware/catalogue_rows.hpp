// The figures of configs/hardware as text, embedded when the command is built (catalogue.cmake).
#pragma once

#include <span>
#include <string_view>

namespace convoy {

/// One member of a device or a link. Those of one name are adjacent.
struct CatalogueRow {
  std::string_view name;
  std::string_view key;                ///< "memory", "peak.bf16", "interconnect"
  std::string_view value;              ///< "80 GB", "nvlink", "ON"
  std::string_view certainty, source;  ///< empty where the member is no figure
};

[[nodiscard]] std::span<const CatalogueRow> device_rows();
[[nodiscard]] std::span<const CatalogueRow> link_rows();

}  // namespace convoy
