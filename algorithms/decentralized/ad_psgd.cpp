// AD-PSGD: asynchronous decentralized SGD by atomic pairwise averages (Lian et al. 2018, arXiv 1710.06952).
//
//   worker i: y = x_i;  g = gradient at y (meanwhile others may change x_i)
//             j = a random neighbour;  atomically x_i, x_j <- (x_i + x_j) / 2
//             x_i <- x_i - a g            staleness: averages on i since y was read
//
// No barrier: a pair's exchange holds the two replicas, nothing else. An average changes no sum of models.
// Locks are taken both at once; "naive" takes one's own first and then the neighbour's, which can deadlock on
// graphs that are not bipartite, unless only one side of a bipartite graph initiates.
#include <queue>

#include "algorithms/all.hpp"
#include "training/mixing_algorithm.hpp"
#include "training/replica_locks.hpp"

namespace convoy {
namespace {

constexpr Stream pair_stream{"pair", Payload::state};

class AdPsgd final : public MixingAlgorithm {
 public:
  using MixingAlgorithm::MixingAlgorithm;
  [[nodiscard]] std::string_view kind() const override { return "ad_psgd"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "AD-PSGD: asynchronous decentralized parallel SGD",
            .family = "decentralized",
            .source = "Lian et al. 2018, arXiv 1710.06952",
            .certainty = "rule of the paper; which side initiates as in public code",
            .equations = "x_i, x_j <- (x_i + x_j) / 2 atomically;  x_i <- x_i - a g(x_i read earlier)",
            .deployed = "the mean over workers"};
  }
  void declare(Options& options) override {
    options.add("initiators", initiators_, {{"all", Initiators::all}, {"bipartite", Initiators::bipartite}})
        .help("bipartite: only one side of a two-coloured graph asks for averages, the other is asked");
    options.add("locking", locking_, {{"atomic", Locking::atomic}, {"naive", Locking::naive}})
        .help("atomic: both replicas at once; naive: one's own, then the neighbour's");
    MixingAlgorithm::declare(options);
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {pair_stream}; }
  [[nodiscard]] const MixingRequirement* graph_requirement() const override {
    return &static_doubly_stochastic_mixing();
  }
  [[nodiscard]] std::vector<ReportEntry> report() const override {
    return {{"averages", Node::of(averages_)}, {"lock_wait_s", Node::of(lock_wait_.to_seconds())}};
  }

  void start(Cluster& cluster) override {
    locks_ = std::make_unique<ReplicaLocks>(cluster.size());
    changes_.assign(static_cast<std::size_t>(cluster.size()), 0);
    MixingAlgorithm::start(cluster);
    if (initiators_ == Initiators::bipartite) colour_nodes();
  }

 private:
  enum class Initiators { all, bipartite };
  enum class Locking { atomic, naive };

  Process worker(Cluster& cluster, Worker& w) override {
    const auto me = static_cast<std::size_t>(w.index());
    for (std::int64_t step = 0;; ++step) {
      const std::int64_t read = changes_[me];
      const Gradient g = co_await w.gradient();
      const auto neighbours = graphs().at(0)->in_neighbours(w.index());
      if (!neighbours.empty() && (active_.empty() || active_[me])) {
        RandomStream random = cluster.random("neighbour", me, static_cast<std::uint64_t>(step));
        Worker& other = cluster.worker(neighbours[random.below(neighbours.size())]);
        const Time asked = cluster.now();
        const std::vector<int> own_only = {w.index()}, other_only = {other.index()},
                               pair_members = {w.index(), other.index()};
        ReplicaLocks::Held own, both;
        if (locking_ == Locking::naive) {
          own = co_await locks_->acquire(own_only);
          co_await delay(Duration::zero());  // the request travels: others lock their own at the same instant
          both = co_await locks_->acquire(other_only);
        } else {
          both = co_await locks_->acquire(pair_members);
        }
        lock_wait_ += cluster.now() - asked;
        const Group pair = cluster.shared_group(pair_members);
        const Vector mine = w.parameters(), theirs = other.parameters();
        const Completion<Reduced> average = w.all_reduce(pair, pair_stream, mine);
        static_cast<void>(other.all_reduce(pair, pair_stream, theirs));
        const Reduced mean = co_await average;
        // A gradient step of the other side meanwhile is kept: both move by what the average changes.
        move_by_average(cluster, w, mean.mean, mine);
        move_by_average(cluster, other, mean.mean, theirs);
        ++averages_;
      }
      cluster.record_staleness(changes_[me] - read);
      w.apply(g.mean);
      w.merge_work();
      if (w.index() == 0) cluster.report_round();
    }
  }

  void move_by_average(Cluster& cluster, Worker& w, const Vector& mean, const Vector& sent) {
    Vector x = w.parameters();
    cluster.math([&] { x += mean - sent; });
    w.set_parameters(std::move(x));
    ++changes_[static_cast<std::size_t>(w.index())];
  }

  /// Marks one side of a two-coloured graph as those that initiate.
  void colour_nodes() {
    const auto matrix = graphs().at(0);
    const auto n = static_cast<std::size_t>(matrix->size());
    std::vector<int> colour(n, -1);
    std::queue<int> queue;
    colour[0] = 0;
    queue.push(0);
    while (!queue.empty()) {
      const int node = queue.front();
      queue.pop();
      for (const int next : matrix->in_neighbours(node)) {
        int& there = colour[static_cast<std::size_t>(next)];
        const int wanted = 1 - colour[static_cast<std::size_t>(node)];
        if (there == -1) {
          there = wanted;
          queue.push(next);
        } else if (there != wanted) {
          throw ConfigError(
              ConfigFault{.path = "graph",
                          .message = "has an odd cycle through nodes " + std::to_string(node) + " and " +
                                     std::to_string(next) + ", so that no two colours separate neighbours",
                          .found = matrix->graph(),
                          .allowed = "a bipartite graph (ring of an even number, grid, hypercube, ...)",
                          .hint = "or \"initiators\": \"all\"",
                          .file = {}});
        }
      }
    }
    active_.resize(n);
    for (std::size_t i = 0; i < n; ++i) active_[i] = colour[i] == 1;
  }

  Initiators initiators_ = Initiators::all;
  Locking locking_ = Locking::atomic;
  std::unique_ptr<ReplicaLocks> locks_;
  std::vector<bool> active_;           // empty: all
  std::vector<std::int64_t> changes_;  // averages on each replica
  std::int64_t averages_ = 0;
  Duration lock_wait_;
};

}  // namespace

void register_ad_psgd(Registry& registry) {
  add_mixing_algorithm<AdPsgd>(registry, "ad_psgd");
}

}  // namespace convoy
