// `sim run` from end to end: results, resuming, interrupting, determinism.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "sample.hpp"
#include "sim_process.hpp"

using namespace convoy::test;
namespace fs = std::filesystem;

namespace {

std::size_t run_folders(const fs::path& out) {
  std::error_code error;
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(out / "runs", error)) {
    count += entry.path().filename().string().starts_with(".") ? 0U : 1U;
  }
  return count;
}

Finished run(const std::string& file, const std::string& out, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"run", file, "--out", out};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return sim(arguments);
}

}  // namespace

TEST_CASE("a run writes its files and the table, and nothing else to standard output or error") {
  const Scratch scratch;
  const Finished done = run(scratch.write("digits.json", digits_experiment), scratch.at("out"));
  REQUIRE_MESSAGE(done.code == 0, done.err);
  CHECK(done.err.empty());
  CHECK(done.out.find("time to target") != std::string::npos);
  CHECK(done.out.find("vs diloco") != std::string::npos);
  for (const char* file : {"experiment.json", "summary.json", "summary.csv"})
    CHECK(fs::exists(scratch.path() / "out" / file));
  CHECK(run_folders(scratch.path() / "out") == 6);
  for (const auto& entry : fs::directory_iterator(scratch.path() / "out/runs")) {
    std::set<std::string> names;
    for (const auto& file : fs::directory_iterator(entry)) names.insert(file.path().filename().string());
    CHECK(names == std::set<std::string>{"config.json", "metrics.csv", "result.json"});
  }
  // Every line of the table fits 110 columns.
  std::istringstream lines(done.out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 110);
}

TEST_CASE("a second call executes nothing and says the same") {
  const Scratch scratch;
  const std::string file = scratch.write("digits.json", digits_experiment);
  const Finished first = run(file, scratch.at("out"));
  std::map<std::string, fs::file_time_type> before;
  for (const auto& entry : fs::directory_iterator(scratch.path() / "out/runs"))
    before[entry.path().string()] = entry.last_write_time();
  const Finished second = run(file, scratch.at("out"));
  CHECK(second.code == 0);
  CHECK(second.out == first.out);
  for (const auto& [folder, time] : before) CHECK(fs::last_write_time(folder) == time);
  const Finished plan = sim({"plan", file, "--out", scratch.at("out")});
  CHECK(plan.out.find("to run") == std::string::npos);
  CHECK(plan.out.find("finished") != std::string::npos);
}

TEST_CASE("digests are the same with 1, 2 and 8 threads, and differ by seed; 0 is a seed") {
  const Scratch scratch;
  const std::string file = scratch.write("digits.json", digits_experiment);
  for (const char* threads : {"1", "2", "8"}) {
    REQUIRE(run(file, scratch.at(threads), {"--threads", threads, "--quiet"}).code == 0);
  }
  const auto one = digests(scratch.at("1"));
  CHECK(one.size() == 6);
  CHECK(one == digests(scratch.at("2")));
  CHECK(one == digests(scratch.at("8")));
  CHECK(one.at("halos 0") != one.at("halos 1"));
  CHECK(one.at("halos 0").size() == 32);
  // The metrics too, byte for byte: only performance may differ.
  for (const auto& entry : fs::directory_iterator(scratch.path() / "1/runs")) {
    const fs::path name = entry.path().filename() / "metrics.csv";
    CHECK(content_of(scratch.path() / "1/runs" / name) == content_of(scratch.path() / "8/runs" / name));
  }
}

TEST_CASE(
    "an interrupted experiment keeps its finished runs, exits with 130, and goes on to the same digests") {
  const Scratch scratch;
  // Long enough to be met in the middle: each of the 40 runs takes some milliseconds.
  std::string seeds = "0";
  for (int i = 1; i < 20; ++i) seeds += ", " + std::to_string(i);
  std::string text = with(quadratic_experiment, "\"seeds\": [0, 1]", "\"seeds\": [" + seeds + "]");
  text = with(text, "\"local_steps\": 400", "\"local_steps\": 8000");
  const std::string file = scratch.write("long.json", text);
  Process process({CONVOY_SIM, "run", file, "--out", scratch.at("out"), "--threads", "1"});
  for (int i = 0; i < 10'000 && run_folders(scratch.path() / "out") < 2; ++i) std::this_thread::yield();
  process.interrupt();
  const Finished cut = process.wait();
  const std::size_t kept = run_folders(scratch.path() / "out");
  if (cut.code == 0) {
    MESSAGE("the runs were over before the interrupt");
  } else {
    CHECK(cut.code == 130);
    CHECK(cut.says("interrupted"));
    CHECK(cut.out.empty());
    CHECK(kept >= 1);
    CHECK(kept < 40);
    CHECK_FALSE(fs::exists(scratch.path() / "out/summary.json"));
  }
  REQUIRE(run(file, scratch.at("out"), {"--quiet"}).code == 0);
  REQUIRE(run(file, scratch.at("whole"), {"--quiet"}).code == 0);
  CHECK(digests(scratch.at("out")) == digests(scratch.at("whole")));
}

TEST_CASE("a second process in the same folder is refused while the first one runs") {
  const Scratch scratch;
  const std::string text = with(quadratic_experiment, "\"local_steps\": 400", "\"local_steps\": 3000000");
  const std::string file = scratch.write("long.json", text);
  Process first({CONVOY_SIM, "run", file, "--out", scratch.at("out"), "--threads", "1"});
  while (!fs::exists(scratch.path() / "out/.lock") || content_of(scratch.path() / "out/.lock").empty())
    std::this_thread::yield();
  const Finished second = run(file, scratch.at("out"));
  CHECK(second.code == 2);
  CHECK(second.says("in use"));
  CHECK(second.says(std::to_string(first.id()).c_str()));
  first.interrupt();
  CHECK(first.wait().code == 130);
}

TEST_CASE("a diverged run is shown and keeps its metrics, and the others' results are there") {
  const Scratch scratch;
  std::string text = with(quadratic_experiment, R"({"kind": "data_parallel"})",
                          R"({"kind": "data_parallel", "optimizer": {"kind": "sgd", "learning_rate": 30}})");
  text = with(text, "\"stop\": {\"local_steps\": 400}",
              "\"evaluate\": {\"every\": \"1 s\"}, \"stop\": {\"local_steps\": 4000}");
  const Finished done = run(scratch.write("diverges.json", text), scratch.at("out"));
  CHECK(done.code == 0);
  CHECK(done.out.find("diverged") != std::string::npos);
  CHECK(done.says("data_parallel seed 0: diverged"));
  const convoy::Node summary = convoy::read_json_file(scratch.at("out/summary.json"));
  std::size_t diverged = 0, finished = 0;
  for (const convoy::Node& row : summary.find("rows")->items) {
    const std::string reason = convoy::text_or(row, "stop_reason", "");
    diverged += reason == "diverged" ? 1U : 0U;
    finished += reason == "max_steps" ? 1U : 0U;
    if (reason != "diverged") continue;
    const std::string metrics =
        content_of(scratch.path() / "out/runs" / convoy::text_or(row, "run_id", "") / "metrics.csv");
    CHECK(std::count(metrics.begin(), metrics.end(), '\n') > 2);
  }
  CHECK(diverged == 2);
  CHECK(finished == 2);
}

TEST_CASE("shards write runs only, and the unsharded call joins them") {
  const Scratch scratch;
  const std::string file = scratch.write("sample.json", quadratic_experiment);
  REQUIRE(run(file, scratch.at("out"), {"--shard", "0/2"}).code == 0);
  CHECK(run_folders(scratch.path() / "out") == 2);
  CHECK_FALSE(fs::exists(scratch.path() / "out/summary.json"));
  REQUIRE(run(file, scratch.at("out"), {"--shard", "1/2"}).code == 0);
  CHECK(run_folders(scratch.path() / "out") == 4);
  REQUIRE(run(file, scratch.at("out")).code == 0);
  REQUIRE(run(file, scratch.at("whole")).code == 0);
  CHECK(digests(scratch.at("out")) == digests(scratch.at("whole")));
}

TEST_CASE("--seeds takes the first seeds of the file and continues with the smallest others") {
  const Scratch scratch;
  const std::string file =
      scratch.write("sample.json", with(quadratic_experiment, "\"seeds\": [0, 1]", "\"seeds\": [3, 0]"));
  REQUIRE(run(file, scratch.at("one"), {"--seeds", "1"}).code == 0);
  CHECK(digests(scratch.at("one")).contains("local_sgd 3"));
  CHECK(digests(scratch.at("one")).size() == 2);
  REQUIRE(run(file, scratch.at("three"), {"--seeds", "3"}).code == 0);
  CHECK(digests(scratch.at("three")).contains("local_sgd 1"));
  CHECK(digests(scratch.at("three")).size() == 6);
}

TEST_CASE("--set changes a run and with it its id") {
  const Scratch scratch;
  const std::string file = scratch.write("sample.json", quadratic_experiment);
  const std::string plain = sim({"plan", file}).out;
  const std::string other = sim({"plan", file, "--set", "/algorithms/local_sgd/local_steps=2"}).out;
  CHECK(plain != other);
  CHECK(sim({"plan", file, "--set", "/algorithms/local_sgd/local_steps=4"}).out == plain);
}

TEST_CASE("without --out results go to runs/<name> below the working directory") {
  const Scratch scratch;
  scratch.write("sample.json", quadratic_experiment);
  CHECK(sim({"run", "sample.json", "--quiet"}, scratch.path()).code == 0);
  CHECK(fs::exists(scratch.path() / "runs/sample/summary.csv"));
}

TEST_CASE("the commands that only look print to standard output and end with 0") {
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"list"},
           {"list", "algorithms"},
           {"list", "topologies"},
           {"describe", "halos"},
           {"describe", "experiment"},
           {"verify"},
           {"schema"},
           {"topology", CONVOY_SOURCE_DIR "/configs/clusters/halos_4x4.json"},
           {"--help"},
           {"run", "--help"},
           {"--version"}}) {
    const Finished done = sim(command);
    CHECK_MESSAGE(done.code == 0, command[0]);
    CHECK_FALSE(done.out.empty());
    CHECK_MESSAGE(done.err.empty(), done.err);
  }
  const Finished verify = sim({"verify"});
  CHECK(verify.out.find("WRONG") == std::string::npos);
  const convoy::Node schema = convoy::read_json_text(sim({"schema"}).out, "schema");
  CHECK(convoy::find_path(schema, "properties.cluster") != nullptr);
}

TEST_CASE("an axis multiplies the runs, and the table has a row for each value") {
  const Scratch scratch;
  const std::string text = with(quadratic_experiment, "\"seeds\": [0, 1]",
                                "\"seeds\": [0], \"sweep\": {\"/algorithms/local_sgd/local_steps\": [2, 8]}");
  const Finished done = run(scratch.write("sweep.json", text), scratch.at("out"));
  REQUIRE_MESSAGE(done.code == 0, done.err);
  CHECK(done.out.find("local_sgd local_steps=2") != std::string::npos);
  CHECK(done.out.find("local_sgd local_steps=8") != std::string::npos);
  CHECK(run_folders(scratch.path() / "out") == 3);
}
