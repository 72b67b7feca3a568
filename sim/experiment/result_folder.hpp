// DIR of an experiment: who may write it, and how a run's folder appears only when it is complete.
//
//   ResultFolder folder("runs/quickstart");   // makes it, locks it, checks that it can be written
//   folder.publish(run_id, {{"result.json", text}, ...});
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/node.hpp"

namespace convoy {

/// Shard `index` of `count` takes the points whose number is congruent to index modulo count.
struct Shard {
  std::size_t index = 0, count = 1;
  [[nodiscard]] bool whole() const { return count == 1; }
  [[nodiscard]] bool takes(std::size_t point) const { return point % count == index; }
};

/// The folder is locked while this lives, by a lock that dies with the process.
class ResultFolder {
 public:
  /// Throws ConfigError if the folder cannot be made or written, has no space, or is locked by another
  /// process. Removes what dead processes left behind.
  explicit ResultFolder(std::filesystem::path folder, Shard shard = {});
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;
  ~ResultFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }
  using File = std::pair<std::string, std::string>;  // name, content
  /// Writes the files of a run aside and moves them into place at once; an older folder of that run is
  /// replaced. Safe for different runs in several threads. Throws std::runtime_error if the disk does not
  /// take them.
  void publish(const std::string& run_id, const std::vector<File>& files) const;
  /// Writes a file beside the runs, replacing an older one at once. Throws std::runtime_error.
  void write(const std::string& name, const std::string& content) const;

 private:
  void lock(Shard shard);
  void probe() const;
  void sign() const;
  void remove_leftovers() const;

  std::filesystem::path folder_;
  int lock_ = -1;
};

/// The result.json of a run, if its folder in `folder` is complete and readable.
[[nodiscard]] std::optional<Node> read_result(const std::filesystem::path& folder, const std::string& run_id);

}  // namespace convoy
