// Decoupled DiLoCo: learners never wait; a syncer merges fragments of those that are there (arXiv
// 2604.21428).
//
//   learner m  every H local steps sends fragment p of its model and its step counter; tau steps later, or
//   when it
//              arrives, takes in the syncer's fragment:  x_p <- alpha x_p + (1 - alpha) Theta_p
//   syncer     once K learners have sent fragment p, and a grace time after that, among those that have sent
//   it:
//              Delta_m = Theta_p - x_m,p;  w_m = tokens_m^2 / steps_m since the last merge of m
//              Theta_p <- Nesterov(Theta_p, merge_m(w_m, Delta_m));  Theta_p goes to all learners
//
//   merge: rda     (sum w |D| / sum w) unit(sum w unit(D)): the length is kept where directions differ; the
//   average where
//                  they cancel
//          average sum w D / sum w
//
// With tau = 0 a learner waits for its fragment: with one fragment, all learners as quorum and plain averages
// it is DiLoCo.
#include <cmath>
#include <map>

#include "algorithms/all.hpp"
#include "core/process.hpp"
#include "training/cluster.hpp"
#include "training/fragment_schedule.hpp"
#include "training/limits.hpp"

namespace convoy {
namespace {

constexpr Stream learner_to_syncer{"learner_to_syncer", Payload::state};
constexpr Stream syncer_to_learner{"syncer_to_learner", Payload::state};

/// Rotation-preserving average of D with weights w; the plain one where the directions cancel.
Vector merge_directions(const std::vector<double>& weights, const std::vector<Vector>& deltas) {
  double total = 0, length = 0;
  std::vector<double> of_units, plain;
  for (std::size_t m = 0; m < deltas.size(); ++m) {
    const double size = deltas[m].norm();
    total += weights[m];
    length += weights[m] * size;
    of_units.push_back(size > 0 ? weights[m] / size : 0);
    plain.push_back(weights[m]);
  }
  Vector direction = weighted_sum(of_units, deltas);
  const double size = direction.norm();
  if (size > 1e-6 * total) return (length / total / size) * direction;
  return (1 / total) * weighted_sum(plain, deltas);
}

class DecoupledDiLoCo final : public Algorithm {
 public:
  [[nodiscard]] std::string_view kind() const override { return "decoupled_diloco"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {
        .title = "Decoupled DiLoCo",
        .family = "overlapped",
        .source = "arXiv 2604.21428",
        .certainty =
            "rule from a summary; the grace time is fixed here, adaptive in the paper; fragments are runs of "
            "equal bytes; the outer rate is DiLoCo's, the paper's is not known",
        .equations =
            "Theta_p <- Nesterov(Theta_p, RDA_m(w_m, Theta_p - x_m,p)) over a quorum, w = tokens^2 / steps",
        .deployed = "the syncer's"};
  }
  void declare(Options& options) override {
    options.add("local_steps", period_)
        .at_least(1)
        .tunable(8, 512)
        .help("H: local steps between two sends of a fragment");
    options.add("fragments", fragments_)
        .at_least(1)
        .help("P: runs of equal bytes that the model is cut into, at most H")
        .source("arXiv 2604.21428: 24");
    options.add("delay", delay_)
        .at_least(0)
        .help("tau: local steps after a send before its result is taken in; 0: the learner waits for it")
        .source("arXiv 2604.21428: 2");
    options.add("quorum", quorum_).at_least(1).tunable(1, 8).help("K: learners whose fragment a merge needs");
    options.add("grace", grace_)
        .at_least(0)
        .help("time for which a merge waits for more learners than the quorum");
    options.add("merge", merge_, {{"rda", Merge::rda}, {"average", Merge::average}})
        .help("rda: average of directions, average of lengths; average: of the vectors");
    options.add("local_weight", alpha_)
        .between(0, 1)
        .help("alpha: weight of the learner's own fragment in a merge");
    options.add("outer", outer_)
        .help("outer optimizer of each fragment")
        .source("DiLoCo: Nesterov 0.7 / 0.9");
    options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
      if (fragments_ > period_) {
        faults.add(whole, path + ".fragments",
                   "exceeds local_steps: a learner sends one fragment a step at most",
                   "1 to " + std::to_string(period_));
      }
    });
  }
  [[nodiscard]] std::vector<Stream> streams() const override {
    return {learner_to_syncer, syncer_to_learner};
  }
  [[nodiscard]] bool uses_servers() const override { return true; }
  [[nodiscard]] Deployed deployed() const override { return {{theta_}}; }
  [[nodiscard]] std::vector<ReportEntry> report() const override {
    const double mean =
        merges_ == 0 ? 0 : static_cast<double>(merged_learners_) / static_cast<double>(merges_);
    return {{"merges", Node::of(merges_)}, {"learners_a_merge", Node::of(mean)}};
  }

  void start(Cluster& cluster) override {
    cluster_ = &cluster;
    require_at_most("quorum", quorum_, cluster.size(), "learners");
    theta_ = cluster.initial_parameters();
    for (std::int64_t p = 0; p < fragments_; ++p) {
      fragment_.push_back(
          {.part = ModelPart::fragment(p, fragments_),
           .outer = OuterOptimizer(outer_),
           .sent = {},
           .counted = std::vector<std::int64_t>(static_cast<std::size_t>(cluster.size()), 0)});
    }
    learners_.resize(static_cast<std::size_t>(cluster.size()));
    cluster.spawn(cluster.global_server().name(), syncer(cluster.global_server()));
    cluster.spawn_workers([this](Worker& w) { return learner(w); });
  }

 private:
  enum class Merge { rda, average };
  struct Fragment {
    ModelPart part;
    OuterOptimizer outer;
    std::map<int, Message> sent;        // by learner: what waits for the next merge
    std::vector<std::int64_t> counted;  // by learner: steps that earlier merges have counted
    bool closing = false;               // the quorum is there, the grace time runs
  };
  struct Learner {
    std::map<std::int64_t, Vector> arrived;  // the latest of each fragment that the learner has not taken in
    std::optional<Completion<void>> news;
  };

  Process learner(Worker& w) {
    Learner& own = learners_[static_cast<std::size_t>(w.index())];
    cluster_->spawn(w.name() + " hears", hear(w, own));
    std::map<std::int64_t, std::int64_t> due;  // by fragment: step from which a result is taken in
    for (std::int64_t step = 1;; ++step) {
      co_await w.local_step();
      if (const auto p = due_fragment(step, period_, fragments_)) {
        const ModelPart& part = fragment_[static_cast<std::size_t>(*p)].part;
        w.send(cluster_->global_server(), learner_to_syncer,
               {.vector = part.of(w.parameters()),
                .version = *p,
                .work = w.take_work(),
                .steps = step,
                .part = part});
        due[*p] = step + delay_;
        while (delay_ == 0 && own.arrived.empty()) {
          own.news.emplace("its merged fragment");
          co_await Completion<void>(*own.news);
        }
      }
      Vector x = w.parameters();
      for (auto merged = own.arrived.begin(); merged != own.arrived.end();) {
        const auto& [p, theta] = *merged;
        if (due[p] > step) {
          ++merged;
          continue;
        }
        const ModelPart& part = fragment_[static_cast<std::size_t>(p)].part;
        cluster_->math([&, &from = theta] {
          Vector local = part.of(x);
          local.lerp(from, 1 - alpha_);
          part.write(x, local);
        });
        merged = own.arrived.erase(merged);
      }
      w.set_parameters(std::move(x));
    }
  }
  Process hear(Worker& w, Learner& own) {
    while (true) {
      Message merged = co_await w.receive();
      own.arrived[merged.version] = std::move(merged.vector);
      if (own.news && !own.news->done()) own.news->set();
    }
  }

  Process syncer(Server& server) {
    while (true) {
      Message sent = co_await server.receive();
      const std::int64_t p = sent.version;
      Fragment& fragment = fragment_[static_cast<std::size_t>(p)];
      const int learner = sent.from->number();
      if (const auto older = fragment.sent.find(learner); older != fragment.sent.end())
        sent.work.add(std::move(older->second.work));
      fragment.sent.insert_or_assign(learner, std::move(sent));
      if (fragment.closing || static_cast<std::int64_t>(fragment.sent.size()) < quorum_) continue;
      fragment.closing = true;
      cluster_->spawn(server.name() + " merges", close(server, p));
    }
  }
  Process close(Server& server, std::int64_t p) {
    Fragment& fragment = fragment_[static_cast<std::size_t>(p)];
    if (grace_ > Duration::zero()) co_await delay(grace_);
    fragment.closing = false;
    std::map<int, Message> merged = std::exchange(fragment.sent, {});
    co_await server.spend_update(ServerModel::vectors_touched);
    std::vector<double> weights;
    std::vector<Vector> deltas;
    Vector own = fragment.part.of(theta_);
    for (auto& [learner, message] : merged) {
      const auto m = static_cast<std::size_t>(learner);
      const auto steps = static_cast<double>(message.steps - fragment.counted[m]);
      const double tokens = steps * static_cast<double>(cluster_->worker(learner).batch_size());
      fragment.counted[m] = message.steps;
      weights.push_back(tokens * tokens / steps);
      cluster_->math([&, &vector = message.vector] { deltas.push_back(own - vector); });
      const std::int64_t credited = message.work.steps();
      cluster_->work().merge(std::move(message.work));
      cluster_->report_steps(credited);
    }
    cluster_->math([&] {
      fragment.outer.step(
          own, merge_ == Merge::rda ? merge_directions(weights, deltas) : average(weights, deltas));
      fragment.part.write(theta_, own);
    });
    ++merges_;
    merged_learners_ += static_cast<std::int64_t>(merged.size());
    cluster_->report_round();
    for (int i = 0; i < cluster_->size(); ++i) {
      server.send(cluster_->worker(i), syncer_to_learner,
                  {.vector = own, .version = p, .part = fragment.part});
    }
  }

  [[nodiscard]] static Vector average(const std::vector<double>& weights, const std::vector<Vector>& deltas) {
    double total = 0;
    for (const double weight : weights) total += weight;
    return (1 / total) * weighted_sum(weights, deltas);
  }

  std::int64_t period_ = 24, fragments_ = 4, delay_ = 2, quorum_ = 1;
  Duration grace_;
  Merge merge_ = Merge::rda;
  double alpha_ = 0;
  OuterOptimizerOptions outer_{
      .kind = OuterOptimizerOptions::Kind::nesterov, .learning_rate = 0.7, .momentum = 0.9};
  Cluster* cluster_ = nullptr;
  Vector theta_;
  std::vector<Fragment> fragment_;
  std::vector<Learner> learners_;
  std::int64_t merges_ = 0, merged_learners_ = 0;
};

}  // namespace

void register_decoupled_diloco(Registry& registry) {
  registry.add_algorithm("decoupled_diloco", [] { return std::make_unique<DecoupledDiLoCo>(); });
}

}  // namespace convoy
