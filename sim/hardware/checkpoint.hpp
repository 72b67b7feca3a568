// Closed forms of checkpointing: how often to write one, what failures cost, and the mean time between
// failures of a job.
//
//   Checkpointing c{.write_time = 60, .failure_interval = 3.09 * 3600, .restart_time = 0};
//   double tau = daly_interval(c);   // 1115.7 s
#pragma once

#include <cstdint>

namespace convoy {

/// Exponential failures of a whole job. All in seconds.
struct Checkpointing {
  double write_time = 0;        ///< delta: how long a checkpoint stops the job; >= 0
  double failure_interval = 0;  ///< M: mean time between failures of the job; > 0
  double restart_time = 0;      ///< R: detection and restart; >= 0
};

/// Seconds of work between checkpoints: sqrt(2 delta M) (Young, CACM 1974).
[[nodiscard]] double young_interval(const Checkpointing& job);
/// Daly (FGCS 2006): sqrt(2 delta M) (1 + sqrt(delta / 2M) / 3 + (delta / 2M) / 9) - delta below delta = 2M,
/// else M. Reconstructed from memory, checked against golden values.
[[nodiscard]] double daly_interval(const Checkpointing& job);
/// Share of time that is lost to first order: delta / tau + tau / 2M + R / M.
[[nodiscard]] double first_order_waste(const Checkpointing& job, double interval);
/// Exact mean time of `work` seconds of work with a checkpoint every `interval` of them:
/// M e^(R/M) (e^((tau + delta) / M) - 1) work / tau (Daly 2006).
[[nodiscard]] double expected_time(const Checkpointing& job, double interval, double work);

/// Seconds between failures of a job of `devices` devices on hosts of `devices_per_host`, each host failing
/// `host_failures_per_day` times a day, independently. At small scale real jobs fail more often (Meta RSC:
/// 1,024 GPUs measured 7.9 h, this form 28.8 h).
[[nodiscard]] double job_failure_interval(std::int64_t devices, std::int64_t devices_per_host,
                                          double host_failures_per_day);

}  // namespace convoy
