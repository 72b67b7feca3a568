#include "experiment/plan.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "experiment/runner.hpp"
#include "experiment/table.hpp"

namespace convoy::cli {
namespace {

struct PlanArguments {
  ExperimentArguments experiment;
  std::string out;
};

int show_plan(const PlanArguments& arguments) {
  const Session session(arguments.experiment.plugins);
  const auto loaded = load(arguments.experiment, session);
  const std::filesystem::path out = output_folder(arguments.out, loaded->plan);
  TextTable table({{.title = "run"},
                   {.title = "number", .right = true},
                   {.title = "algorithm"},
                   {.title = "seed", .right = true},
                   {.title = "state"}});
  for (const PlanPoint& point : loaded->plan.points) {
    table.add({point.run_id, fmt::format("{}", point.index), point.row, fmt::format("{}", point.seed),
               finished_record(out, point) ? "finished" : "to run"});
  }
  constexpr std::size_t any_width = 10'000;
  std::fputs(table.text(any_width).c_str(), stdout);
  return done;
}

}  // namespace

void add_plan(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<PlanArguments>();
  CLI::App* command =
      app.add_subcommand("plan", "Show the runs of an experiment, one a line; nothing is executed");
  arguments->experiment.add_to(*command);
  command->add_option("--out", arguments->out,
                      "DIR: where finished runs are looked for (default: runs/<name>)");
  command->callback([&action, arguments] { action = [arguments] { return show_plan(*arguments); }; });
}

}  // namespace convoy::cli
