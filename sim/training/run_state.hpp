// The machinery of one run behind Cluster, Worker and Server. Algorithms do not see it.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/engine.hpp"
#include "core/hash.hpp"
#include "core/job_pool.hpp"
#include "hardware/step_clock.hpp"
#include "hardware/workload.hpp"
#include "network/collective.hpp"
#include "network/network.hpp"
#include "network/ring_order.hpp"
#include "training/cluster.hpp"
#include "training/encoding.hpp"
#include "training/evaluator.hpp"
#include "training/group.hpp"
#include "training/mixing_matrix.hpp"
#include "training/simulation.hpp"

namespace convoy {

/// What the digest of a run hashes, in order.
enum class DigestKind : std::uint8_t { step, send, delivery, collective, report, mix, abort };

/// Where a replica stands in the learning-rate schedule.
struct SchedulePlace {
  std::int64_t own_steps = 0;      ///< local steps of its own
  std::int64_t own_rounds = 0;     ///< rounds of its own
  SharedProgress shared;           ///< counters of the run when its round began
  std::int64_t started_since = 0;  ///< local steps of its own since then
};

/// What a message of the whole model weighs, and what a step costs.
struct ChargedWorkload {
  WireShape shape;
  Workload costs;
  std::optional<StatedStepTime> stated;
  /// The workload that the config states, or the task's own model.
  static ChargedWorkload of(const RunSetup& setup);
  /// Samples of a worker's step; a task without math takes the batch of the stated time.
  [[nodiscard]] std::int64_t batch_of(const RunSetup& setup, int worker) const;
  /// Device time of one mini-batch, micro-batch by micro-batch. Throws ConfigError where neither a step time
  /// nor a device says it.
  [[nodiscard]] Duration step_time(const RunSetup& setup, const PhysicalNetwork::Device& device,
                                   int worker) const;
  /// What the devices of one worker exchange after each step, over a ring of them: passes x (bytes / devices
  /// / bandwidth + latency).
  [[nodiscard]] Duration exchange_time(const PhysicalNetwork::Group& group) const;
};

/// Where workers and servers stand in the network.
struct Placement {
  NetworkGraph graph;
  struct Host {
    std::string name, region, host;
    NodeId node;
    double speed = 1;
    Duration step_time;
  };
  std::vector<Host> workers;
  std::vector<Host> local_servers;  ///< one a site
  Host global_server;
  std::optional<double> price;  ///< USD/s of all workers that have one
  /// The cluster's machines, and hosts of their own for the servers.
  static Placement of(const RunSetup& setup, const ChargedWorkload& workload, bool with_servers);
};

/// One collective operation in progress.
struct CollectiveCall {
  CollectiveId id;
  std::vector<std::optional<Vector>> contributions;  ///< by rank in the group
  std::vector<double> weights;
  int arrived = 0;
  std::size_t first = 0;    ///< rank that arrived first
  SharedProgress progress;  ///< when the last member arrived
  std::shared_ptr<Vector> mean = std::make_shared<Vector>();
  JobHandle reduction;
  Completion<Reduced> done;
  CollectiveCall(int members, Description description)
      : contributions(static_cast<std::size_t>(members)),
        weights(static_cast<std::size_t>(members), 0),
        done(std::move(description)) {}
};

/// What one worker has received for one mixing round.
struct MixRound {
  std::map<int, Vector> received;  ///< by neighbour
  std::optional<Vector> own;
  std::shared_ptr<const MixingMatrix> graph;
  Completion<Vector> done;
  explicit MixRound(Description description) : done(std::move(description)) {}
};

class RunState {
 public:
  RunState(const RunSetup& setup, JobPool& pool);
  RunState(const RunState&) = delete;
  RunState& operator=(const RunState&) = delete;
  ~RunState();

  /// Runs to the end. Call once.
  RunResult run();

  // Messages (exchange.cpp).
  Completion<void> send(Endpoint& from, Endpoint& to, const Stream& stream, Outgoing outgoing);
  Completion<Reduced> collective(CollectiveKind kind, const Group& group, Worker& w, const Stream& stream,
                                 const Vector& x, double weight, const ModelPart& part = {});
  Completion<Vector> mix(const MixingMatrix& graph, Worker& w, const Stream& stream, const Vector& x,
                         const ModelPart& part);
  Completion<Vector> mix(const GraphSequence& graphs, Worker& w, const Stream& stream, const Vector& x,
                         const ModelPart& part);

  // Counters.
  void report_steps(std::int64_t steps);
  void report_round();
  void record(std::string_view name, std::string_view unit, double value);
  void record_staleness(std::int64_t versions);
  void digest_event(DigestKind kind, int entity, std::string_view stream, std::int64_t version);
  /// The run has met a loss or a parameter that is not finite.
  void diverge(const std::string& what);
  void stop(StopReason reason, std::string message = {});
  /// Runs math on the spot, counting its wall time.
  void math(const std::function<void()>& job);
  /// Launches math whose result is needed at `needed`.
  JobHandle launch(Time needed, std::function<void()> job);
  void join(JobHandle& job);
  [[nodiscard]] Counters counters() const;
  /// What multiplies the optimizer's learning rate at that place; 1 without a schedule.
  [[nodiscard]] double schedule_factor(const SchedulePlace& place) const;
  [[nodiscard]] const EncodingOptions* encoding(std::string_view stream) const;
  [[nodiscard]] std::int64_t samples_of(std::int64_t steps) const { return steps * batch_size; }

  const RunSetup& setup;
  JobPool& pool;
  ChargedWorkload workload;
  Placement placement;
  Engine engine;
  std::unique_ptr<Network> network;
  std::unique_ptr<Collectives> collectives;
  Cluster cluster;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<Region> regions;
  std::deque<Group> groups;  ///< the first is all workers
  std::vector<std::unique_ptr<Server>> servers;
  std::vector<Server*> local_servers;  ///< by region; null until asked for
  Server* global_server = nullptr;
  WorkAccount work;
  Vector initial_parameters;
  StalenessWeight staleness_weight;
  double largest_speed = 1;
  std::int64_t batch_size = 1;

  SharedProgress progress;
  Evaluator evaluator;

 private:
  struct Recorded {
    std::string unit;
    double value;
  };
  friend class Evaluator;
  using Key = std::tuple<std::uint64_t, CollectiveKind, std::string>;  // group, kind, stream

  void check_messages() const;
  /// When the steps of a worker end, as the cluster's variation has it.
  [[nodiscard]] StepClock step_clock(std::size_t worker) const;
  void transmit(Endpoint& from, Endpoint& to, const Stream& stream, std::int64_t bytes, Callback delivered);
  void move_bytes(Endpoint& end, int change);
  [[nodiscard]] Encoder& encoder(const Endpoint& sender, const Stream& stream, const ModelPart& part = {});
  void count_stream(const Stream& stream, std::int64_t bytes, std::int64_t messages);
  std::shared_ptr<CollectiveCall> open_collective(CollectiveKind kind, const Group& group,
                                                  const Stream& stream, std::int64_t bytes);
  void launch_reduction(const std::shared_ptr<CollectiveCall>& call, CollectiveKind kind);
  void finish_collective(CollectiveCall& call, CollectiveKind kind, const Group& group, const Stream& stream);
  /// Number of the worker's next mixing round on a stream, from 0.
  std::int64_t next_mix(const Worker& w, const Stream& stream);
  Completion<Vector> mix_in_round(std::shared_ptr<const MixingMatrix> graph, std::int64_t round, Worker& w,
                                  const Stream& stream, const Vector& x, const ModelPart& part);
  MixRound& mix_round(int worker, const Stream& stream, std::int64_t round);
  void try_finish_mix(int worker, const Stream& stream, std::int64_t round);
  [[nodiscard]] Duration first_no_progress() const;
  [[nodiscard]] RunResult collect(std::optional<EndReason> reason, const std::string& failure);
  void collect_network(RunResult& result) const;
  void collect_final(RunResult& result);

  std::map<std::tuple<const Endpoint*, std::string, std::int64_t>, Encoder> encoders_;  ///< by part as well
  /// Of a group: its ranks in ring order, and where each rank stands in it.
  struct Ring {
    std::vector<int> ranks, positions;
  };
  std::map<std::uint64_t, Ring> rings_;
  std::map<Key, std::vector<std::int64_t>> next_call_;  ///< by rank
  std::map<Key, std::map<std::int64_t, std::shared_ptr<CollectiveCall>>> open_calls_;
  std::map<std::string, std::vector<std::int64_t>> next_mix_;             ///< by stream and worker
  std::map<std::tuple<std::string, int, std::int64_t>, MixRound> mixes_;  ///< stream, worker, round
  std::map<std::string, StreamUse> stream_use_;
  std::map<std::string, Recorded> recorded_;
  std::map<std::int64_t, std::int64_t> staleness_;
  StableHasher digest_;
  std::optional<StopReason> stop_reason_;
  std::string stop_message_;
  Duration first_no_progress_;  ///< limit before the first report
  Duration longest_gap_;
  Time last_report_;
  std::mutex math_mutex_;
  double math_s_ = 0;
};

}  // namespace convoy
