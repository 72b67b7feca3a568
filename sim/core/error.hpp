// What a user wrote wrong: one fault each, collected so that all are reported at once.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace convoy {

/// One fault of a config: where it is, what was found, what is allowed and the likely intent.
struct ConfigFault {
  std::string path;     ///< JSON path such as "cluster.links[3].bandwidth"; empty for the whole file
  std::string message;  ///< what is wrong, in one sentence without a final stop
  std::string found;    ///< the offending text, shortened; empty if nothing was there
  std::string allowed;  ///< what is allowed; may be empty
  std::string hint;     ///< the likely intent ("did you mean ..."); may be empty
  std::string file;     ///< file name; empty if none
  int line = 0;         ///< from 1; 0 if unknown
  int column = 0;       ///< from 1, in bytes; 0 if unknown

  /// "file:line:column: path: message (found ...; allowed: ...); hint" on one line. Left out are empty parts,
  /// and what is found or allowed if path or message say it already.
  [[nodiscard]] std::string to_string() const;
};

/// Thrown with every fault found. what() is one line a fault.
class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(std::vector<ConfigFault> faults);
  explicit ConfigError(ConfigFault fault) : ConfigError(std::vector<ConfigFault>{std::move(fault)}) {}
  [[nodiscard]] const std::vector<ConfigFault>& faults() const { return faults_; }

 private:
  std::vector<ConfigFault> faults_;
};

}  // namespace convoy
