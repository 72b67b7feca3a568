// Groups of m nodes that average inside, and a graph over the groups: W_R (x) J_m, whose eigenvalues are
// those of the outer matrix W_R and zeros. Node g x m + r is member r of group g.
//
//   joined       one round: everyone listens to everyone of its own group and of the neighbouring groups
//   alternating  two rounds: I (x) J_m inside the groups, then W_R (x) I between members of equal rank; the
//   same
//                product with far fewer edges
#include <string>
#include <utility>
#include <vector>

#include "topologies/all.hpp"
#include "topologies/changing_graph.hpp"
#include "topologies/graphs.hpp"
#include "topologies/spectrum.hpp"
#include "topologies/weighted_graph.hpp"

namespace convoy {

namespace {

class Hierarchical final : public GraphBuilder {
 public:
  [[nodiscard]] std::string_view kind() const override { return "hierarchical"; }
  [[nodiscard]] std::string_view about() const override {
    return "groups that average inside, and a graph over them";
  }
  void declare(Options& options) override {
    options.add("groups", groups_).required().at_least(1).help("equal groups of adjacent nodes");
    options.add("outer", outer_, static_graph_makers()).default_text("ring").help("graph over the groups");
    options.add("form", form_, {{"joined", Form::joined}, {"alternating", Form::alternating}})
        .help("joined: one round; alternating: a round inside the groups, then one between equal ranks");
  }
  [[nodiscard]] MixingMatrix build(int nodes) const override {
    if (form_ == Form::alternating) refuse_static_use("hierarchical, alternating");
    const int members = size_of_groups(nodes);
    return product(outer_matrix(), members, true);
  }
  [[nodiscard]] std::shared_ptr<const GraphSequence> sequence(int nodes, std::uint64_t seed) const override {
    if (form_ == Form::joined) return GraphBuilder::sequence(nodes, seed);
    const int members = size_of_groups(nodes);
    if (static_cast<std::size_t>(members) > Adjacency::most_edges / static_cast<std::size_t>(nodes)) {
      refuse_graph("groups", "groups of " + std::to_string(members) + " nodes have too many edges inside", {},
                   "more groups");
    }
    std::vector<std::vector<int>> groups(static_cast<std::size_t>(groups_));
    for (int i = 0; i < nodes; ++i) groups[static_cast<std::size_t>(i / members)].push_back(i);
    std::vector<MixingMatrix> rounds;
    rounds.push_back(group_average("hierarchical", nodes, groups));
    rounds.push_back(product(outer_matrix(), members, false));
    return periodic_sequence(std::move(rounds));
  }
  [[nodiscard]] Spectrum spectrum(const MixingMatrix& matrix) const override {
    return dense_spectrum(matrix);
  }

 private:
  enum class Form { joined, alternating };

  [[nodiscard]] int size_of_groups(int nodes) const {
    if (nodes < 1 || nodes % groups_ != 0) {
      refuse_graph("groups",
                   std::to_string(nodes) + " nodes do not make " + std::to_string(groups_) + " equal groups",
                   "a divisor of the number of nodes");
    }
    return static_cast<int>(nodes / groups_);
  }
  [[nodiscard]] MixingMatrix outer_matrix() const {
    return (outer_ ? *outer_ : *make_ring()).build(static_cast<int>(groups_));
  }
  /// W_R (x) J_m, or W_R (x) I_m.
  static MixingMatrix product(const MixingMatrix& outer, int members, bool mean) {
    std::vector<std::vector<MixingMatrix::Entry>> rows;
    for (int g = 0; g < outer.size(); ++g) {
      for (int r = 0; r < members; ++r) {
        std::vector<MixingMatrix::Entry>& row = rows.emplace_back();
        for (const MixingMatrix::Entry& entry : outer.row(g)) {
          if (!mean) {
            row.push_back({entry.node * members + r, entry.weight});
            continue;
          }
          for (int other = 0; other < members; ++other)
            row.push_back({entry.node * members + other, entry.weight / members});
        }
        if (rows.size() * row.size() > Adjacency::most_edges) {
          refuse_graph("groups", "the graph has too many edges", {},
                       "\"form\": \"alternating\" has far fewer");
        }
      }
    }
    return MixingMatrix("hierarchical", std::move(rows));
  }

  std::int64_t groups_ = 0;
  std::unique_ptr<GraphBuilder> outer_;
  Form form_ = Form::joined;
};

}  // namespace

std::unique_ptr<GraphBuilder> make_hierarchical() {
  return std::make_unique<Hierarchical>();
}

}  // namespace convoy
