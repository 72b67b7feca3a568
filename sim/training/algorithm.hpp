// The interface of an algorithm, and the registry that knows all of them.
//
// An algorithm is one file: its paper and equations at the top, its options declared once, its streams, and a
// few coroutines. Inside one, `co_await` is the only thing that takes virtual time.
//
//   Process LocalSgd::worker(Cluster& cluster, Worker& w) {
//     while (true) {
//       co_await w.local_steps(local_steps_);
//       const Reduced average = co_await w.all_reduce(average_stream, w.parameters());
//       w.set_parameters(average.mean);
//       w.merge_work();
//     }
//   }
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/options.hpp"
#include "hardware/memory.hpp"
#include "learning/vector.hpp"
#include "training/encoding.hpp"
#include "training/staleness_weight.hpp"
#include "training/stream.hpp"

namespace convoy {

class Cluster;
class FabricBuilder;
class GraphBuilder;
struct MixingRequirement;

/// Number that an algorithm counts itself, shown in result.json under "algorithm_report".
struct ReportEntry {
  std::string name;
  Node value;
};

/// What the model that would be deployed now consists of: the mean of `members` (usually one).
struct Deployed {
  std::vector<Vector> members;
};

/// Prose of `sim describe`.
struct AlgorithmCard {
  std::string title;      ///< "HALoS: hierarchical asynchronous local SGD"
  std::string family;     ///< "hierarchical"
  std::string source;     ///< paper, id
  std::string certainty;  ///< "read in the authors' code", "reconstructed: ..."
  std::string equations;  ///< the update rule, a few lines
  std::string deployed;   ///< which model is deployed: "the global server's"
};

class Algorithm {
 public:
  virtual ~Algorithm() = default;
  [[nodiscard]] virtual std::string_view kind() const = 0;
  [[nodiscard]] virtual AlgorithmCard card() const = 0;
  virtual void declare(Options&) {}
  [[nodiscard]] virtual std::vector<Stream> streams() const = 0;
  /// Encodings by stream name that belong to the algorithm itself; a config's "messages" override them.
  [[nodiscard]] virtual std::map<std::string, const EncodingOptions*> encodings() const { return {}; }
  /// Staleness weight that belongs to the algorithm itself; a config's "staleness_weight" overrides it.
  [[nodiscard]] virtual std::optional<StalenessWeight> staleness_weight() const { return std::nullopt; }
  /// True if it places servers, whose update time the config must then state.
  [[nodiscard]] virtual bool uses_servers() const { return false; }
  /// What its replicas keep in device memory; a config's "memory" says otherwise.
  [[nodiscard]] virtual MemoryPlan memory_plan() const { return MemoryPlan::ddp; }
  /// Makes servers, sets initial parameters and spawns the processes. The algorithm outlives the run.
  virtual void start(Cluster& cluster) = 0;
  [[nodiscard]] virtual Deployed deployed() const = 0;
  [[nodiscard]] virtual std::vector<ReportEntry> report() const { return {}; }
  /// The communication graph that it was configured with, and what its theory asks of the weights (checked
  /// before the run, shown by `sim describe`); null where it has none.
  [[nodiscard]] virtual const GraphBuilder* graph() const { return nullptr; }
  [[nodiscard]] virtual const MixingRequirement* graph_requirement() const { return nullptr; }
};

/// Kinds of algorithms, of communication graphs and of physical networks, filled by `cli` and by plug-ins.
struct Registry {
  VariantMakers<Algorithm> algorithms;
  VariantMakers<GraphBuilder> graphs;  ///< filled before the algorithms, which may copy it into their options
  VariantMakers<FabricBuilder> fabrics;            ///< physical networks that a cluster may name
  std::map<std::string, std::string> supplied_by;  ///< kind -> plug-in file, for what a plug-in brought

  /// Throws std::invalid_argument if the kind is taken.
  void add_algorithm(std::string kind, std::function<std::unique_ptr<Algorithm>()> maker);
};

/// A plug-in exports `extern "C" void convoy_register(convoy::Registry&, int interface_version)` and throws
/// std::runtime_error if it was built for another version.
inline constexpr int interface_version = 3;

}  // namespace convoy
