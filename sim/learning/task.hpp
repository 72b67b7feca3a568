// What is learned: parameters in, mini-batch gradients and metrics out. Knows neither time nor algorithms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learning/vector.hpp"

namespace convoy {

struct BatchResult {
  double loss = 0;          ///< mean over the mini-batch
  std::size_t samples = 0;  ///< size of the mini-batch
};

struct Evaluation {
  double loss = 0;  ///< mean over the split
  std::optional<double>
      accuracy;  ///< share of samples whose arg max is the label, in [0, 1]; classification only
  std::vector<std::pair<std::string, double>> extra;  ///< further metrics of the task, by name
};

class CoupledConstraint;

enum class Split { validation, test };

/// A learning task over `workers()` workers. Immutable and thread-safe: every member is a pure function of
/// its arguments and of the seed that the task was made with.
class LearningTask {
 public:
  virtual ~LearningTask() = default;
  LearningTask(const LearningTask&) = delete;
  LearningTask& operator=(const LearningTask&) = delete;

  [[nodiscard]] const std::shared_ptr<const Layout>& layout() const { return layout_; }
  [[nodiscard]] Precision precision() const { return precision_; }
  [[nodiscard]] int workers() const { return workers_; }
  /// False for clock_only: an empty layout and nothing to compute.
  [[nodiscard]] bool has_math() const { return layout_->size > 0; }

  [[nodiscard]] virtual Vector initial_parameters() const = 0;
  /// Overwrites `gradient` (whatever it was) with the mean gradient over mini-batch number `step` = 0, 1, 2,
  /// ... of `worker` at `parameters`. Its buffer is used again if nobody shares it.
  virtual BatchResult gradient(const Vector& parameters, int worker, std::uint64_t step,
                               Vector& gradient) const = 0;
  [[nodiscard]] virtual Evaluation evaluate(const Vector& parameters, Split split) const = 0;

  /// Samples in each mini-batch of that worker.
  [[nodiscard]] virtual std::size_t batch_size(int worker) const = 0;
  /// Samples that the worker holds, i.e. in one of its epochs.
  [[nodiscard]] virtual std::size_t worker_samples(int worker) const = 0;
  /// Label counts, one row a worker; empty for a task without labels.
  [[nodiscard]] virtual std::vector<std::vector<std::size_t>> label_histograms() const { return {}; }
  /// What joins the blocks of parameters that the workers own; null where all replicas are of one model.
  [[nodiscard]] virtual const CoupledConstraint* coupled_constraint() const { return nullptr; }
  /// Floating-point operations of forward and backward pass for one sample (a multiply-add counts as two).
  [[nodiscard]] virtual double flops_per_sample() const { return 0; }
  /// Bytes of activations that the backward pass of one sample needs, inputs included.
  [[nodiscard]] virtual double activation_bytes_per_sample() const { return 0; }
  /// One line: data, partition with its convention, model, batch, precision.
  [[nodiscard]] virtual std::string describe() const = 0;

 protected:
  LearningTask(std::shared_ptr<const Layout> layout, Precision precision, int workers)
      : layout_(std::move(layout)), precision_(precision), workers_(workers) {}

 private:
  std::shared_ptr<const Layout> layout_;
  Precision precision_;
  int workers_;
};

}  // namespace convoy
