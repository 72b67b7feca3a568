#include "training/cluster.hpp"

#include <algorithm>
#include <stdexcept>

#include "training/run_state.hpp"

namespace convoy {

int Cluster::size() const {
  return static_cast<int>(run_.workers.size());
}

Worker& Cluster::worker(int index) {
  return *run_.workers.at(static_cast<std::size_t>(index));
}

const std::vector<Region>& Cluster::regions() const {
  return run_.regions;
}

Time Cluster::now() const {
  return run_.engine.now();
}

RandomStream Cluster::random(std::string_view purpose, std::uint64_t entity, std::uint64_t index) const {
  return RandomStream(run_.setup.seed, purpose, entity, index);
}

std::uint64_t Cluster::seed() const {
  return run_.setup.seed;
}

Server& Cluster::local_server(const Region& region) {
  const auto index = static_cast<std::size_t>(&region - run_.regions.data());
  Server*& server = run_.local_servers.at(index);
  if (server == nullptr) {
    const Placement::Host& host = run_.placement.local_servers.at(index);
    run_.servers.push_back(std::make_unique<Server>(*this, host.name, host.region, host.node,
                                                    size() + static_cast<int>(run_.servers.size())));
    server = run_.servers.back().get();
  }
  return *server;
}

Server& Cluster::global_server() {
  if (run_.global_server == nullptr) {
    const Placement::Host& host = run_.placement.global_server;
    run_.servers.push_back(std::make_unique<Server>(*this, host.name, host.region, host.node,
                                                    size() + static_cast<int>(run_.servers.size())));
    run_.global_server = run_.servers.back().get();
  }
  return *run_.global_server;
}

const Group& Cluster::all() const {
  return run_.groups.front();
}

Group Cluster::group(std::vector<int> members) {
  std::sort(members.begin(), members.end());
  if (members.empty() || members.front() < 0 || members.back() >= size() ||
      std::adjacent_find(members.begin(), members.end()) != members.end()) {
    throw std::logic_error("a group needs distinct workers of the cluster");
  }
  run_.groups.emplace_back(run_.groups.size(), std::move(members));
  return run_.groups.back();
}

Group Cluster::shared_group(std::vector<int> members) {
  std::sort(members.begin(), members.end());
  const auto known = shared_groups_.find(members);
  if (known != shared_groups_.end()) return known->second;
  return shared_groups_.emplace(members, group(members)).first->second;
}

const Vector& Cluster::initial_parameters() const {
  return run_.initial_parameters;
}

const CoupledConstraint* Cluster::coupled_constraint() const {
  return run_.setup.task->coupled_constraint();
}

void Cluster::spawn(std::string name, Process process) {
  run_.engine.spawn(std::move(name), std::move(process));
}

void Cluster::spawn_workers(const std::function<Process(Worker&)>& process) {
  for (const auto& w : run_.workers) spawn(w->name(), process(*w));
}

WorkAccount& Cluster::work() {
  return run_.work;
}

void Cluster::report_steps(std::int64_t steps) {
  run_.report_steps(steps);
}

void Cluster::report_round() {
  run_.report_round();
}

void Cluster::record_staleness(std::int64_t versions) {
  run_.record_staleness(versions);
}

double Cluster::staleness_weight(std::int64_t versions) const {
  return run_.staleness_weight(versions);
}

void Cluster::record(std::string_view name, std::string_view unit, double value) {
  run_.record(name, unit, value);
}

void Cluster::math(const std::function<void()>& job) {
  run_.math(job);
}

Deployed mean_of_workers(Cluster& cluster) {
  Deployed deployed;
  for (int i = 0; i < cluster.size(); ++i) deployed.members.push_back(cluster.worker(i).parameters());
  return deployed;
}

}  // namespace convoy
