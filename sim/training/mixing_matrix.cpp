#include "training/mixing_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/error.hpp"

namespace convoy {

namespace {

constexpr double tolerance = 1e-12;

std::string remedy_text(MixingProperty property) {
  switch (property) {
    case MixingProperty::nonnegative:
      return "weights have to be >= 0";
    case MixingProperty::row_stochastic:
      return "each row has to sum to 1; a matrix that is column stochastic only needs a push-sum algorithm";
    case MixingProperty::column_stochastic:
      return "each column has to sum to 1, or the mean drifts; metropolis and max_degree weights do on "
             "undirected graphs";
    case MixingProperty::connected:
      return "some node never hears of some other";
    case MixingProperty::aperiodic:
      return "give some node a weight on itself";
    case MixingProperty::symmetric:
      return "choose an undirected graph with metropolis or max_degree weights";
  }
  return {};
}

/// Steps from node 0 along out_neighbours (or in_neighbours); -1 where there is no way.
std::vector<int> levels(const MixingMatrix& w, bool outwards) {
  std::vector<int> level(static_cast<std::size_t>(w.size()), -1);
  std::vector<int> queue{0};
  level[0] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const int at = queue[i];
    for (const int next : outwards ? w.out_neighbours(at) : w.in_neighbours(at)) {
      int& there = level[static_cast<std::size_t>(next)];
      if (there >= 0) continue;
      there = level[static_cast<std::size_t>(at)] + 1;
      queue.push_back(next);
    }
  }
  return level;
}

bool strongly_connected(const MixingMatrix& w) {
  const auto reaches_all = [&](bool outwards) {
    const std::vector<int> level = levels(w, outwards);
    return std::find(level.begin(), level.end(), -1) == level.end();
  };
  return reaches_all(true) && reaches_all(false);
}

/// Greatest common divisor of the lengths of cycles through the nodes that 0 reaches: that of
/// level(i) + 1 - level(j) over the edges from i to j (Denardo, SIAM J. Algebraic Discrete Methods 1977).
bool aperiodic(const MixingMatrix& w) {
  const std::vector<int> level = levels(w, true);
  int divisor = 0;
  for (int i = 0; i < w.size(); ++i) {
    if (w.weight(i, i) != 0) return true;
    for (const int j : w.out_neighbours(i)) {
      const int from = level[static_cast<std::size_t>(i)], to = level[static_cast<std::size_t>(j)];
      if (from >= 0 && to >= 0) divisor = std::gcd(divisor, std::abs(from + 1 - to));
    }
  }
  return divisor == 1;
}

bool close(double a, double b) {
  return std::abs(a - b) <= tolerance;
}

}  // namespace

std::string_view name_of(MixingProperty property) {
  switch (property) {
    case MixingProperty::nonnegative:
      return "nonnegative";
    case MixingProperty::row_stochastic:
      return "row stochastic";
    case MixingProperty::column_stochastic:
      return "column stochastic";
    case MixingProperty::connected:
      return "connected";
    case MixingProperty::aperiodic:
      return "aperiodic";
    case MixingProperty::symmetric:
      return "symmetric";
  }
  return {};
}

MixingMatrix::MixingMatrix(std::string graph, std::vector<std::vector<Entry>> rows)
    : graph_(std::move(graph)), row_begin_{0}, in_begin_{0}, out_begin_{0} {
  const int n = static_cast<int>(rows.size());
  if (n == 0) throw std::logic_error("a mixing matrix of no nodes");
  std::vector<std::vector<int>> listeners(rows.size());
  for (int i = 0; i < n; ++i) {
    std::vector<Entry>& row = rows[static_cast<std::size_t>(i)];
    std::sort(row.begin(), row.end(), [](const Entry& a, const Entry& b) { return a.node < b.node; });
    bool has_self = false;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const Entry& entry = row[k];
      if (entry.node < 0 || entry.node >= n)
        throw std::logic_error("a mixing weight on a node that does not exist");
      if (k > 0 && row[k - 1].node == entry.node)
        throw std::logic_error("two mixing weights of one pair of nodes");
      if (!std::isfinite(entry.weight)) throw std::logic_error("a mixing weight that is not finite");
      if (!has_self && entry.node >= i) {
        has_self = true;
        if (entry.node > i) entries_.push_back({i, 0});
      }
      if (entry.node == i) {
        entries_.push_back(entry);
      } else if (entry.weight != 0) {
        entries_.push_back(entry);
        in_.push_back(entry.node);
        listeners[static_cast<std::size_t>(entry.node)].push_back(i);
      }
    }
    if (!has_self) entries_.push_back({i, 0});
    row_begin_.push_back(entries_.size());
    in_begin_.push_back(in_.size());
  }
  for (const std::vector<int>& list : listeners) {
    out_.insert(out_.end(), list.begin(), list.end());
    out_begin_.push_back(out_.size());
  }
}

std::span<const MixingMatrix::Entry> MixingMatrix::row(int i) const {
  return part(entries_, row_begin_, i);
}
std::span<const int> MixingMatrix::in_neighbours(int i) const {
  return part(in_, in_begin_, i);
}
std::span<const int> MixingMatrix::out_neighbours(int i) const {
  return part(out_, out_begin_, i);
}

double MixingMatrix::weight(int i, int j) const {
  const std::span<const Entry> entries = row(i);
  const auto found = std::lower_bound(entries.begin(), entries.end(), j,
                                      [](const Entry& entry, int node) { return entry.node < node; });
  return found != entries.end() && found->node == j ? found->weight : 0;
}

bool MixingMatrix::has(MixingProperty property) const {
  switch (property) {
    case MixingProperty::nonnegative:
      return std::all_of(entries_.begin(), entries_.end(),
                         [](const Entry& entry) { return entry.weight >= 0; });
    case MixingProperty::row_stochastic:
      for (int i = 0; i < size(); ++i) {
        double sum = 0;
        for (const Entry& entry : row(i)) sum += entry.weight;
        if (!close(sum, 1)) return false;
      }
      return true;
    case MixingProperty::column_stochastic: {
      std::vector<double> sums(static_cast<std::size_t>(size()), 0);
      for (const Entry& entry : entries_) sums[static_cast<std::size_t>(entry.node)] += entry.weight;
      return std::all_of(sums.begin(), sums.end(), [](double sum) { return close(sum, 1); });
    }
    case MixingProperty::connected:
      return strongly_connected(*this);
    case MixingProperty::aperiodic:
      return aperiodic(*this);
    case MixingProperty::symmetric:
      for (int i = 0; i < size(); ++i) {
        for (const Entry& entry : row(i)) {
          if (!close(entry.weight, weight(entry.node, i))) return false;
        }
      }
      return true;
  }
  return false;
}

void MixingMatrix::require(std::initializer_list<MixingProperty> properties, std::string_view who) const {
  std::vector<ConfigFault> faults;
  for (const MixingProperty property : properties) {
    if (has(property)) continue;
    ConfigFault fault;
    fault.path = "graph";
    fault.message = std::string(who) + " needs a mixing matrix that is " + std::string(name_of(property)) +
                    ", and that of \"" + graph_ + "\" with " + std::to_string(size()) + " nodes is not";
    fault.hint = remedy_text(property);
    faults.push_back(std::move(fault));
  }
  if (!faults.empty()) throw ConfigError(std::move(faults));
}

std::string remedy_of(MixingProperty property) {
  return remedy_text(property);
}

std::pair<int, int> MixingMatrix::cut_off() const {
  for (const bool outwards : {true, false}) {
    const std::vector<int> level = levels(*this, outwards);
    const auto found = std::find(level.begin(), level.end(), -1);
    if (found == level.end()) continue;
    const int other = static_cast<int>(found - level.begin());
    return outwards ? std::pair(0, other) : std::pair(other, 0);
  }
  throw std::logic_error("the graph is connected");
}

MixingMatrix MixingMatrix::transposed() const {
  std::vector<std::vector<Entry>> rows(static_cast<std::size_t>(size()));
  for (int i = 0; i < size(); ++i) {
    for (const Entry& entry : row(i)) rows[static_cast<std::size_t>(entry.node)].push_back({i, entry.weight});
  }
  return MixingMatrix(graph_, std::move(rows));
}

}  // namespace convoy
