// Prague: partial all-reduce among groups that a group generator hands out (Luo, He, Zhuo, Qian, ASPLOS
// 2020).
//
//   worker: local step;  ask for a group;  x_i <- (1/|G|) sum_{j in G} x_j for the group G;  again
//
//   random       an own group of random workers; who is put into a group by others finds it in its buffer and
//   takes
//                that one first
//   division     who asks with an empty buffer has all workers with empty buffers divided into groups at once
//   first_ready  the first g workers that have asked form a group (partial reduce)
//   static       blocks of neighbours in even rounds, strided blocks in odd ones; no generator
//
// Buffers are in the order in which groups were made, so that groups never wait for each other in a circle.
// The slowdown filter leaves out workers that lag behind the one that asks. The generator's messages weigh
// nothing and take the stated control latency.
#include <algorithm>
#include <deque>
#include <numeric>

#include "algorithms/all.hpp"
#include "core/process.hpp"
#include "training/cluster.hpp"
#include "training/limits.hpp"

namespace convoy {
namespace {

constexpr Stream group_stream{"group", Payload::state};

class Prague final : public Algorithm {
 public:
  [[nodiscard]] std::string_view kind() const override { return "prague"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {
        .title = "Prague: partial all-reduce",
        .family = "decentralized",
        .source = "Luo, He, Zhuo and Qian, ASPLOS 2020, doi 10.1145/3373376.3378499",
        .certainty = "primitives named in the abstract; details of the generator from secondary knowledge",
        .equations = "x_i <- (1/|G|) sum_{j in G} x_j after each local step, in a group from the generator",
        .deployed = "the mean over workers"};
  }
  void declare(Options& options) override {
    options.add("group_size", size_).at_least(2).tunable(2, 16).help("g: workers of a group");
    options
        .add("grouping", grouping_,
             {{"random", Grouping::random},
              {"division", Grouping::division},
              {"first_ready", Grouping::first_ready},
              {"static", Grouping::fixed}})
        .help("how groups are made");
    options.add("slowdown_filter", filter_)
        .at_least(1)
        .default_text("off")
        .help("random, division: a worker that has asked this many times less is left out");
    options.add("control_latency", latency_).at_least(0).help("of a request to the group generator");
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {group_stream}; }
  [[nodiscard]] Deployed deployed() const override { return mean_of_workers(*cluster_); }
  [[nodiscard]] std::vector<ReportEntry> report() const override {
    return {{"groups", Node::of(made_)}, {"group_wait_s", Node::of(wait_.to_seconds())}};
  }

  void start(Cluster& cluster) override {
    cluster_ = &cluster;
    require_at_most("group_size", size_, cluster.size(), "workers");
    if (grouping_ == Grouping::fixed && cluster.size() % size_ != 0) {
      throw ConfigError(ConfigFault{.path = "group_size",
                                    .message = "must divide the workers for static groups",
                                    .found = std::to_string(size_) + " of " + std::to_string(cluster.size()),
                                    .allowed = "a divisor of " + std::to_string(cluster.size()),
                                    .hint = {},
                                    .file = {}});
    }
    const auto n = static_cast<std::size_t>(cluster.size());
    buffers_.assign(n, {});
    asked_.assign(n, 0);
    cluster.spawn_workers([this](Worker& w) { return worker(w); });
  }

 private:
  enum class Grouping { random, division, first_ready, fixed };

  Process worker(Worker& w) {
    for (std::int64_t round = 0;; ++round) {
      co_await w.local_step();
      const Time asked = cluster_->now();
      if (latency_ > Duration::zero() && grouping_ != Grouping::fixed) co_await delay(latency_);
      const Completion<Group> group = ask(w.index(), round);
      const Group mine = co_await group;
      const Reduced mean = co_await w.all_reduce(mine, group_stream, w.parameters());
      wait_ += cluster_->now() - asked;
      w.set_parameters(mean.mean);
      w.merge_work();
      if (w.index() == 0) cluster_->report_round();
    }
  }

  /// The group of the worker's next average.
  Completion<Group> ask(int worker, std::int64_t round) {
    Completion<Group> answer("a group for worker " + std::to_string(worker));
    std::deque<std::vector<int>>& buffer = buffers_[static_cast<std::size_t>(worker)];
    ++asked_[static_cast<std::size_t>(worker)];
    switch (grouping_) {
      case Grouping::fixed:
        answer.set(cluster_->shared_group(static_group(worker, round)));
        return answer;
      case Grouping::first_ready:
        ready_.emplace_back(worker, answer);
        if (static_cast<std::int64_t>(ready_.size()) == size_) form_from_ready();
        return answer;
      case Grouping::random:
        if (buffer.empty()) hand_out(random_group(worker));
        break;
      case Grouping::division:
        if (buffer.empty()) divide(worker);
        break;
    }
    answer.set(cluster_->shared_group(buffer.front()));
    buffer.pop_front();
    return answer;
  }

  void form_from_ready() {
    std::vector<int> members;
    for (const auto& [worker, answer] : ready_) members.push_back(worker);
    const Group group = cluster_->shared_group(members);
    const auto waiting = std::exchange(ready_, {});
    ++made_;
    for (const auto& [worker, answer] : waiting) answer.set(group);
  }

  /// Workers other than `worker` that the slowdown filter lets through.
  [[nodiscard]] std::vector<int> eligible(int worker, bool idle_only) const {
    std::vector<int> result;
    for (int other = 0; other < cluster_->size(); ++other) {
      const auto at = static_cast<std::size_t>(other);
      if (other == worker || (idle_only && !buffers_[at].empty())) continue;
      if (filter_ && asked_[static_cast<std::size_t>(worker)] - asked_[at] >= *filter_) continue;
      result.push_back(other);
    }
    return result;
  }

  [[nodiscard]] std::vector<int> random_group(int worker) {
    std::vector<int> others = eligible(worker, false);
    shuffle(others);
    others.resize(std::min(others.size(), static_cast<std::size_t>(size_ - 1)));
    others.push_back(worker);
    return others;
  }

  void divide(int worker) {
    std::vector<int> others = eligible(worker, true);
    shuffle(others);
    others.insert(others.begin(), worker);
    // Groups of g; a remainder joins the last.
    const std::size_t g = static_cast<std::size_t>(size_),
                      groups = std::max<std::size_t>(1, others.size() / g);
    for (std::size_t k = 0; k < groups; ++k) {
      const auto first = others.begin() + static_cast<std::ptrdiff_t>(k * g);
      const auto last = k + 1 == groups ? others.end() : first + static_cast<std::ptrdiff_t>(g);
      hand_out(std::vector<int>(first, last));
    }
  }

  void shuffle(std::vector<int>& workers) {
    cluster_->random("groups", 0, static_cast<std::uint64_t>(made_)).shuffle(workers.begin(), workers.end());
  }

  void hand_out(const std::vector<int>& members) {
    ++made_;
    for (const int member : members) buffers_[static_cast<std::size_t>(member)].push_back(members);
  }

  [[nodiscard]] std::vector<int> static_group(int worker, std::int64_t round) const {
    const int n = cluster_->size(), g = static_cast<int>(size_), groups = n / g;
    std::vector<int> members;
    for (int k = 0; k < g; ++k) {
      members.push_back(round % 2 == 0 ? worker / g * g + k : worker % groups + k * groups);
    }
    return members;
  }

  std::int64_t size_ = 3;
  Grouping grouping_ = Grouping::division;
  std::optional<std::int64_t> filter_;
  Duration latency_;
  Cluster* cluster_ = nullptr;
  std::vector<std::deque<std::vector<int>>> buffers_;
  std::vector<std::int64_t> asked_;
  std::vector<std::pair<int, Completion<Group>>> ready_;
  std::int64_t made_ = 0;
  Duration wait_;
};

}  // namespace

void register_prague(Registry& registry) {
  registry.add_algorithm("prague", [] { return std::make_unique<Prague>(); });
}

}  // namespace convoy
