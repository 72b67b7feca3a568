#include "training/gradient_server.hpp"

#include <algorithm>
#include <utility>

#include "learning/gradient_clip.hpp"
#include "training/run_state.hpp"

namespace convoy {

GradientModel::GradientModel(Cluster& cluster)
    : cluster_(cluster), parameters_(cluster.initial_parameters()) {
  const RunSetup& setup = cluster_.run_.setup;
  if (setup.optimizer != nullptr) {
    state_ = setup.optimizer->initial_state(setup.task->layout(), setup.task->precision());
  }
}

double GradientModel::schedule_factor() const {
  return cluster_.run_.schedule_factor(SchedulePlace{
      .own_steps = version_, .own_rounds = version_, .shared = cluster_.run_.progress, .started_since = 0});
}

double GradientModel::learning_rate() const {
  const Optimizer* optimizer = cluster_.run_.setup.optimizer;
  return optimizer == nullptr ? 0 : optimizer->base_learning_rate() * schedule_factor();
}

void GradientModel::step(Vector gradient, double learning_rate_factor) {
  const RunSetup& setup = cluster_.run_.setup;
  if (setup.task->has_math()) {
    const double factor = schedule_factor() * learning_rate_factor;
    cluster_.math([&] {
      if (setup.clip) clip_global_norm(gradient, *setup.clip);
      setup.optimizer->step(parameters_, gradient, state_, factor);
    });
  }
  ++version_;
}

void DelayCount::add(std::int64_t delay) {
  ++count_;
  sum_ += delay;
  largest_ = std::max(largest_, delay);
}

std::vector<ReportEntry> DelayCount::report() const {
  const double mean = count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_);
  return {{"gradients", Node::of(count_)},
          {"staleness_mean", Node::of(mean)},
          {"staleness_max", Node::of(largest_)}};
}

std::vector<ReportEntry> GradientServer::report() const {
  std::vector<ReportEntry> entries = delays_.report();
  entries.insert(entries.begin(), {"updates", Node::of(model_->version())});
  return entries;
}

void GradientServer::start(Cluster& cluster) {
  cluster_ = &cluster;
  model_ = std::make_unique<GradientModel>(cluster);
  cluster.spawn_workers([this](Worker& w) { return worker(w); });
  cluster.spawn(server().name(), serve());
}

Process GradientServer::serve() {
  for (int i = 0; i < cluster().size(); ++i) reply(cluster().worker(i));
  while (true) {
    Message gradient = co_await server().receive();
    co_await arrived(std::move(gradient));
  }
}

Process GradientServer::worker(Worker& w) {
  while (true) {
    const Message model = co_await w.receive();
    const Gradient gradient = co_await w.gradient(model.vector);
    w.send(server(), worker_to_server,
           {.vector = gradient.mean, .version = model.version, .work = w.take_work(), .steps = 1});
  }
}

Task<void> GradientServer::step(Vector gradient, double learning_rate_factor) {
  co_await server().spend_update(ServerModel::vectors_touched);
  model_->step(std::move(gradient), learning_rate_factor);
  cluster().report_round();
}

void GradientServer::merge(Message& gradient, std::int64_t delay) {
  delays_.add(delay);
  cluster().record_staleness(delay);
  cluster().work().merge(std::move(gradient.work));
  cluster().report_steps(gradient.steps);
}

void GradientServer::discard(Message& gradient, std::string_view reason) {
  cluster().work().discard(std::move(gradient.work), reason);
  cluster().report_steps(gradient.steps);
}

void GradientServer::reply(Endpoint& to) {
  server().send(to, server_to_worker, {.vector = model_->parameters(), .version = model_->version()});
}

}  // namespace convoy
