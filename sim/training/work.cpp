#include "training/work.hpp"

#include <algorithm>
#include <stdexcept>

namespace convoy {

void Credits::add(int worker, WorkAmount amount) {
  const auto place = std::lower_bound(amounts_.begin(), amounts_.end(), worker,
                                      [](const auto& entry, int key) { return entry.first < key; });
  if (place != amounts_.end() && place->first == worker) {
    place->second += amount;
  } else {
    amounts_.insert(place, {worker, amount});
  }
}

void Credits::add(Credits&& other) {
  if (amounts_.empty()) {
    amounts_ = std::move(other.amounts_);
  } else {
    for (const auto& [worker, amount] : other.amounts_) add(worker, amount);
  }
  other.amounts_.clear();
}

std::int64_t Credits::steps() const {
  std::int64_t sum = 0;
  for (const auto& [worker, amount] : amounts_) sum += amount.steps;
  return sum;
}

WorkAccount::WorkAccount(int workers) : rows_(static_cast<std::size_t>(workers)) {}

Credits WorkAccount::computed(int worker, Duration time) {
  const WorkAmount amount{1, time};
  rows_.at(static_cast<std::size_t>(worker)).computed += amount;
  ++computed_steps_;
  Credits work;
  work.add(worker, amount);
  return work;
}

void WorkAccount::merge(Credits&& work) {
  for (const auto& [worker, amount] : work.amounts_)
    rows_.at(static_cast<std::size_t>(worker)).merged += amount;
  work.amounts_.clear();
}

void WorkAccount::discard(Credits&& work, std::string_view reason) {
  for (const auto& [worker, amount] : work.amounts_) {
    rows_.at(static_cast<std::size_t>(worker)).discarded[std::string(reason)] += amount;
  }
  work.amounts_.clear();
}

std::vector<WorkAccount::Row> WorkAccount::rows() const {
  std::vector<Row> rows = rows_;
  for (Row& row : rows) {
    WorkAmount rest = row.computed;
    rest.steps -= row.merged.steps;
    rest.time -= row.merged.time;
    for (const auto& [reason, amount] : row.discarded) {
      rest.steps -= amount.steps;
      rest.time -= amount.time;
    }
    if (rest.steps < 0 || rest.time < Duration::zero()) {
      throw std::logic_error("a work credit was spent twice: more steps merged and discarded than computed");
    }
    row.in_flight_at_end = rest;
  }
  return rows;
}

WorkAccount::Row WorkAccount::total() const {
  Row sum;
  for (const Row& row : rows()) {
    sum.computed += row.computed;
    sum.merged += row.merged;
    sum.in_flight_at_end += row.in_flight_at_end;
    for (const auto& [reason, amount] : row.discarded) sum.discarded[reason] += amount;
  }
  return sum;
}

}  // namespace convoy
