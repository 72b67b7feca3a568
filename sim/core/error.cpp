#include "core/error.hpp"

#include <string_view>

namespace convoy {

namespace {

/// Whether `message` quotes what was found: "the text \"80 GB\"" is said by "\"80 GB\" is an amount of data".
bool says(std::string_view message, std::string_view found) {
  constexpr std::string_view text = "the text ";
  if (found.starts_with(text)) found.remove_prefix(text.size());
  return message.find(found) != std::string_view::npos;
}

}  // namespace

std::string ConfigFault::to_string() const {
  std::string result;
  if (!file.empty()) {
    result += file;
    if (line > 0) result += ":" + std::to_string(line);
    if (line > 0 && column > 0) result += ":" + std::to_string(column);
    result += ": ";
  }
  if (!path.empty()) result += path + ": ";
  result += message;
  const bool says_found = !found.empty() && !says(message, found) && !path.ends_with(found);
  const bool says_allowed = !allowed.empty() && message.find(allowed) == std::string::npos;
  if (says_found || says_allowed) {
    result += " (";
    if (says_found) result += "found " + found;
    if (says_found && says_allowed) result += "; ";
    if (says_allowed) result += "allowed: " + allowed;
    result += ")";
  }
  if (!hint.empty()) result += "; " + hint;
  return result;
}

namespace {

std::string lines_of(const std::vector<ConfigFault>& faults) {
  std::string result;
  for (const ConfigFault& fault : faults) {
    if (!result.empty()) result += '\n';
    result += fault.to_string();
  }
  return result;
}

}  // namespace

ConfigError::ConfigError(std::vector<ConfigFault> faults)
    : std::runtime_error(lines_of(faults)), faults_(std::move(faults)) {}

}  // namespace convoy
