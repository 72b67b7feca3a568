// What one training step costs: the tensors whose bytes go over the wire, and the FLOPs of a sample.
//
//   Workload load = stand_in("pythia-70m");
//   load.parameters();        // 70,426,624
//   load.parameter_bytes();   // 281,706,496
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/options.hpp"
#include "core/time.hpp"
#include "hardware/compute_model.hpp"
#include "hardware/memory_options.hpp"
#include "hardware/sparse_tables.hpp"
#include "hardware/tensor_shape.hpp"
#include "hardware/transformer.hpp"

namespace convoy {

struct Workload {
  std::string name{};
  std::vector<TensorShape> tensors{};     ///< in the order of the model
  double bytes_per_parameter = 4;         ///< of the wire and of memory; of an activation's number too
  std::int64_t tokens_per_sample = 1;     ///< 1 where a sample is no sequence
  std::optional<double> forward_flops{};  ///< FLOPs of a sample's forward pass, where 2 N a token is not it
  std::optional<TransformerShape> transformer{};  ///< whose attention and activations are charged
  Recompute recompute = Recompute::none;          ///< of a transformer
  double activation_elements = 0;   ///< numbers that a sample's backward pass needs; no transformer's
  std::int64_t table_elements = 0;  ///< parameters of which a step touches what its samples name,
  double gathered_elements = 0;     ///< this many a sample

  [[nodiscard]] std::int64_t parameters() const { return elements_of(tensors); }
  /// Bytes of the whole model, rounded up.
  [[nodiscard]] std::int64_t parameter_bytes() const;
  /// Cost of forward and backward over `batch` samples. FLOPs: three forward passes, or 6 N a token (Kaplan
  /// et al. 2020) with a transformer's attention and recomputation. Memory traffic, as a lower bound: three
  /// passes over the parameters (read forward, read backward, gradient written; of tables the rows in use),
  /// activations written once and read once. Rows of the matrix products: the batch's tokens.
  [[nodiscard]] ComputeCost training_cost(std::int64_t batch) const;
  /// FLOPs of that without recomputation: what a model FLOPs utilisation counts.
  [[nodiscard]] double model_flops(std::int64_t batch) const;
  /// Bytes that the backward pass of `samples` keeps; 0 where nothing says it.
  [[nodiscard]] double activations(std::int64_t samples) const;

 private:
  [[nodiscard]] double flops(std::int64_t batch, Recompute mode) const;
};

/// DLRM-like: wire and memory hold the tables, a step touches rows.
[[nodiscard]] Workload sparse_workload(std::string name, const SparseTables& tables);

/// The config's "workload": a stand-in, a transformer, sparse tables or a custom size, and optionally the
/// stated time of a step.
///   {"stand_in": "pythia-70m", "reference_batch": 64, "step_time": "238.391 ms"}
///   {"transformer": {"layers": 24, "width": 2048, ...}, "memory": {"scheme": "zero2", "micro_batch": 4}}
///   {"parameters": 7000000000, "bytes_per_parameter": 2, "tokens_per_sample": 4096}
struct WorkloadOptions {
  std::optional<std::string> stand_in;
  std::optional<TransformerOptions> transformer;
  std::optional<SparseTables> sparse;
  std::optional<std::int64_t> parameters;     ///< one matrix of that many elements
  std::optional<double> bytes_per_parameter;  ///< 4 where unset
  std::optional<std::int64_t> tokens_per_sample;
  std::optional<Recompute> recompute;
  std::optional<std::int64_t> reference_batch;
  std::optional<Duration> step_time;
  std::optional<Duration> fixed_time;
  std::optional<MemoryOptions> memory;  ///< how replicas keep their state, for every algorithm
  /// Rules beyond ranges: at most one model; step_time and reference_batch together; fixed_time at most
  /// step_time and only with it; recomputation of transformers only.
  void declare(Options& options);

  /// Whether a model is written at all.
  [[nodiscard]] bool states_model() const { return stand_in || transformer || sparse || parameters; }
  /// The model that is charged; nothing where none is written (charge the model that trains). Throws
  /// ConfigError.
  [[nodiscard]] std::optional<Workload> workload() const;
  /// The stated step time; nothing where none is written (a roofline has to say).
  [[nodiscard]] std::optional<StatedStepTime> stated() const;

 private:
  void check_model(const Node& whole, const std::string& path, FaultSink& faults) const;
  void check_time(const Node& whole, const std::string& path, FaultSink& faults) const;
};

}  // namespace convoy
