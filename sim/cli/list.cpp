#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "cli/catalogue.hpp"
#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "core/error.hpp"
#include "core/nearest_word.hpp"

namespace convoy::cli {
namespace {

struct ListArguments {
  std::string category;
  std::vector<std::string> plugins;
};

void print_lines(const std::vector<std::pair<std::string, std::string>>& lines) {
  std::size_t width = 0;
  for (const auto& line : lines) width = std::max(width, line.first.size());
  for (const auto& line : lines) {
    const std::string text =
        line.second.empty() ? line.first : fmt::format("{:<{}}  {}", line.first, width, line.second);
    std::fputs((text + "\n").c_str(), stdout);
  }
}

int list(const ListArguments& arguments) {
  std::vector<std::pair<std::string, std::string>> lines;
  std::vector<std::string> names;
  for (const Category& category : categories()) {
    lines.emplace_back(category.name, category.about);
    names.push_back(category.name);
  }
  if (arguments.category.empty()) {
    print_lines(lines);
    return done;
  }
  const std::string wanted = arguments.category == "topologies" ? "graphs" : arguments.category;
  if (std::find(names.begin(), names.end(), wanted) == names.end()) {
    ConfigFault fault;
    fault.message = fmt::format("there is no category {}", in_quotes(arguments.category));
    fault.allowed = fmt::format("{}", fmt::join(names, ", "));
    fault.hint = nearest_hint(arguments.category, names);
    throw ConfigError(std::move(fault));
  }
  const Session session(arguments.plugins);
  lines.clear();
  for (const CatalogueEntry& entry : catalogue(session.registry())) {
    if (entry.category == wanted) lines.emplace_back(entry.name, entry.about);
  }
  print_lines(lines);
  return done;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ListArguments>();
  CLI::App* command = app.add_subcommand("list", "List what a config can name");
  command->add_option("CATEGORY", arguments->category,
                      "algorithms, devices, models, ...; without it the categories");
  add_plugin_option(*command, arguments->plugins);
  command->callback([&action, arguments] { action = [arguments] { return list(*arguments); }; });
}

}  // namespace convoy::cli
