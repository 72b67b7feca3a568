// One entry of an experiment's "algorithms": the algorithm's own options beside those that all of them share.
//
//   {"kind": "halos", "label": "halos K=32", "updates_per_exchange": 32,
//    "optimizer": {"kind": "adamw", "learning_rate": 1e-3}, "messages": {"local_to_global": {"compressor":
//    "bf16"}}}
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/options.hpp"
#include "training/algorithm.hpp"
#include "training/run_options.hpp"

namespace convoy {

class AlgorithmBlock {
 public:
  using Maker = std::function<std::unique_ptr<Algorithm>()>;
  AlgorithmBlock(std::string kind, Maker maker);

  [[nodiscard]] std::string_view kind() const { return kind_; }
  [[nodiscard]] const std::string& label() const { return shared_.label; }
  /// Of this block alone; see `effective_training`.
  [[nodiscard]] const SharedAlgorithmOptions& shared() const { return shared_; }
  /// The instance that the options were read into: for its card, streams and needs, never to be run.
  [[nodiscard]] const Algorithm& algorithm() const { return *algorithm_; }
  /// A fresh instance with the same options, for one run.
  [[nodiscard]] std::unique_ptr<Algorithm> make() const;
  /// The algorithm's own options, then label, optimizer, schedule, clip, messages, staleness_weight.
  void declare(Options& options);
  /// Own options with the shared ones other than label and training, as a run's config states them.
  [[nodiscard]] Node values() const;
  /// Whether the block writes "clip" (null, too, is written: no clipping).
  [[nodiscard]] bool writes_clip() const { return writes_clip_; }
  /// What the block writes, else what the algorithm itself brings.
  [[nodiscard]] StalenessWeight staleness_weight() const;
  /// Faults of the streams that "messages" names: unknown ones, lossy encodings of a state that must not
  /// lose.
  void check_messages(const Node& block, const std::string& path, FaultSink& faults) const;

 private:
  std::string kind_;
  Maker maker_;
  std::unique_ptr<Algorithm> algorithm_;
  SharedAlgorithmOptions shared_;
  bool writes_clip_ = false, writes_staleness_weight_ = false;
};

/// A block for each algorithm that is registered.
[[nodiscard]] VariantMakers<AlgorithmBlock> algorithm_block_makers(const Registry& registry);

/// What the replicas of one algorithm train with: the experiment's training block, overridden by the
/// algorithm's own.
struct EffectiveTraining {
  const Optimizer* optimizer = nullptr;  ///< null: none is configured
  const Schedule* schedule = nullptr;    ///< null: constant
  std::optional<double> clip;
};
[[nodiscard]] EffectiveTraining effective_training(const TrainingOptions& common,
                                                   const AlgorithmBlock& block);

}  // namespace convoy
