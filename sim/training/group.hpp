// The members of a collective: an immutable list of workers, made at any time for nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace convoy {

/// Worker indices, ascending. Copies share the list; two groups made apart are different groups, whatever
/// their members.
class Group {
 public:
  Group(std::uint64_t number, std::vector<int> members)
      : number_(number), members_(std::make_shared<const std::vector<int>>(std::move(members))) {}

  [[nodiscard]] const std::vector<int>& members() const { return *members_; }
  [[nodiscard]] int size() const { return static_cast<int>(members_->size()); }
  /// Names the group within its run.
  [[nodiscard]] std::uint64_t number() const { return number_; }

 private:
  std::uint64_t number_;
  std::shared_ptr<const std::vector<int>> members_;
};

}  // namespace convoy
