#include "algorithms/hierarchical/halos.hpp"

#include "algorithms/all.hpp"

namespace convoy {

Halos::Halos() {
  using Kind = OuterOptimizerOptions::Kind;
  steps_ = {.local_steps = 8, .dynamic_local_steps = true};
  local_options_ = {.kind = Kind::delayed_nesterov, .learning_rate = 3.2, .momentum = 0.9, .period = 16};
  global_options_ = {.kind = Kind::delayed_nesterov, .learning_rate = 0.3, .momentum = 0.5, .period = 2};
}

AlgorithmCard Halos::card() const {
  return {
      .title = "HALoS: hierarchical asynchronous local SGD",
      .family = "hierarchical",
      .source = "Kim et al., ICML 2025, arXiv 2506.04531; code utnslab/halos",
      .certainty = "read in the authors' code",
      .equations =
          "local server, on push g: theta <- DN_l(theta, g); every K pushes Delta = theta_merged - theta "
          "goes to the "
          "global server: Theta <- DN_g(Theta, Delta); on return theta <- (1 - alpha) theta + alpha Theta",
      .deployed = "the global server's"};
}

void Halos::declare(Options& options) {
  steps_.declare(options);
  options.add("updates_per_exchange", updates_per_exchange_)
      .at_least(1)
      .tunable(1, 128)
      .help(
          "pushes K that a local server applies between a merge and its next exchange with the global server")
      .source("arXiv 2506.04531");
  options.add("global_weight", global_weight_)
      .between(0, 1)
      .help(
          "weight alpha of the global model when a region merges it; 1 replaces the regional model, 0 "
          "ignores the global one")
      .source("HALoS code; its command-line help says the opposite");
  options.add("local_server", local_options_)
      .help("optimizer of each local server")
      .source("HALoS scripts: eta 0.2 x 16, beta 0.9, N 16");
  options.add("global_server", global_options_)
      .help("optimizer of the global server")
      .source("HALoS scripts: eta 0.15 x 2, beta 0.5, N 2");
}

std::vector<Stream> Halos::streams() const {
  return {worker_to_local, local_to_worker, local_to_global, global_to_local};
}

void Halos::start(Cluster& cluster) {
  const Vector& initial = cluster.initial_parameters();
  initial_ = initial;
  global_ = std::make_unique<ServerModel>(cluster, initial, global_options_);
  Server& global = cluster.global_server();
  for (const Region& region : cluster.regions()) {
    Server& local = cluster.local_server(region);
    locals_.push_back(std::make_unique<ServerModel>(cluster, initial, local_options_));
    counts_.push_back(std::make_unique<RegionCounts>(RegionCounts{.name = region.name}));
    for (Worker* w : region.workers) {
      cluster.spawn(w->name(), push_pull_cycle(*w, local, worker_to_local, steps_.of(*w)));
    }
    cluster.spawn(local.name(),
                  local_server(cluster, local, region, *locals_.back(), global, *counts_.back()));
  }
  cluster.spawn(global.name(), global_server(cluster, global));
}

Process Halos::local_server(Cluster& cluster, Server& s, const Region& region, ServerModel& model,
                            Server& global, RegionCounts& counts) {
  Vector merged = model.parameters();  // theta_merged
  std::int64_t merged_version = 0;
  std::int64_t global_version = 0;  // of the global model merged last
  std::int64_t unreported = 0;      // steps trained here since the last send
  Credits next_delta, in_flight;
  for (Worker* w : region.workers) {
    s.send(*w, local_to_worker, {.vector = model.parameters(), .version = model.version()});
  }
  while (true) {
    Message m = co_await s.receive();
    co_await s.spend_update(ServerModel::vectors_touched);
    if (m.stream == global_to_local) {
      Vector theta = model.parameters();
      cluster.math([&] { theta.lerp(m.vector, global_weight_); });
      model.set_parameters(theta);
      merged = theta;
      merged_version = model.version();
      global_version = m.version;
      ++counts.merges;
      cluster.work().discard(std::move(in_flight), "overwritten_at_merge");
      continue;
    }
    model.apply(m);
    ++counts.updates;
    unreported += m.steps;
    const bool exchanging = model.version() > merged_version + updates_per_exchange_;
    (exchanging ? in_flight : next_delta).add(std::move(m.work));
    if (model.version() == merged_version + updates_per_exchange_) {
      ++counts.sends;
      counts.sent_updates += updates_per_exchange_;
      s.send(global, local_to_global,
             {.vector = merged - model.parameters(),
              .version = global_version,
              .work = std::move(next_delta),
              .steps = unreported});
      unreported = 0;
    }
    s.send(*m.from, local_to_worker, {.vector = model.parameters(), .version = model.version()});
  }
}

Process Halos::global_server(Cluster& cluster, Server& s) {
  while (true) {
    Message delta = co_await s.receive();
    co_await s.spend_update(ServerModel::vectors_touched);
    if (delta_sum_.empty()) {
      delta_sum_ = delta.vector;
    } else {
      delta_sum_ += delta.vector;
    }
    global_->apply(delta, ServerModel::Record::own_only);
    cluster.work().merge(std::move(delta.work));
    cluster.report_round();
    cluster.report_steps(delta.steps);
    s.send(*delta.from, global_to_local, {.vector = global_->parameters(), .version = global_->version()});
  }
}

std::vector<ReportEntry> Halos::report() const {
  std::vector<ReportEntry> entries = {{"global_updates", Node::of(global_->version())},
                                      {"global_staleness_mean", Node::of(global_->mean_staleness())},
                                      {"global_staleness_max", Node::of(global_->max_staleness())}};
  std::int64_t updates = 0, sent = 0, stalest = 0;
  double staleness = 0;
  Node regions = Node::list();
  for (std::size_t r = 0; r < counts_.size(); ++r) {
    const RegionCounts& counts = *counts_[r];
    Node entry = Node::object();
    entry.set("region", Node::of(counts.name));
    entry.set("updates", Node::of(counts.updates));
    entry.set("sends", Node::of(counts.sends));
    entry.set("merges", Node::of(counts.merges));
    // Share of the region's updates that ever enter a Delta.
    entry.set("share_sent", Node::of(counts.updates == 0 ? 0.0
                                                         : static_cast<double>(counts.sent_updates) /
                                                               static_cast<double>(counts.updates)));
    entry.set("staleness_mean", Node::of(locals_[r]->mean_staleness()));
    regions.items.push_back(std::move(entry));
    updates += counts.updates;
    sent += counts.sent_updates;
    staleness += locals_[r]->mean_staleness() * static_cast<double>(counts.updates);
    stalest = std::max(stalest, locals_[r]->max_staleness());
  }
  entries.push_back({"local_updates", Node::of(updates)});
  entries.push_back(
      {"local_staleness_mean", Node::of(updates == 0 ? 0.0 : staleness / static_cast<double>(updates))});
  entries.push_back({"local_staleness_max", Node::of(stalest)});
  entries.push_back(
      {"share_sent",
       Node::of(updates == 0 ? 0.0 : static_cast<double>(sent) / static_cast<double>(updates))});
  entries.push_back({"regions", std::move(regions)});
  // ||Theta_0 - Theta - sum of Deltas||: zero up to rounding where the global optimizer is plain SGD with
  // learning rate 1.
  if (!delta_sum_.empty())
    entries.push_back({"delta_balance", Node::of((initial_ - global_->parameters()).distance(delta_sum_))});
  return entries;
}

void register_halos(Registry& registry) {
  registry.add_algorithm("halos", [] { return std::make_unique<Halos>(); });
}

}  // namespace convoy
