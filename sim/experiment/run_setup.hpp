// What one run is made of, from the options of its point.
#pragma once

#include <memory>

#include "experiment/plan.hpp"
#include "learning/task.hpp"
#include "training/simulation.hpp"

namespace convoy {

/// `point` and `algorithm` (a fresh instance) must outlive the setup.
[[nodiscard]] RunSetup setup_of(const PlanPoint& point, std::shared_ptr<const LearningTask> task,
                                Algorithm& algorithm);

}  // namespace convoy
