// NoLoCo: local steps with gossip in small groups instead of a collective of all (arXiv 2506.10911).
//
//   phi_i: slow weights of worker i.  H inner steps, then in a group G of workers drawn anew each round:
//   m_i   <- mu m_i + eta mean_G(theta - phi) + gamma (mean_G(phi) - phi_i)
//   phi_i <- phi_i + m_i;   theta_i <- phi_i
//
// No barrier of all: a group starts once its members are there. With one group of all it is DiLoCo with a
// heavy-ball outer optimizer.
#include <numeric>

#include "algorithms/all.hpp"
#include "training/push_pull.hpp"
#include "training/round_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream delta_stream{"delta", Payload::delta};
constexpr Stream weights_stream{"slow_weights", Payload::state};

class NoLoCo final : public RoundAlgorithm {
 public:
  NoLoCo() { steps_.local_steps = 50; }
  [[nodiscard]] std::string_view kind() const override { return "noloco"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {
        .title = "NoLoCo: no-all-reduce low-communication training",
        .family = "local",
        .source = "arXiv 2506.10911",
        .certainty = "rule and defaults read in the authors' code",
        .equations =
            "m_i <- mu m_i + eta mean_G(theta - phi) + gamma (mean_G(phi) - phi_i);  phi_i <- phi_i + m_i",
        .deployed = "the mean of the slow weights phi_i"};
  }
  void declare(Options& options) override {
    steps_.declare(options);
    options.add("group_size", group_size_)
        .at_least(2)
        .help("workers of a group; a remainder joins the last group");
    options.add("grouping", grouping_, {{"random", Grouping::random}, {"exponential", Grouping::exponential}})
        .help(
            "random: drawn each round; exponential: pairs i, i xor 2^(round mod log2 n), for n a power of "
            "two");
    options.add("outer_learning_rate", eta_).more_than(0).tunable(0.1, 2).help("eta");
    options.add("outer_momentum", mu_).at_least(0).less_than(1).help("mu");
    options.add("pull", gamma_).at_least(0).help("gamma: pull of the group's mean slow weights");
  }
  [[nodiscard]] MemoryPlan memory_plan() const override { return MemoryPlan::diloco; }
  [[nodiscard]] std::vector<Stream> streams() const override { return {delta_stream, weights_stream}; }
  [[nodiscard]] Deployed deployed() const override { return {slow_weights_}; }

  void start(Cluster& cluster) override {
    if (grouping_ == Grouping::exponential && (cluster.size() & (cluster.size() - 1)) != 0) {
      throw ConfigError(ConfigFault{.path = "grouping",
                                    .message = "exponential pairs need a power of two of workers",
                                    .found = std::to_string(cluster.size()) + " workers",
                                    .allowed = "2, 4, 8, ... workers, or \"grouping\": \"random\"",
                                    .hint = {},
                                    .file = {}});
    }
    slow_weights_.assign(static_cast<std::size_t>(cluster.size()), cluster.initial_parameters());
    RoundAlgorithm::start(cluster);
  }

 private:
  enum class Grouping { random, exponential };

  Process worker(Cluster& cluster, Worker& w) override {
    Vector& phi = slow_weights_[static_cast<std::size_t>(w.index())];
    Vector momentum = 0 * phi;
    for (std::int64_t round = 0;; ++round) {
      co_await w.local_steps(steps_.of(w));
      const Group group = group_of(cluster, w, round);
      const Completion<Reduced> deltas = w.all_reduce(group, delta_stream, w.parameters() - phi);
      const Completion<Reduced> weights = w.all_reduce(group, weights_stream, phi);
      const Reduced delta = co_await deltas;
      const Reduced mean = co_await weights;
      cluster.math([&] {
        momentum.combine(mu_, eta_, delta.mean);
        momentum.axpy(gamma_, mean.mean - phi);
        phi += momentum;
      });
      end_round(cluster, w, phi);
    }
  }

  /// The group of a worker in a round.
  Group group_of(Cluster& cluster, const Worker& w, std::int64_t round) {
    std::vector<int> members;
    const int n = cluster.size();
    if (grouping_ == Grouping::exponential) {
      int bits = 0;
      while ((1 << (bits + 1)) <= n) ++bits;
      members = n == 1 ? std::vector<int>{0}
                       : std::vector<int>{w.index(), w.index() ^ (1 << static_cast<int>(round % bits))};
    } else {
      std::vector<int> order(static_cast<std::size_t>(n));
      std::iota(order.begin(), order.end(), 0);
      cluster.random("groups", 0, static_cast<std::uint64_t>(round)).shuffle(order.begin(), order.end());
      const auto place = std::find(order.begin(), order.end(), w.index()) - order.begin();
      const std::int64_t groups = std::max<std::int64_t>(1, n / group_size_);
      const std::int64_t mine = std::min<std::int64_t>(place / group_size_, groups - 1);
      const auto first = order.begin() + mine * group_size_;
      members.assign(first, mine + 1 == groups ? order.end() : first + group_size_);
    }
    return cluster.shared_group(std::move(members));
  }

  LocalStepOptions steps_;
  std::int64_t group_size_ = 2;
  Grouping grouping_ = Grouping::random;
  double eta_ = 0.7, mu_ = 0.5, gamma_ = 0.7;
  std::vector<Vector> slow_weights_;
};

}  // namespace

void register_noloco(Registry& registry) {
  registry.add_algorithm("noloco", [] { return std::make_unique<NoLoCo>(); });
}

}  // namespace convoy
