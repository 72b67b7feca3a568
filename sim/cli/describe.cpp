#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/catalogue.hpp"
#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "core/error.hpp"
#include "core/nearest_word.hpp"

namespace convoy::cli {
namespace {

struct DescribeArguments {
  std::string name;
  std::vector<std::string> plugins;
};

int describe(const DescribeArguments& arguments) {
  const Session session(arguments.plugins);
  const auto entries = catalogue(session.registry());
  std::vector<std::string> names;
  bool found = false;
  for (const CatalogueEntry& entry : entries) {
    names.push_back(entry.name);
    if (entry.name != arguments.name) continue;
    if (found) std::fputs("\n", stdout);
    found = true;
    const std::string about = entry.about.empty() ? "" : ": " + entry.about;
    std::fputs(fmt::format("{} ({}){}\n\n{}", entry.name, entry.category, about, entry.detail()).c_str(),
               stdout);
  }
  if (found) return done;
  ConfigFault fault;
  fault.message = fmt::format("nothing is called {}", in_quotes(arguments.name));
  fault.allowed = "what `sim list CATEGORY` shows";
  fault.hint = nearest_hint(arguments.name, names);
  throw ConfigError(std::move(fault));
}

}  // namespace

void add_describe(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<DescribeArguments>();
  CLI::App* command =
      app.add_subcommand("describe", "Show what something is: options, defaults, units, sources");
  command->add_option("NAME", arguments->name, "an algorithm, a model, a device, a block of the file, ...")
      ->required();
  add_plugin_option(*command, arguments->plugins);
  command->callback([&action, arguments] { action = [arguments] { return describe(*arguments); }; });
}

}  // namespace convoy::cli
