// Base-(k+1) graph (Takezawa et al., NeurIPS 2023, arXiv 2305.11420): a finite sequence of graphs of degree
// at most k whose product is the exact mean, for any number of nodes.
//
// Where every prime factor of n is at most k+1, n = n_1 ... n_L with n_l <= k+1, round l averages the groups
// of nodes that differ in digit l alone. Otherwise n is written in base k+1, n = a_1 (k+1)^p_1 + ... + a_L
// (k+1)^p_L, and the nodes are split into V_1, ..., V_L of these sizes:
//   - each V_l averages inside, all at once;
//   - in turn for l = 1, 2, ...: with R_l = V_(l+1) + ... + V_L, each node of R_l meets one node in each of
//   the
//     a_l equal parts of V_l, with weight w = (k+1)^p_l / (|V_l| + |R_l|), which leaves R_l with the mean of
//     all up to a part that has mean zero over R_l, and each part of V_l with the right mean;
//   - each part of V_l averages inside, while l goes on.
// The construction is rebuilt from the paper's idea; the sequence may be longer than the paper's.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "topologies/changing_graph.hpp"
#include "topologies/graphs.hpp"

namespace convoy {

namespace {

using Groups = std::vector<std::vector<int>>;

/// Factors of `size`, each at most `most`, as few as greed finds; empty where a prime factor is larger.
std::vector<int> factors(int size, int most) {
  std::vector<int> result;
  while (size > 1) {
    int factor = std::min(size, most);
    while (factor > 1 && size % factor != 0) --factor;
    if (factor == 1) return {};
    result.push_back(factor);
    size /= factor;
  }
  return result;
}

/// The groups of each round that average `nodes`, whose number has only factors of at most `most`.
std::vector<Groups> exact_rounds(const std::vector<int>& nodes, int most) {
  std::vector<Groups> rounds;
  std::size_t stride = 1;
  for (const int factor : factors(static_cast<int>(nodes.size()), most)) {
    Groups groups;
    const auto count = static_cast<std::size_t>(factor);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (i / stride % count != 0) continue;
      std::vector<int>& group = groups.emplace_back();
      for (std::size_t digit = 0; digit < count; ++digit) group.push_back(nodes[i + digit * stride]);
    }
    rounds.push_back(std::move(groups));
    stride *= count;
  }
  return rounds;
}

/// Weights of one round under construction; nobody is named twice.
class Round {
 public:
  explicit Round(int nodes) : rows_(static_cast<std::size_t>(nodes)) {}
  void average(const Groups& groups) {
    for (const std::vector<int>& group : groups) {
      for (const int i : group) {
        for (const int j : group) row(i)[j] = 1.0 / static_cast<double>(group.size());
      }
    }
  }
  void meet(int a, int b, double weight) {
    for (const auto& [self, other] : {std::pair(a, b), std::pair(b, a)}) {
      row(self).try_emplace(self, 1);
      row(self)[self] -= weight;
      row(self)[other] = weight;
    }
  }
  [[nodiscard]] MixingMatrix matrix() const {
    std::vector<std::vector<MixingMatrix::Entry>> rows(rows_.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (const auto& [node, weight] : rows_[i]) rows[i].push_back({node, weight});
      if (rows[i].empty()) rows[i].push_back({static_cast<int>(i), 1});
    }
    return MixingMatrix("base_k", std::move(rows));
  }

 private:
  std::map<int, double>& row(int i) { return rows_[static_cast<std::size_t>(i)]; }
  std::vector<std::map<int, double>> rows_;
};

class BaseK final : public ChangingGraph {
 public:
  [[nodiscard]] std::string_view kind() const override { return "base_k"; }
  [[nodiscard]] std::string_view about() const override {
    return "exact mean in finitely many rounds of degree k, any number of nodes";
  }
  void declare(Options& options) override {
    options.add("degree", degree_)
        .at_least(1)
        .help("k: most neighbours of a node in a round (rebuilt from the paper's idea)")
        .source("arXiv 2305.11420");
  }
  [[nodiscard]] std::shared_ptr<const GraphSequence> sequence(int nodes, std::uint64_t) const override {
    require_nodes(nodes);
    require_edges("degree", nodes, std::min<std::int64_t>(degree_, nodes - 1));
    const int base = static_cast<int>(std::min<std::int64_t>(degree_, nodes)) + 1;
    std::vector<Round> rounds;
    const auto at = [&](std::size_t t) -> Round& {
      while (rounds.size() <= t) rounds.emplace_back(nodes);
      return rounds[t];
    };
    const auto add = [&](std::size_t from, const std::vector<Groups>& exact) {
      for (std::size_t t = 0; t < exact.size(); ++t) at(from + t).average(exact[t]);
    };
    std::vector<int> all(static_cast<std::size_t>(nodes));
    for (int i = 0; i < nodes; ++i) all[static_cast<std::size_t>(i)] = i;
    if (nodes == 1 || !factors(nodes, base).empty()) {
      add(0, exact_rounds(all, base));
    } else {
      const std::vector<Part> parts = split(all, base);
      std::size_t inside = 0;
      for (const Part& part : parts) {
        const std::vector<Groups> exact = exact_rounds(part.nodes, base);
        add(0, exact);
        inside = std::max(inside, exact.size());
      }
      std::size_t done = 0;
      for (std::size_t l = 0; l + 1 < parts.size(); ++l) {
        const Part& part = parts[l];
        done += part.nodes.size();
        const std::vector<int> rest(all.begin() + static_cast<std::ptrdiff_t>(done), all.end());
        const double weight =
            static_cast<double>(part.share) / static_cast<double>(part.nodes.size() + rest.size());
        for (std::size_t first = 0; first < part.nodes.size(); first += part.share) {
          for (std::size_t i = 0; i < rest.size(); ++i) {
            at(inside + l).meet(rest[i], part.nodes[first + i], weight);
          }
          const std::vector<int> piece(part.nodes.begin() + static_cast<std::ptrdiff_t>(first),
                                       part.nodes.begin() + static_cast<std::ptrdiff_t>(first + part.share));
          add(inside + l + 1, exact_rounds(piece, base));
        }
      }
    }
    if (rounds.empty()) rounds.emplace_back(nodes);
    std::vector<MixingMatrix> matrices;
    for (const Round& round : rounds) matrices.push_back(round.matrix());
    return periodic_sequence(std::move(matrices));
  }

 private:
  /// V_l: its nodes, and the size (k+1)^p_l of each of its equal pieces.
  struct Part {
    std::vector<int> nodes;
    std::size_t share = 1;
  };
  static std::vector<Part> split(const std::vector<int>& all, int base) {
    std::vector<Part> parts;
    std::size_t power = 1;
    while (power * static_cast<std::size_t>(base) <= all.size()) power *= static_cast<std::size_t>(base);
    for (std::size_t done = 0; done < all.size(); power /= static_cast<std::size_t>(base)) {
      const std::size_t count = (all.size() - done) / power * power;
      if (count == 0) continue;
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(done);
      parts.push_back({std::vector<int>(first, first + static_cast<std::ptrdiff_t>(count)), power});
      done += count;
    }
    return parts;
  }

  std::int64_t degree_ = 1;
};

}  // namespace

std::unique_ptr<GraphBuilder> make_base_k() {
  return std::make_unique<BaseK>();
}

}  // namespace convoy
