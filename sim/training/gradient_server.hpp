// What parameter-server algorithms share: workers compute gradients at the model they were sent, and the
// server decides what becomes of each.
//
//   class Asgd final : public GradientServer {
//     Task<void> arrived(Message gradient) override {
//       const std::int64_t late = delay(gradient);
//       co_await step(gradient.vector);      // x <- x - lr g, after the time of an update
//       merge(gradient, late);
//       reply(*gradient.from);               // x goes back to that worker
//     }
//   };
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "training/cluster.hpp"

namespace convoy {

/// A model at a server that the run's own optimizer moves, at the run's learning-rate schedule.
class GradientModel {
 public:
  explicit GradientModel(Cluster& cluster);
  [[nodiscard]] const Vector& parameters() const { return parameters_; }
  void set_parameters(Vector parameters) { parameters_ = std::move(parameters); }
  /// Updates so far.
  [[nodiscard]] std::int64_t version() const { return version_; }
  /// The model has changed by other means than step.
  void count_update() { ++version_; }
  /// Learning rate of the next update.
  [[nodiscard]] double learning_rate() const;
  /// One step of the optimizer along `gradient`, clipped as the run says.
  void step(Vector gradient, double learning_rate_factor = 1);

 private:
  [[nodiscard]] double schedule_factor() const;
  Cluster& cluster_;
  Vector parameters_;
  OptimizerState state_;
  std::int64_t version_ = 0;
};

/// Mean and largest of the delays that an algorithm counts.
class DelayCount {
 public:
  void add(std::int64_t delay);
  [[nodiscard]] std::vector<ReportEntry> report() const;

 private:
  std::int64_t count_ = 0, sum_ = 0, largest_ = 0;
};

class GradientServer : public Algorithm {
 public:
  static constexpr Stream worker_to_server{"worker_to_server", Payload::gradient};
  static constexpr Stream server_to_worker{"server_to_worker", Payload::state};

  [[nodiscard]] std::vector<Stream> streams() const override { return {worker_to_server, server_to_worker}; }
  [[nodiscard]] bool uses_servers() const override { return true; }
  [[nodiscard]] Deployed deployed() const override { return {{model().parameters()}}; }
  [[nodiscard]] std::vector<ReportEntry> report() const override;
  /// Sends the first model to every worker and starts the server's loop.
  void start(Cluster& cluster) override;

 protected:
  /// Called for each gradient in order of arrival, one after another. `gradient.version` is that of the model
  /// it was computed at.
  virtual Task<void> arrived(Message gradient) = 0;
  /// The worker's part; by default receive a model, compute one gradient there, push it.
  virtual Process worker(Worker& w);

  [[nodiscard]] Cluster& cluster() const { return *cluster_; }
  [[nodiscard]] Server& server() const { return cluster_->global_server(); }
  [[nodiscard]] GradientModel& model() const { return *model_; }
  /// Updates since the model that a gradient was computed at.
  [[nodiscard]] std::int64_t delay(const Message& gradient) const {
    return model_->version() - gradient.version;
  }
  /// One update along `gradient`, after the time it takes there: a round.
  Task<void> step(Vector gradient, double learning_rate_factor = 1);
  /// The gradient's work is in the model, `delay` updates late.
  void merge(Message& gradient, std::int64_t delay);
  void discard(Message& gradient, std::string_view reason);
  /// The present model goes to that worker.
  void reply(Endpoint& to);

 private:
  Process serve();
  Cluster* cluster_ = nullptr;
  std::unique_ptr<GradientModel> model_;
  DelayCount delays_;
};

}  // namespace convoy
