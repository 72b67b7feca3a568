// The cluster of one run, as an algorithm sees it: workers, regions, servers, counters.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/process.hpp"
#include "core/random.hpp"
#include "training/algorithm.hpp"
#include "training/group.hpp"
#include "training/message.hpp"
#include "training/server.hpp"
#include "training/staleness_weight.hpp"
#include "training/work.hpp"
#include "training/worker.hpp"

namespace convoy {

class CoupledConstraint;
class RunState;

/// Workers that share a region's network.
struct Region {
  std::string name;
  std::vector<Worker*> workers;
};

class Cluster {
 public:
  explicit Cluster(RunState& run) : run_(run) {}
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  [[nodiscard]] int size() const;
  [[nodiscard]] Worker& worker(int index);
  [[nodiscard]] const std::vector<Region>& regions() const;
  [[nodiscard]] Time now() const;
  /// The run's stream of that name: the same for every algorithm with the same seed.
  [[nodiscard]] RandomStream random(std::string_view purpose, std::uint64_t entity = 0,
                                    std::uint64_t index = 0) const;
  [[nodiscard]] std::uint64_t seed() const;

  /// A server on its own host in a region ("r0.server"); the global one stands where the config says
  /// (default: the first region), on a host of its own.
  Server& local_server(const Region& region);
  Server& global_server();

  /// All workers.
  [[nodiscard]] const Group& all() const;
  /// A group of some workers, for collectives among them. Throws std::logic_error for an unknown, repeated or
  /// missing member.
  [[nodiscard]] Group group(std::vector<int> members);
  /// The same, but one group for ever for the same members: for groups that are drawn again and again.
  [[nodiscard]] Group shared_group(std::vector<int> members);

  /// Parameters that every replica starts from.
  [[nodiscard]] const Vector& initial_parameters() const;
  /// What joins the blocks of parameters that the workers own (learning/coupled_constraint.hpp); null for a
  /// task whose replicas are of one model.
  [[nodiscard]] const CoupledConstraint* coupled_constraint() const;
  /// Starts a process of the algorithm, as an event at the present instant.
  void spawn(std::string name, Process process);
  /// Starts `process(w)` for each worker, under its name.
  void spawn_workers(const std::function<Process(Worker&)>& process);

  [[nodiscard]] WorkAccount& work();
  /// `steps` local steps have been reported to the owner of the deployed model; stop rules count them.
  void report_steps(std::int64_t steps);
  /// One synchronisation is complete.
  void report_round();
  void record_staleness(std::int64_t versions);
  [[nodiscard]] double staleness_weight(std::int64_t versions) const;
  /// Adds a column "x.<name>" to metrics.csv, the value standing until the next one.
  void record(std::string_view name, std::string_view unit, double value);
  /// Runs math on the spot and counts its wall time as math.
  void math(const std::function<void()>& job);

 private:
  std::map<std::vector<int>, Group> shared_groups_;
  friend class Endpoint;
  friend class GradientModel;
  friend class Server;
  friend class ServerModel;
  friend class Worker;
  RunState& run_;
};

/// The replicas of all workers: the deployed model is their mean.
[[nodiscard]] Deployed mean_of_workers(Cluster& cluster);

}  // namespace convoy
