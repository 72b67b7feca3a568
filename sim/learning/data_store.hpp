// Finds and reads data sets, each once; shared by all runs of a process.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learning/data/text.hpp"
#include "learning/data_set.hpp"

namespace convoy {

/// Thread-safe. Data live as long as somebody holds them or the store.
class DataStore {
 public:
  /// `roots` are searched in order, see `files`.
  explicit DataStore(std::vector<std::filesystem::path> roots = {});
  ~DataStore();
  DataStore(const DataStore&) = delete;
  DataStore& operator=(const DataStore&) = delete;

  /// Reads the data set on first use. Two threads that ask for the same one get the same object; different
  /// ones are read at the same time. Throws DataError; a later call tries again.
  [[nodiscard]] std::shared_ptr<const DataSet> load(DataKind kind,
                                                    const std::optional<std::string>& folder = {});
  /// The same for a kind of which is_text is true.
  [[nodiscard]] std::shared_ptr<const TextCorpus> load_text(DataKind kind,
                                                            const std::optional<std::string>& folder = {});
  /// The files that `load` reads, in a fixed order: for hashing. With `folder` (absolute, or relative to a
  /// root) only there; else in <root>/<name> and <root>/<name with - for _> of each root (kjv: <root>/text),
  /// then in the roots themselves (for fashion_mnist only one with "fashion" in its name, for mnist only one
  /// without). Each file may be plain or gzip, with or without ".gz". Throws DataError naming what was looked
  /// for and where.
  [[nodiscard]] std::vector<std::filesystem::path> files(DataKind kind,
                                                         const std::optional<std::string>& folder = {}) const;

 private:
  struct Entry;
  [[nodiscard]] std::shared_ptr<Entry> entry(DataKind kind, const std::filesystem::path& first);
  std::vector<std::filesystem::path> roots_;
  std::mutex mutex_;
  std::map<std::pair<DataKind, std::string>, std::shared_ptr<Entry>> entries_;
};

/// Where to look by default: the config's folder, then the "data" and "configs/data" folders beside it and
/// each of its parents, `environment` (the value of CONVOY_DATA, if set), and /usr/share/datasets (Debian's
/// dataset packages).
[[nodiscard]] std::vector<std::filesystem::path> default_data_roots(
    const std::filesystem::path& config_folder, const char* environment = nullptr);

}  // namespace convoy
