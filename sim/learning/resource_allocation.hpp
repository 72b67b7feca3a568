// Resource allocation (economic dispatch): share a demand out at the least cost.
//
//   minimise  sum_i 1/2 q_i |x_i|^2 + c_i sum_k x_ik   where  sum_i a_i x_ik = demand_k,  lower_i <= x_ik <=
//   upper_i
//
// Worker i owns the block x_i, one coordinate a resource; the parameters of the task are all blocks in order.
#pragma once

#include <memory>
#include <vector>

#include "core/options.hpp"
#include "learning/task.hpp"

namespace convoy {

struct ResourceAllocationOptions {
  std::vector<double> demand{};         ///< one number a resource
  std::vector<double> curvature{1};     ///< q, > 0; one number, or one a worker, as those below
  std::vector<double> slope{0};         ///< c
  std::vector<double> coefficient{1};   ///< a, not 0: what arrives of a unit that the worker gives
  std::vector<double> lower{0}, upper{};  ///< bounds; no `upper`: none
  void declare(Options& options);
};

/// Least-cost shares, worker by worker, resource by resource: x_ik = clip((-c_i - a_i m_k) / q_i) at the
/// multiplier m_k that meets the demand (Karush-Kuhn-Tucker; the demand met is piecewise linear in m_k, so
/// this is exact up to rounding). Throws ConfigError for lists that fit neither one nor `workers`, bounds
/// that cross, or a demand that the bounds cannot meet.
[[nodiscard]] std::vector<double> best_allocation(const ResourceAllocationOptions& options, int workers);

/// Metrics: the loss is the cost of all workers together; "distance_to_optimum" the distance from
/// best_allocation; "constraint_residual" the norm of sum_i a_i x_i - demand. Throws as best_allocation.
[[nodiscard]] std::shared_ptr<const LearningTask> make_resource_allocation(
    const ResourceAllocationOptions& options, Precision precision, std::vector<std::size_t> batch_sizes);

}  // namespace convoy
