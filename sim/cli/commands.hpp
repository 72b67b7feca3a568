// The subcommands of `sim`: one file each. A command declares its arguments and hands back what is to be
// done.
#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace convoy::cli {

/// Exit codes of every command.
enum ExitCode : int {
  done = 0,
  run_failed = 1,    ///< the others' results are kept
  wrong_input = 2,   ///< nothing was written
  no_progress = 3,   ///< a run is deadlocked or stalled
  interrupted = 130  ///< finished runs are kept, the same call goes on
};

/// What the chosen command does; returns an exit code, throws ConfigError for what the user wrote.
using Action = std::function<int()>;

void add_run(CLI::App& app, Action& action);
void add_plan(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);
void add_describe(CLI::App& app, Action& action);
void add_topology(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_schema(CLI::App& app, Action& action);

}  // namespace convoy::cli
