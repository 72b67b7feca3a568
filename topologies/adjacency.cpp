#include "topologies/adjacency.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "topologies/weighted_graph.hpp"

namespace convoy {

void Adjacency::add(int from, int to) {
  if (from == to) return;
  std::vector<int>& list = in_[static_cast<std::size_t>(to)];
  const auto place = std::lower_bound(list.begin(), list.end(), from);
  if (place != list.end() && *place == from) return;
  if (++edges_ > most_edges) {
    refuse_graph({}, "the graph of " + std::to_string(size()) + " nodes has too many edges",
                 "at most " + std::to_string(most_edges) + " directed edges");
  }
  list.insert(place, from);
}

bool Adjacency::has(int from, int to) const {
  return std::binary_search(in(to).begin(), in(to).end(), from);
}

void Adjacency::remove(int from, int to) {
  std::vector<int>& list = in_[static_cast<std::size_t>(to)];
  const auto place = std::lower_bound(list.begin(), list.end(), from);
  if (place == list.end() || *place != from) return;
  list.erase(place);
  --edges_;
}

std::vector<std::pair<int, int>> Adjacency::pairs() const {
  std::vector<std::pair<int, int>> result;
  for (int to = 0; to < size(); ++to) {
    for (const int from : in(to)) {
      if (from < to || !has(to, from)) result.emplace_back(std::min(from, to), std::max(from, to));
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

int Adjacency::unreached(bool outwards) const {
  std::vector<std::vector<int>> out;
  if (outwards) {
    out.resize(in_.size());
    for (int to = 0; to < size(); ++to) {
      for (const int from : in(to)) out[static_cast<std::size_t>(from)].push_back(to);
    }
  }
  std::vector<bool> seen(in_.size(), false);
  std::vector<int> queue{0};
  seen[0] = true;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const int next : outwards ? out[static_cast<std::size_t>(queue[i])] : in(queue[i])) {
      if (seen[static_cast<std::size_t>(next)]) continue;
      seen[static_cast<std::size_t>(next)] = true;
      queue.push_back(next);
    }
  }
  const auto found = std::find(seen.begin(), seen.end(), false);
  return found == seen.end() ? -1 : static_cast<int>(found - seen.begin());
}

bool Adjacency::connected() const {
  return unreached(true) < 0 && unreached(false) < 0;
}

std::pair<int, int> Adjacency::cut_off() const {
  if (const int node = unreached(true); node >= 0) return {0, node};
  if (const int node = unreached(false); node >= 0) return {node, 0};
  throw std::logic_error("the graph is connected");
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
