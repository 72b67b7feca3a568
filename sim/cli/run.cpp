#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <memory>
#include <thread>

#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "experiment/json_writer.hpp"
#include "experiment/result_folder.hpp"
#include "experiment/runner.hpp"
#include "experiment/summary.hpp"
#include "experiment/table.hpp"

namespace convoy::cli {
namespace {

struct RunArguments {
  ExperimentArguments experiment;
  std::string out, shard;
  int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  bool quiet = false;
};

/// "I/N" with I from 0 to N-1.
Shard parse_shard(const std::string& text) {
  if (text.empty()) return {};
  Shard shard;
  const char* end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  if (index.ec == std::errc() && index.ptr != end && *index.ptr == '/') {
    const auto count = std::from_chars(index.ptr + 1, end, shard.count);
    if (count.ec == std::errc() && count.ptr == end && shard.count > 0 && shard.index < shard.count)
      return shard;
  }
  ConfigFault fault;
  fault.path = "--shard";
  fault.message = fmt::format("{} is no shard", text);
  fault.allowed = "I/N with I from 0 to N-1, as in 0/4";
  throw ConfigError(std::move(fault));
}

int exit_code_of(const std::vector<RunRecord>& records) {
  int code = done;
  for (const RunRecord& record : records) {
    if (record.stop_reason == "deadlock" || record.stop_reason == "stalled") return no_progress;
    if (record.stop_reason == "failed" || record.stop_reason == "limit") code = run_failed;
  }
  return code;
}

/// experiment.json, summary.json, summary.csv and the table.
void write_summary(const Plan& plan, const ResultFolder& folder, const std::vector<RunRecord>& records,
                   bool quiet) {
  const Race race = race_of(*plan.experiment);
  const Comparison comparison = compare(records, race);
  const Node summary = summary_node(records, comparison, race);
  folder.write("experiment.json", write_json(experiment_node(plan, records)));
  folder.write("summary.csv", summary_csv(summary));
  folder.write("summary.json", write_json(summary));
  if (!quiet) std::fputs(comparison_text(*plan.experiment, comparison, records).c_str(), stdout);
}

int run(const RunArguments& arguments) {
  const Shard shard = parse_shard(arguments.shard);
  const Session session(arguments.experiment.plugins);
  const auto loaded = load(arguments.experiment, session);
  const Plan& plan = loaded->plan;
  const std::filesystem::path out = output_folder(arguments.out, plan);
  check_runs(plan, out, shard, *loaded->store);

  const InterruptFlag interrupt;
  const ResultFolder folder(out, shard);
  const bool terminal = stderr_is_terminal() && !arguments.quiet;
  Execution execution;
  {
    ProgressLine progress(plan, terminal);
    const RunnerOptions options{
        .threads = arguments.threads, .shard = shard, .interrupted = &interrupt.flag()};
    execution = execute(plan, folder, *loaded->store, options, &progress);
  }
  std::vector<RunRecord> records;
  for (auto& record : execution.records) {
    if (record) records.push_back(std::move(*record));
  }
  if (execution.interrupted) {
    std::fputs(fmt::format("sim: interrupted; {} of {} runs are finished in {}, the same call goes on\n",
                           records.size(), plan.points.size(), out.string())
                   .c_str(),
               stderr);
    return interrupted;
  }
  if (shard.whole()) write_summary(plan, folder, records, arguments.quiet);
  if (const std::string failures = failures_text(records); !failures.empty())
    std::fputs(failures.c_str(), stderr);
  if (terminal) std::fputs(fmt::format("results in {}\n", out.string()).c_str(), stderr);
  return exit_code_of(records);
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  constexpr int most_threads = 4096;
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand("run", "Run what is not finished yet, and compare the algorithms");
  arguments->experiment.add_to(*command);
  command->add_option("--out", arguments->out, "DIR: where results go (default: runs/<name>)");
  command->add_option("--threads", arguments->threads, "N: cores in use; changes no result (default: all)")
      ->check(CLI::Range(1, most_threads));
  command->add_option("--shard", arguments->shard,
                      "I/N: only the runs whose number in the plan is I modulo N");
  command->add_flag("--quiet", arguments->quiet, "no progress and no table");
  command->callback([&action, arguments] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace convoy::cli
