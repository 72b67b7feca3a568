// What `sim check` says of the machines: how long a step takes each kind of worker, how much of its device
// that uses, and how long averaging the model takes.
#pragma once

#include <string>

#include "experiment/plan.hpp"
#include "training/simulation.hpp"

namespace convoy::cli {

/// One line for each kind of worker (by device) and one for an all-reduce among all
/// workers, of a run that check_setup accepts.
[[nodiscard]] std::string machine_report(const RunSetup& setup);

}  // namespace convoy::cli
