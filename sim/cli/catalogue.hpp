// Everything that a config can name, by category: what `sim list` and `sim describe` show.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "training/algorithm.hpp"

namespace convoy::cli {

struct CatalogueEntry {
  std::string category;                 ///< "algorithms"
  std::string name;                     ///< "halos"
  std::string about;                    ///< one line; may be empty
  std::function<std::string()> detail;  ///< what `sim describe` prints below the title
};

struct Category {
  std::string name, about;
};

/// algorithms, graphs, fabrics, variations, optimizers, schedules, compressors, models, datasets, partitions,
/// devices, stand_ins, blocks.
[[nodiscard]] const std::vector<Category>& categories();
/// All entries of all categories, in the order of the categories, by name in each. The registry must outlive
/// it.
[[nodiscard]] std::vector<CatalogueEntry> catalogue(const Registry& registry);

}  // namespace convoy::cli
