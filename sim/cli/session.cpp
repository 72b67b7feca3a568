#include "cli/session.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "algorithms/all.hpp"
#include "core/error.hpp"
#include "topologies/all.hpp"

namespace convoy::cli {
namespace {

using RegisterPlugin = void (*)(Registry&, int);

[[noreturn]] void refuse(const std::string& argument, const std::string& why, std::string hint = {}) {
  ConfigFault fault;
  fault.path = argument;
  fault.message = why;
  fault.hint = std::move(hint);
  throw ConfigError(std::move(fault));
}

std::set<std::string> kinds(const Registry& registry) {
  std::set<std::string> result;
  for (const auto& entry : registry.algorithms) result.insert(entry.first);
  return result;
}

/// The first `count` seeds of the file, continued by the smallest numbers that it does not list.
void set_seeds(Node& root, std::size_t count) {
  std::vector<std::int64_t> seeds;
  Node* written = root.find("seeds");
  if (written != nullptr && written->is_list()) {
    for (const Node& item : written->items) {
      if (item.kind == Node::Kind::integer) seeds.push_back(item.integer);
    }
  }
  for (std::int64_t next = 0; seeds.size() < count; ++next) {
    if (std::find(seeds.begin(), seeds.end(), next) == seeds.end()) seeds.push_back(next);
  }
  seeds.resize(count);
  Node list = Node::list();
  for (const std::int64_t seed : seeds) list.items.push_back(Node::of(seed));
  if (written != nullptr) list.origin = written->origin;
  root.set("seeds", std::move(list));
}

}  // namespace

void ExperimentArguments::add_to(CLI::App& command) {
  constexpr std::size_t most_seeds = 10'000;
  command.add_option("FILE", file, "the experiment, JSON")->required();
  command
      .add_option("--set", overrides,
                  "PATH=VALUE: overrides the file, as in --set /algorithms/halos/local_steps=16")
      ->allow_extra_args(false);
  command
      .add_option("--seeds", seeds,
                  "N: the first N seeds of the file, continued by the smallest numbers that it does not list")
      ->check(CLI::Range(std::size_t{1}, most_seeds));
  add_plugin_option(command, plugins);
}

void add_plugin_option(CLI::App& command, std::vector<std::string>& plugins) {
  command.add_option("--plugin", plugins, "SO: a shared library with further algorithms")
      ->allow_extra_args(false);
}

Session::Session(const std::vector<std::string>& plugins) {
  registry_.graphs = graph_makers();
  registry_.fabrics = fabric_makers();
  register_algorithms(registry_);
  for (const std::string& file : plugins) load_plugin(file);
}

Session::~Session() {
  registry_ = {};
  for (void* library : libraries_) ::dlclose(library);
}

void Session::load_plugin(const std::string& file) {
  // A name without a slash would be searched in the system's folders instead of here.
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) refuse("--plugin", file + " is no file");
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse("--plugin", fmt::format("{} cannot be loaded: {}", file, ::dlerror()));
  libraries_.push_back(library);
  void* symbol = ::dlsym(library, "convoy_register");
  if (symbol == nullptr) {
    refuse("--plugin", fmt::format("{} is no plug-in of Convoy: it exports no convoy_register", file),
           "extern \"C\" void convoy_register(convoy::Registry&, int interface_version)");
  }
  const std::set<std::string> before = kinds(registry_);
  try {
    reinterpret_cast<RegisterPlugin>(symbol)(registry_, interface_version);
  } catch (const std::exception& failure) {
    refuse("--plugin", fmt::format("{} cannot be used: {}", file, failure.what()));
  }
  for (const std::string& kind : kinds(registry_)) {
    if (!before.contains(kind)) registry_.supplied_by[kind] = path;
  }
}

std::unique_ptr<Loaded> load(const ExperimentArguments& arguments, const Session& session) {
  Node root = read_experiment_file(arguments.file, arguments.overrides);
  if (arguments.seeds) set_seeds(root, *arguments.seeds);
  auto loaded = std::make_unique<Loaded>();
  const auto folder = std::filesystem::absolute(arguments.file).parent_path();
  loaded->store = std::make_unique<DataStore>(default_data_roots(folder, std::getenv("CONVOY_DATA")));
  loaded->plan = make_plan(root, session.registry(), *loaded->store, loaded->hashes);
  return loaded;
}

std::filesystem::path output_folder(const std::string& given, const Plan& plan) {
  return given.empty() ? std::filesystem::path("runs") / plan.experiment->name : std::filesystem::path(given);
}

}  // namespace convoy::cli
