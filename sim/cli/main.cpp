// sim: the command.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "core/error.hpp"
#include "core/nearest_word.hpp"
#include "experiment/build_info.hpp"
#include "experiment/error_text.hpp"

namespace convoy::cli {
namespace {

void complain(const std::string& text) {
  std::fputs(("sim: " + text + "\n").c_str(), stderr);
}

std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

const CLI::App* command_of(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

/// The nearest command or flag to what was not understood.
std::string usage_hint(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty()) return {};
  const std::vector<std::string> commands = names_of(app);
  const CLI::App* chosen = command_of(app, arguments.front());
  if (chosen == nullptr) {
    return arguments.front().starts_with('-') ? nearest_hint(arguments.front(), flags_of(app))
                                              : nearest_hint(arguments.front(), commands);
  }
  const std::vector<std::string> flags = flags_of(*chosen);
  for (const std::string& argument : arguments) {
    if (!argument.starts_with("--")) continue;
    const std::string flag = argument.substr(0, argument.find('='));
    if (std::find(flags.begin(), flags.end(), flag) == flags.end()) return nearest_hint(flag, flags);
  }
  return {};
}

int usage_error(const CLI::App& app, const CLI::ParseError& error,
                const std::vector<std::string>& arguments) {
  const bool unknown_command = !arguments.empty() && !arguments.front().starts_with('-') &&
                               command_of(app, arguments.front()) == nullptr;
  complain(unknown_command ? "there is no command \"" + arguments.front() + "\"" : std::string(error.what()));
  if (const std::string hint = usage_hint(app, arguments); !hint.empty()) complain(hint);
  complain("see `sim --help`" +
           (unknown_command || arguments.empty() ? "" : " and `sim " + arguments.front() + " --help`"));
  return wrong_input;
}

int perform(const Action& action) {
  try {
    return action();
  } catch (const ConfigError& error) {
    std::fputs(explain(error).c_str(), stderr);
    return wrong_input;
  } catch (const std::exception& error) {
    complain(error.what());
    return run_failed;
  }
}

/// Results that did not reach stdout (a full disk behind it) are a failure.
int flushed(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  complain("the results cannot be written to standard output");
  return code == done ? run_failed : code;
}

}  // namespace

static int main_of(int argc, char** argv) {
  CLI::App app("Which training algorithm reaches the target first on this cluster, and at what cost?", "sim");
  app.set_version_flag("--version", "convoy " + std::string(convoy_version()) + ", " + compiler_name());
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 a run failed, 2 the input is wrong, 3 a run cannot progress, 130 interrupted.");
  Action action;
  add_run(app, action);
  add_plan(app, action);
  add_check(app, action);
  add_list(app, action);
  add_describe(app, action);
  add_topology(app, action);
  add_verify(app, action);
  add_schema(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error, {argv + 1, argv + argc});
  }
  return flushed(perform(action));
}

}  // namespace convoy::cli

int main(int argc, char** argv) {
  return convoy::cli::main_of(argc, argv);
}
