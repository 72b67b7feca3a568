// Hubs and spokes learning: workers train, hubs only mix (Sharma et al. 2025, arXiv 2504.20988).
//
//   spokes: K local steps
//   1. hub k:    h_k = mean of the models of b_hs random spokes
//   2. hub k:    sends h_k to b_hh random hubs;  h_k <- (h_k + sum of what it received) / (1 + their number)
//   3. spoke i:  x_i = mean of the models of b_sh random hubs
//
// The hubs are the regions' servers. The mean of the models is kept in expectation only. One hub that hears
// all spokes is FedAvg with equal weights.
#include <algorithm>
#include <map>
#include <numeric>

#include "algorithms/all.hpp"
#include "training/limits.hpp"
#include "training/push_pull.hpp"

namespace convoy {
namespace {

constexpr Stream spoke_to_hub{"spoke_to_hub", Payload::state};
constexpr Stream hub_to_hub{"hub_to_hub", Payload::state};
constexpr Stream hub_to_spoke{"hub_to_spoke", Payload::state};

class HubsAndSpokes final : public Algorithm {
 public:
  HubsAndSpokes() { steps_.local_steps = 1; }
  [[nodiscard]] std::string_view kind() const override { return "hsl"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "HSL: hubs and spokes learning",
            .family = "decentralized",
            .source = "Sharma et al. 2025, arXiv 2504.20988",
            .certainty =
                "the stated algorithm; the public script starts every round from one shared model, which "
                "this does not",
            .equations =
                "h_k = mean of b_hs spokes;  h_k <- mean with the hubs it hears;  x_i = mean of b_sh hubs",
            .deployed = "the mean over workers"};
  }
  void declare(Options& options) override {
    steps_.declare(options);
    options.add("spokes_per_hub", from_spokes_).at_least(1).help("b_hs: spokes that a hub hears in a round");
    options.add("hubs_per_hub", to_hubs_).at_least(0).help("b_hh: hubs that a hub sends to");
    options.add("hubs_per_spoke", from_hubs_).at_least(1).help("b_sh: hubs that a spoke hears");
  }
  [[nodiscard]] std::vector<Stream> streams() const override {
    return {spoke_to_hub, hub_to_hub, hub_to_spoke};
  }
  [[nodiscard]] bool uses_servers() const override { return true; }
  [[nodiscard]] Deployed deployed() const override { return mean_of_workers(*cluster_); }

  void start(Cluster& cluster) override {
    cluster_ = &cluster;
    for (const Region& region : cluster.regions()) hubs_.push_back(&cluster.local_server(region));
    const auto hubs = static_cast<std::int64_t>(hubs_.size());
    require_at_most("spokes_per_hub", from_spokes_, cluster.size(), "spokes");
    require_at_most("hubs_per_spoke", from_hubs_, hubs, "hubs (one a region)");
    require_at_most("hubs_per_hub", to_hubs_, hubs - 1, "other hubs (one a region)");
    cluster.spawn_workers([this](Worker& w) { return spoke(w); });
    for (std::size_t k = 0; k < hubs_.size(); ++k) cluster.spawn(hubs_[k]->name(), hub(static_cast<int>(k)));
  }

 private:
  /// `count` of `all` for one member in one round, ascending; never `except`.
  [[nodiscard]] std::vector<int> draw(const char* purpose, int member, std::int64_t round, int all,
                                      std::int64_t count, int except = -1) const {
    std::vector<int> candidates;
    for (int i = 0; i < all; ++i) {
      if (i != except) candidates.push_back(i);
    }
    cluster_->random(purpose, static_cast<std::uint64_t>(member), static_cast<std::uint64_t>(round))
        .shuffle(candidates.begin(), candidates.end());
    candidates.resize(static_cast<std::size_t>(count));
    std::sort(candidates.begin(), candidates.end());
    return candidates;
  }
  [[nodiscard]] std::vector<int> spokes_of_hub(int hub, std::int64_t round) const {
    return draw("spokes of a hub", hub, round, cluster_->size(), from_spokes_);
  }
  [[nodiscard]] std::vector<int> hubs_of_spoke(int spoke, std::int64_t round) const {
    return draw("hubs of a spoke", spoke, round, static_cast<int>(hubs_.size()), from_hubs_);
  }
  [[nodiscard]] std::vector<int> receivers_of_hub(int hub, std::int64_t round) const {
    return draw("hubs of a hub", hub, round, static_cast<int>(hubs_.size()), to_hubs_, hub);
  }

  Process spoke(Worker& w) {
    std::map<std::int64_t, std::map<int, Vector>> heard;  // by round and sender
    for (std::int64_t round = 0;; ++round) {
      co_await w.local_steps(steps_.of(w));
      for (std::size_t k = 0; k < hubs_.size(); ++k) {
        const std::vector<int> drawn = spokes_of_hub(static_cast<int>(k), round);
        if (std::binary_search(drawn.begin(), drawn.end(), w.index()))
          w.send(*hubs_[k], spoke_to_hub, {.vector = w.parameters(), .version = round});
      }
      while (static_cast<std::int64_t>(heard[round].size()) < from_hubs_) {
        Message message = co_await w.receive();
        heard[message.version].emplace(message.from->number(), std::move(message.vector));
      }
      w.set_parameters(mean_of(heard[round]));
      heard.erase(round);
      w.merge_work();
      if (w.index() == 0) cluster_->report_round();
    }
  }

  Process hub(int k) {
    Server& s = *hubs_[static_cast<std::size_t>(k)];
    std::map<std::int64_t, std::map<int, Vector>> spokes, hubs;  // by round and sender
    for (std::int64_t round = 0;; ++round) {
      while (static_cast<std::int64_t>(spokes[round].size()) < from_spokes_)
        co_await sort_next(s, spokes, hubs);
      co_await s.spend_update(static_cast<int>(from_spokes_) + 1);
      Vector model = mean_of(spokes[round]);
      spokes.erase(round);
      for (const int other : receivers_of_hub(k, round))
        s.send(*hubs_[static_cast<std::size_t>(other)], hub_to_hub, {.vector = model, .version = round});
      std::size_t senders = 0;
      for (int other = 0; other < static_cast<int>(hubs_.size()); ++other) {
        if (other == k) continue;
        const std::vector<int> receivers = receivers_of_hub(other, round);
        if (std::binary_search(receivers.begin(), receivers.end(), k)) ++senders;
      }
      while (hubs[round].size() < senders) co_await sort_next(s, spokes, hubs);
      hubs[round].emplace(-1, std::move(model));
      const Vector mixed = mean_of(hubs[round]);
      hubs.erase(round);
      for (int i = 0; i < cluster_->size(); ++i) {
        const std::vector<int> drawn = hubs_of_spoke(i, round);
        if (std::binary_search(drawn.begin(), drawn.end(), k))
          s.send(cluster_->worker(i), hub_to_spoke, {.vector = mixed, .version = round});
      }
    }
  }

  /// Receives one message and puts it where it belongs.
  static Task<void> sort_next(Server& s, std::map<std::int64_t, std::map<int, Vector>>& spokes,
                              std::map<std::int64_t, std::map<int, Vector>>& hubs) {
    Message message = co_await s.receive();
    auto& place = message.stream == spoke_to_hub ? spokes : hubs;
    place[message.version].emplace(message.from->number(), std::move(message.vector));
  }

  /// In the order of the senders.
  [[nodiscard]] Vector mean_of(const std::map<int, Vector>& models) const {
    std::vector<Vector> vectors;
    for (const auto& [sender, model] : models) vectors.push_back(model);
    Vector result;
    cluster_->math([&] { result = mean(vectors); });
    return result;
  }

  LocalStepOptions steps_;
  std::int64_t from_spokes_ = 2, to_hubs_ = 1, from_hubs_ = 2;
  Cluster* cluster_ = nullptr;
  std::vector<Server*> hubs_;
};

}  // namespace

void register_hsl(Registry& registry) {
  registry.add_algorithm("hsl", [] { return std::make_unique<HubsAndSpokes>(); });
}

}  // namespace convoy
