#include "topologies/adjacency.hpp"

#include <algorithm>

namespace convoy {

void Adjacency::add(int from, int to) {
  if (from == to) return;
  std::vector<int>& list = in_[static_cast<std::size_t>(to)];
  const auto place = std::lower_bound(list.begin(), list.end(), from);
  if (place == list.end() || *place != from) list.insert(place, from);
}

std::vector<int> Adjacency::out_degrees() const {
  std::vector<int> degrees(in_.size(), 0);
  for (const std::vector<int>& list : in_) {
    for (const int from : list) ++degrees[static_cast<std::size_t>(from)];
  }
  return degrees;
}

bool Adjacency::undirected() const {
  for (int to = 0; to < size(); ++to) {
    for (const int from : in(to)) {
      if (!std::binary_search(in(from).begin(), in(from).end(), to)) return false;
    }
  }
  return true;
}

}  // namespace convoy
