#include "network/ring_order.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <unordered_map>

namespace convoy {

namespace {

constexpr int most_sites_exact = 9;
constexpr int most_sites_searched = 512;
constexpr int most_exchanges = 64;

/// How good a cyclic order is; better is greater.
struct Quality {
  double slowest = 0;        ///< B/s
  int slowest_edges = 0;     ///< edges as slow as that
  std::int64_t latency = 0;  ///< ns, summed
  [[nodiscard]] bool better_than(const Quality& other) const {
    if (slowest != other.slowest) return slowest > other.slowest;
    return latency < other.latency;
  }
  /// Fewer slowest edges count too: the way to a faster slowest edge.
  [[nodiscard]] bool step_up_from(const Quality& other) const {
    if (slowest != other.slowest) return slowest > other.slowest;
    if (slowest_edges != other.slowest_edges) return slowest_edges < other.slowest_edges;
    return latency < other.latency;
  }
};

/// Routes from the last member of each site to the first member of each other.
class Sites {
 public:
  Sites(const NetworkGraph& graph, std::span<const NodeId> members,
        const std::vector<std::vector<int>>& groups)
      : count_(static_cast<int>(groups.size())), edges_(groups.size() * groups.size()) {
    double inside = std::numeric_limits<double>::infinity();
    const auto member = [&](int position) { return members[static_cast<std::size_t>(position)]; };
    for (const std::vector<int>& group : groups) {
      for (std::size_t i = 1; i < group.size(); ++i) {
        inside = std::min(inside, graph.path(member(group[i - 1]), member(group[i])).bandwidth);
      }
    }
    for (int a = 0; a < count_; ++a) {
      for (int b = 0; b < count_; ++b) {
        if (a == b) continue;
        const PathSummary path = graph.path(member(groups[static_cast<std::size_t>(a)].back()),
                                            member(groups[static_cast<std::size_t>(b)].front()));
        // No order makes the ring faster than the edges inside the sites.
        edges_[index(a, b)] = {std::min(path.bandwidth, inside), path.latency.count()};
      }
    }
  }
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] double bandwidth(int a, int b) const { return edges_[index(a, b)].bandwidth; }
  [[nodiscard]] std::int64_t latency(int a, int b) const { return edges_[index(a, b)].latency; }

  [[nodiscard]] Quality quality(const std::vector<int>& order) const {
    Quality q{.slowest = std::numeric_limits<double>::infinity(), .slowest_edges = 0, .latency = 0};
    for (std::size_t i = 0; i < order.size(); ++i) {
      const int a = order[i], b = order[(i + 1) % order.size()];
      if (bandwidth(a, b) < q.slowest) q.slowest = bandwidth(a, b), q.slowest_edges = 0;
      if (bandwidth(a, b) == q.slowest) ++q.slowest_edges;
      q.latency += latency(a, b);
    }
    return q;
  }
  /// No cycle is faster than this: each site is entered and left once.
  [[nodiscard]] double bound() const {
    double bound = std::numeric_limits<double>::infinity();
    for (int a = 0; a < count_; ++a) {
      double out = 0, in = 0;
      for (int b = 0; b < count_; ++b) {
        if (a == b) continue;
        out = std::max(out, bandwidth(a, b));
        in = std::max(in, bandwidth(b, a));
      }
      bound = std::min({bound, out, in});
    }
    return bound;
  }

 private:
  struct Edge {
    double bandwidth = 0;
    std::int64_t latency = 0;
  };
  [[nodiscard]] std::size_t index(int a, int b) const {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(count_) + static_cast<std::size_t>(b);
  }
  int count_;
  std::vector<Edge> edges_;
};

/// Tries every cyclic order that starts at site 0, in lexicographic order; branches that cannot win are cut.
class ExactSearch {
 public:
  explicit ExactSearch(const Sites& sites) : sites_(sites), order_(static_cast<std::size_t>(sites.count())) {
    std::iota(order_.begin(), order_.end(), 0);
    best_order_ = order_;
    best_ = sites.quality(order_);
    descend(1, std::numeric_limits<double>::infinity(), 0);
  }
  [[nodiscard]] const std::vector<int>& best() const { return best_order_; }

 private:
  void descend(std::size_t depth, double slowest, std::int64_t latency) {
    if (slowest < best_.slowest || (slowest == best_.slowest && latency >= best_.latency)) return;
    if (depth == order_.size()) {
      const Quality quality = sites_.quality(order_);
      if (quality.better_than(best_)) best_ = quality, best_order_ = order_;
      return;
    }
    for (std::size_t i = depth; i < order_.size(); ++i) {
      // Moves the i-th to the front of the rest and keeps the order of the others, so that orders stay
      // lexicographic.
      std::rotate(order_.begin() + static_cast<std::ptrdiff_t>(depth),
                  order_.begin() + static_cast<std::ptrdiff_t>(i),
                  order_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      const int a = order_[depth - 1], b = order_[depth];
      descend(depth + 1, std::min(slowest, sites_.bandwidth(a, b)), latency + sites_.latency(a, b));
      std::rotate(order_.begin() + static_cast<std::ptrdiff_t>(depth),
                  order_.begin() + static_cast<std::ptrdiff_t>(depth) + 1,
                  order_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
  }
  const Sites& sites_;
  std::vector<int> order_, best_order_;
  Quality best_;
};

/// Takes the widest edges first (the slower way of each counts), as long as no site has more than two and no
/// cycle closes early; then the better way round.
std::vector<int> greedy_order(const Sites& sites) {
  struct Edge {
    int a, b;
    double bandwidth;
    std::int64_t latency;
  };
  const int n = sites.count();
  std::vector<Edge> edges;
  for (int a = 0; a < n; ++a) {
    for (int b = a + 1; b < n; ++b) {
      edges.push_back({a, b, std::min(sites.bandwidth(a, b), sites.bandwidth(b, a)), sites.latency(a, b)});
    }
  }
  std::stable_sort(edges.begin(), edges.end(), [](const Edge& x, const Edge& y) {
    return x.bandwidth != y.bandwidth ? x.bandwidth > y.bandwidth : x.latency < y.latency;
  });
  std::vector<std::vector<int>> joined(static_cast<std::size_t>(n));
  std::vector<int> other_end(static_cast<std::size_t>(n));  // of the path that ends at a site
  std::iota(other_end.begin(), other_end.end(), 0);
  for (const auto& [a, b, bandwidth, latency] : edges) {
    const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
    if (joined[x].size() == 2 || joined[y].size() == 2 || other_end[x] == b) continue;
    joined[x].push_back(b);
    joined[y].push_back(a);
    const int left = other_end[x], right = other_end[y];
    other_end[static_cast<std::size_t>(left)] = right;
    other_end[static_cast<std::size_t>(right)] = left;
  }
  // One path over all sites is left: walk it from an end.
  const auto end =
      std::find_if(joined.begin(), joined.end(), [](const auto& list) { return list.size() == 1; });
  std::vector<int> order;
  for (int at = static_cast<int>(end - joined.begin()), before = -1; at >= 0;) {
    order.push_back(at);
    int next = -1;
    for (const int to : joined[static_cast<std::size_t>(at)]) {
      if (to != before) next = to;
    }
    before = at;
    at = next;
  }
  std::vector<int> back(order.rbegin(), order.rend());
  if (sites.quality(back).better_than(sites.quality(order))) order = std::move(back);
  std::rotate(order.begin(), std::find(order.begin(), order.end(), 0), order.end());
  return order;
}

/// Exchanges around the slowest edge (reversal of what follows it, or moving one site elsewhere) while they
/// improve.
std::vector<int> improved(const Sites& sites, std::vector<int> order) {
  const std::size_t n = order.size();
  Quality quality = sites.quality(order);
  for (int round = 0; round < most_exchanges; ++round) {
    std::size_t slow = 0;
    while (sites.bandwidth(order[slow], order[(slow + 1) % n]) != quality.slowest) ++slow;
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>((slow + 1) % n), order.end());
    // The slowest edge now leads from the last to the first.
    std::vector<int> best = order;
    Quality best_quality = quality;
    const auto consider = [&](const std::vector<int>& candidate) {
      const Quality q = sites.quality(candidate);
      if (q.step_up_from(best_quality)) best_quality = q, best = candidate;
    };
    for (std::size_t i = 1; i < n; ++i) {
      std::vector<int> candidate = order;
      std::reverse(candidate.begin(), candidate.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      consider(candidate);
      candidate = order;
      std::rotate(candidate.begin(), candidate.begin() + 1,
                  candidate.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      consider(candidate);
    }
    if (!best_quality.step_up_from(quality)) break;
    order = std::move(best);
    quality = best_quality;
  }
  std::rotate(order.begin(), std::find(order.begin(), order.end(), 0), order.end());
  return order;
}

std::vector<int> order_of(const Sites& sites) {
  if (sites.count() <= most_sites_exact) return ExactSearch(sites).best();
  std::vector<int> given(static_cast<std::size_t>(sites.count()));
  std::iota(given.begin(), given.end(), 0);
  const double bound = sites.bound();
  if (sites.quality(given).slowest >= bound) return given;
  std::vector<int> greedy = greedy_order(sites);
  if (sites.quality(greedy).slowest >= bound) return greedy;
  std::vector<int> from_given = improved(sites, std::move(given)),
                   from_greedy = improved(sites, std::move(greedy));
  return sites.quality(from_greedy).better_than(sites.quality(from_given)) ? from_greedy : from_given;
}

}  // namespace

std::vector<int> ring_order(const NetworkGraph& graph, std::span<const NodeId> members) {
  std::vector<std::vector<int>> groups;
  std::unordered_map<std::string, std::size_t> group_of_site;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const NodeSpec& node = graph.node(members[i]);
    // Names of nodes and of sites may coincide; the first letter keeps them apart.
    const std::string site = node.site.empty() ? "n" + node.name : "s" + node.site;
    const auto [entry, is_new] = group_of_site.try_emplace(site, groups.size());
    if (is_new) groups.emplace_back();
    groups[entry->second].push_back(static_cast<int>(i));
  }
  std::vector<int> sites(groups.size());
  std::iota(sites.begin(), sites.end(), 0);
  if (groups.size() > 2 && groups.size() <= most_sites_searched)
    sites = order_of(Sites(graph, members, groups));
  std::vector<int> ring;
  ring.reserve(members.size());
  for (const int site : sites) {
    const std::vector<int>& group = groups[static_cast<std::size_t>(site)];
    ring.insert(ring.end(), group.begin(), group.end());
  }
  return ring;
}

}  // namespace convoy
