#include "experiment/schema.hpp"

#include <cstdio>
#include <memory>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "experiment/experiment_config.hpp"
#include "experiment/json_writer.hpp"

namespace convoy::cli {
namespace {

int show_schema(const std::vector<std::string>& plugins) {
  const Session session(plugins);
  const auto blank = blank_experiment(session.registry());
  Options options;
  blank->declare(options);
  const Node schema = json_schema(options, "Convoy experiment",
                                  "A cluster, a task, algorithms that race, seeds, stop rules.");
  std::fputs(write_json(schema).c_str(), stdout);
  return done;
}

}  // namespace

void add_schema(CLI::App& app, Action& action) {
  auto plugins = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("schema", "Print the JSON Schema of an experiment, for editors");
  add_plugin_option(*command, *plugins);
  command->callback([&action, plugins] { action = [plugins] { return show_schema(*plugins); }; });
}

}  // namespace convoy::cli
