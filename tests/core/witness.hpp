// What tests of processes watch: a log, and objects that write into it when they die.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/time.hpp"

namespace convoy::test {

using Log = std::vector<std::string>;

inline Duration ns(std::int64_t count) {
  return Duration::nanoseconds(count);
}

/// Writes its name when it is destroyed.
class Witness {
 public:
  Witness(Log& log, std::string name) : log_(&log), name_(std::move(name)) {}
  Witness(Witness&& other) noexcept
      : log_(std::exchange(other.log_, nullptr)), name_(std::move(other.name_)) {}
  Witness& operator=(Witness&&) = delete;
  ~Witness() {
    if (log_ != nullptr) log_->push_back(name_);
  }

 private:
  Log* log_;
  std::string name_;
};

}  // namespace convoy::test
