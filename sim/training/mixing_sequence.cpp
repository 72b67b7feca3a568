#include "training/mixing_sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/error.hpp"

namespace convoy {
namespace {

class Periodic final : public GraphSequence {
 public:
  explicit Periodic(std::vector<MixingMatrix> matrices) {
    if (matrices.empty()) throw std::logic_error("a sequence of no graphs");
    for (MixingMatrix& matrix : matrices) {
      if (matrix.size() != matrices.front().size() && !matrices_.empty() &&
          matrix.size() != matrices_.front()->size()) {
        throw std::logic_error("a sequence of graphs of different sizes");
      }
      matrices_.push_back(std::make_shared<const MixingMatrix>(std::move(matrix)));
    }
  }
  [[nodiscard]] int size() const override { return matrices_.front()->size(); }
  [[nodiscard]] std::shared_ptr<const MixingMatrix> at(std::int64_t round) const override {
    return matrices_[static_cast<std::size_t>(round) % matrices_.size()];
  }
  [[nodiscard]] std::int64_t period() const override { return static_cast<std::int64_t>(matrices_.size()); }

 private:
  std::vector<std::shared_ptr<const MixingMatrix>> matrices_;
};

using P = MixingProperty;

}  // namespace

std::shared_ptr<const GraphSequence> constant_sequence(MixingMatrix matrix) {
  std::vector<MixingMatrix> one;
  one.push_back(std::move(matrix));
  return periodic_sequence(std::move(one));
}

std::shared_ptr<const GraphSequence> periodic_sequence(std::vector<MixingMatrix> matrices) {
  return std::make_shared<Periodic>(std::move(matrices));
}

std::shared_ptr<const MixingMatrix> DrawnSequence::at(std::int64_t round) const {
  // Neighbours are at most a few rounds apart; what was forgotten is drawn again.
  constexpr std::size_t most_rows = std::size_t{1} << 20;
  const std::size_t most_kept = std::clamp<std::size_t>(most_rows / static_cast<std::size_t>(size_), 4, 64);
  std::shared_ptr<const MixingMatrix>& slot = kept_[round];
  if (slot == nullptr) slot = std::make_shared<const MixingMatrix>(draw_(round));
  const std::shared_ptr<const MixingMatrix> matrix = slot;
  if (kept_.size() > most_kept) kept_.erase(kept_.begin());
  return matrix;
}

MixingMatrix mean_matrix(const GraphSequence& graphs, std::int64_t rounds) {
  const auto n = static_cast<std::size_t>(graphs.size());
  std::vector<std::map<int, double>> sums(n);
  for (std::int64_t t = 0; t < rounds; ++t) {
    const std::shared_ptr<const MixingMatrix> w = graphs.at(t);
    for (std::size_t i = 0; i < n; ++i) {
      for (const MixingMatrix::Entry& entry : w->row(static_cast<int>(i)))
        sums[i][entry.node] += entry.weight / static_cast<double>(rounds);
    }
  }
  std::vector<std::vector<MixingMatrix::Entry>> rows(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (const auto& [node, weight] : sums[i]) rows[i].push_back({node, weight});
  }
  return MixingMatrix(graphs.at(0)->graph(), std::move(rows));
}

std::vector<std::string> MixingRequirement::missing(const GraphBuilder& graph,
                                                    const GraphSequence& graphs) const {
  std::vector<std::string> faults;
  const bool changes = graphs.period() != 1;
  if (changes && !may_change) {
    faults.emplace_back("a graph that stays the same, and this one changes from round to round");
  }
  const std::int64_t rounds = graphs.period() > 0 ? graphs.period() : rounds_looked_at;
  for (const MixingProperty property : every_round) {
    for (std::int64_t t = 0; t < rounds; ++t) {
      if (graphs.at(t)->has(property)) continue;
      const std::string when = changes ? fmt::format(" (round {})", t) : std::string();
      faults.push_back(
          fmt::format("weights that are {}{}; {}", name_of(property), when, remedy_of(property)));
      break;
    }
  }
  if (connected && !(changes ? mean_matrix(graphs, rounds) : *graphs.at(0)).has(P::connected)) {
    const MixingMatrix all = changes ? mean_matrix(graphs, rounds) : *graphs.at(0);
    const auto [from, to] = all.cut_off();
    faults.push_back(fmt::format("a connected graph: node {} never hears of node {}", to, from));
  }
  if (lambda_min_above && graphs.at(0)->has(P::symmetric)) {
    constexpr int most_nodes = 4096;
    if (graphs.size() > most_nodes) {
      faults.push_back(fmt::format("its eigenvalues known, which takes at most {} nodes", most_nodes));
    } else if (const double least = graph.spectrum(*graphs.at(0)).lambda_min;
               least <= *lambda_min_above + 1e-12) {
      faults.push_back(
          fmt::format("a smallest eigenvalue > {:.4g}, and it is {:.4g}; \"lazy\": {:.2g} lifts it to {:.4g}",
                      *lambda_min_above, least, 0.5, 0.5 + 0.5 * least));
    }
  }
  return faults;
}

std::shared_ptr<const GraphSequence> MixingRequirement::require(const GraphBuilder& graph, int nodes,
                                                                std::uint64_t seed,
                                                                std::string_view who) const {
  std::shared_ptr<const GraphSequence> graphs =
      may_change ? graph.sequence(nodes, seed) : constant_sequence(graph.build(nodes));
  std::vector<ConfigFault> faults;
  for (const std::string& what : missing(graph, *graphs)) {
    ConfigFault fault;
    fault.path = "graph";
    fault.message = fmt::format("{} cannot use the graph \"{}\" of {} nodes: it needs {}", who, graph.kind(),
                                nodes, what);
    fault.hint = reason;
    faults.push_back(std::move(fault));
  }
  if (!faults.empty()) throw ConfigError(std::move(faults));
  return graphs;
}

const MixingRequirement& doubly_stochastic_mixing() {
  static const MixingRequirement requirement{
      .name = "doubly stochastic",
      .reason = "column sums other than 1 pull the mean towards some nodes",
      .every_round = {P::row_stochastic, P::column_stochastic},
      .may_change = true,
      .source =
          "Lian et al. 2017, arXiv 1705.09056; changing graphs: Koloskova et al. 2020, arXiv 2003.10422"};
  return requirement;
}

const MixingRequirement& static_doubly_stochastic_mixing() {
  static const MixingRequirement requirement{
      .name = "doubly stochastic, the same in every round",
      .reason = "column sums other than 1 pull the mean towards some nodes",
      .every_round = {P::row_stochastic, P::column_stochastic},
      .source = "Lian et al. 2017, arXiv 1705.09056"};
  return requirement;
}

const MixingRequirement& symmetric_mixing() {
  static const MixingRequirement requirement{
      .name = "symmetric",
      .reason = "the recursion need not converge on directed graphs",
      .every_round = {P::row_stochastic, P::column_stochastic, P::symmetric},
      .source =
          "EXTRA: Shi et al. 2015, arXiv 1404.6264; exact diffusion: Yuan et al. 2017, arXiv 1702.05122"};
  return requirement;
}

const MixingRequirement& symmetric_bounded_mixing() {
  static const MixingRequirement requirement{
      .name = "symmetric with lambda_min > -1/3",
      .reason = "the recursion diverges at small steps otherwise; (I + W)/2, \"lazy\": 0.5, always fits",
      .every_round = {P::row_stochastic, P::column_stochastic, P::symmetric},
      .lambda_min_above = -1.0 / 3,
      .source = "D2: Tang et al. 2018, arXiv 1803.07068; range of steps: Li, Yan 2017"};
  return requirement;
}

const MixingRequirement& push_sum_mixing() {
  static const MixingRequirement requirement{.name = "column stochastic",
                                             .reason = "mass would be made or lost",
                                             .every_round = {P::nonnegative, P::column_stochastic},
                                             .may_change = true,
                                             .source = "Assran et al., ICML 2019, arXiv 1811.10792"};
  return requirement;
}

const MixingRequirement& row_stochastic_mixing() {
  static const MixingRequirement requirement{
      .name = "row stochastic",
      .reason = "a constant would not stay constant",
      .every_round = {P::nonnegative, P::row_stochastic},
      .may_change = true,
      .source = "epidemic learning: arXiv 2310.01972; hubs and spokes: arXiv 2504.20988"};
  return requirement;
}

std::vector<const MixingRequirement*> mixing_requirements() {
  return {&doubly_stochastic_mixing(), &static_doubly_stochastic_mixing(),
          &symmetric_mixing(),         &symmetric_bounded_mixing(),
          &push_sum_mixing(),          &row_stochastic_mixing()};
}

std::shared_ptr<const GraphSequence> GraphBuilder::sequence(int nodes, std::uint64_t) const {
  return constant_sequence(build(nodes));
}

}  // namespace convoy
