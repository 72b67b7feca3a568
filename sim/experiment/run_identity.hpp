// What makes a run the run it is: two runs with one id have the same result, bit for bit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "core/hash.hpp"
#include "core/node.hpp"

namespace convoy {

/// Hashes are 32 hexadecimal digits; empty where there is nothing to hash.
struct RunIdentity {
  std::string config;  ///< canonical run config: sorted keys, base units, without label and name
  std::string data;    ///< content of each data file
  std::string plugin;  ///< content of the plug-in that supplies the algorithm
  int results_version = 0;
  std::string instruction_set;  ///< "x86-64-v3"

  /// 16 hexadecimal digits over all five.
  [[nodiscard]] std::string run_id() const;
  [[nodiscard]] Node node() const;
};

/// Hash of a node that does not depend on the order of members; null members count as absent.
void hash_canonical(const Node& node, StableHasher& hasher);

/// Content hashes of files, each computed once while (path, size, time of change) stay the same. Thread-safe.
class FileHashes {
 public:
  /// 32 hexadecimal digits. Throws ConfigError if the file cannot be read.
  [[nodiscard]] std::string of(const std::filesystem::path& file);

 private:
  using Key = std::tuple<std::string, std::uintmax_t, std::filesystem::file_time_type>;
  std::mutex mutex_;
  std::map<Key, std::string> known_;
};

}  // namespace convoy
