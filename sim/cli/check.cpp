#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/commands.hpp"
#include "cli/machine_report.hpp"
#include "cli/session.hpp"
#include "experiment/run_setup.hpp"
#include "experiment/runner.hpp"
#include "experiment/summary.hpp"
#include "experiment/task_cache.hpp"

namespace convoy::cli {
namespace {

int check(const ExperimentArguments& arguments) {
  const Session session(arguments.plugins);
  const auto loaded = load(arguments, session);
  check_runs(loaded->plan, {}, {}, *loaded->store);
  const ExperimentConfig& config = *loaded->plan.experiment;
  std::fputs(fmt::format("{}: {} runs; {}\n", arguments.file, loaded->plan.points.size(),
                         describe_experiment(config))
                 .c_str(),
             stdout);
  if (loaded->plan.points.empty()) return done;
  const PlanPoint& first = loaded->plan.points.front();
  const std::unique_ptr<Algorithm> algorithm = first.algorithm_block().make();
  TaskCache tasks(*loaded->store, 1);
  std::fputs(machine_report(setup_of(first, tasks.task_of(first), *algorithm)).c_str(), stdout);
  return done;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ExperimentArguments>();
  CLI::App* command = app.add_subcommand("check",
                                         "Say everything that is wrong with an experiment and its data, and "
                                         "what its machines do in its first run");
  arguments->add_to(*command);
  command->callback([&action, arguments] { action = [arguments] { return check(*arguments); }; });
}

}  // namespace convoy::cli
