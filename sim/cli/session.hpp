// What every command that reads an experiment shares: the registry with its plug-ins, and the way from a file
// to a plan.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiment/plan.hpp"
#include "training/algorithm.hpp"

namespace convoy::cli {

/// Arguments that name an experiment.
struct ExperimentArguments {
  std::string file;
  std::vector<std::string> overrides;  ///< --set PATH=VALUE
  std::optional<std::size_t> seeds;    ///< --seeds N
  std::vector<std::string> plugins;    ///< --plugin SO

  void add_to(CLI::App& command);
};

/// Adds --plugin to a command.
void add_plugin_option(CLI::App& command, std::vector<std::string>& plugins);

/// All algorithms and graphs of this binary and of its plug-ins.
class Session {
 public:
  /// Throws ConfigError for a plug-in that cannot be loaded.
  explicit Session(const std::vector<std::string>& plugins = {});
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();
  [[nodiscard]] const Registry& registry() const { return registry_; }

 private:
  void load_plugin(const std::string& file);

  std::vector<void*> libraries_;  ///< closed last: parts of the registry live in them
  Registry registry_;
};

/// A planned experiment with the data that its runs read.
struct Loaded {
  std::unique_ptr<DataStore> store;
  FileHashes hashes;
  Plan plan;
};

/// Throws ConfigError with every fault of the experiment.
[[nodiscard]] std::unique_ptr<Loaded> load(const ExperimentArguments& arguments, const Session& session);

/// runs/<name>, unless another folder is given.
[[nodiscard]] std::filesystem::path output_folder(const std::string& given, const Plan& plan);

}  // namespace convoy::cli
