#include "hardware/checkpoint.hpp"

#include <cmath>
#include <stdexcept>

namespace convoy {

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

void require_sound(const Checkpointing& job) {
  require(job.failure_interval > 0, "the time between failures is not positive");
  require(job.write_time >= 0 && job.restart_time >= 0, "a time of checkpointing is negative");
}

}  // namespace

double young_interval(const Checkpointing& job) {
  require_sound(job);
  return std::sqrt(2 * job.write_time * job.failure_interval);
}

double daly_interval(const Checkpointing& job) {
  require_sound(job);
  if (job.write_time >= 2 * job.failure_interval) return job.failure_interval;
  const double ratio = job.write_time / (2 * job.failure_interval);
  return young_interval(job) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - job.write_time;
}

double first_order_waste(const Checkpointing& job, double interval) {
  require_sound(job);
  require(interval > 0, "the interval of checkpoints is not positive");
  return job.write_time / interval + interval / (2 * job.failure_interval) +
         job.restart_time / job.failure_interval;
}

double expected_time(const Checkpointing& job, double interval, double work) {
  require_sound(job);
  require(interval > 0 && work >= 0, "the interval of checkpoints is not positive, or the work negative");
  const double m = job.failure_interval;
  return m * std::exp(job.restart_time / m) * std::expm1((interval + job.write_time) / m) * work / interval;
}

double job_failure_interval(std::int64_t devices, std::int64_t devices_per_host,
                            double host_failures_per_day) {
  require(devices > 0 && devices_per_host > 0 && host_failures_per_day > 0,
          "a job without devices or failures");
  constexpr double day = 86'400;
  const double hosts = static_cast<double>(devices) / static_cast<double>(devices_per_host);
  return day / (hosts * host_failures_per_day);
}

}  // namespace convoy
