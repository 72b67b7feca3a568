// What one training step costs: the tensors whose bytes go over the wire, and the FLOPs of a sample.
//
//   Workload load = stand_in("pythia-70m");
//   load.parameters();        // 70,426,624
//   load.parameter_bytes();   // 281,706,496
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/options.hpp"
#include "core/time.hpp"
#include "hardware/compute_model.hpp"

namespace convoy {

/// One parameter tensor. Vectors (biases, norms) have cols == 1 and matrix == false.
struct TensorShape {
  std::string name{};
  std::int64_t rows = 0;
  std::int64_t cols = 1;
  bool matrix = false;
  [[nodiscard]] std::int64_t elements() const { return rows * cols; }
};

struct Workload {
  std::string name{};
  std::vector<TensorShape> tensors{};     ///< in the order of the model
  double bytes_per_parameter = 4;         ///< of the wire and of memory
  std::int64_t tokens_per_sample = 1;     ///< 1 where a sample is no sequence
  std::optional<double> forward_flops{};  ///< FLOPs of a sample's forward pass, where 2 N a token is not it

  [[nodiscard]] std::int64_t parameters() const;
  /// Bytes of the whole model, rounded up.
  [[nodiscard]] std::int64_t parameter_bytes() const;
  /// Cost of forward and backward over `batch` samples: three forward passes, or 6 N FLOPs a token (Kaplan et
  /// al. 2020; attention left out), and as memory traffic the lower bound of 3 passes over the parameters
  /// (read forward, read backward, gradient written).
  [[nodiscard]] ComputeCost training_cost(std::int64_t batch) const;
};

/// Names of the stand-ins, ascending.
[[nodiscard]] std::vector<std::string> stand_ins();
/// Throws ConfigError (path `path`) naming the nearest stand-in. tokens_per_sample is 2048 for pythia-70m.
[[nodiscard]] Workload stand_in(std::string_view name, std::string_view path = {});

/// The config's "workload": a stand-in or a custom size, and optionally the stated time of a step.
///   {"stand_in": "pythia-70m", "reference_batch": 64, "step_time": "238.391 ms"}
///   {"parameters": 7000000000, "bytes_per_parameter": 2, "tokens_per_sample": 4096}
struct WorkloadOptions {
  std::optional<std::string> stand_in;
  std::optional<std::int64_t> parameters;     ///< one matrix of that many elements
  std::optional<double> bytes_per_parameter;  ///< 4 where unset
  std::optional<std::int64_t> tokens_per_sample;
  std::optional<std::int64_t> reference_batch;
  std::optional<Duration> step_time;
  std::optional<Duration> fixed_time;
  /// Rules beyond ranges: at most one of stand_in and parameters; step_time and reference_batch together;
  /// fixed_time at most step_time and only with it.
  void declare(Options& options);

  /// The stand-in or custom workload; nothing where neither is written (charge the model that trains). Throws
  /// ConfigError.
  [[nodiscard]] std::optional<Workload> workload() const;
  /// The stated step time; nothing where none is written (a roofline has to say).
  [[nodiscard]] std::optional<StatedStepTime> stated() const;
};

}  // namespace convoy
