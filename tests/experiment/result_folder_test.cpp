#include "experiment/result_folder.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/error.hpp"

using namespace convoy;
namespace fs = std::filesystem;

namespace {

/// A folder that ends with the test.
struct Scratch {
  fs::path path;
  explicit Scratch(const char* name)
      : path(fs::temp_directory_path() / (std::string("convoy_") + name + std::to_string(::getpid()))) {
    fs::remove_all(path);
  }
  ~Scratch() { fs::remove_all(path); }
};

std::string content(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a run's folder appears whole, and a second one replaces it") {
  const Scratch scratch("publish");
  const ResultFolder folder(scratch.path);
  folder.publish("abc", {{"result.json", R"({"run_id": "abc", "steps": 1})"}, {"metrics.csv", "time_s\n"}});
  CHECK(content(scratch.path / "runs/abc/metrics.csv") == "time_s\n");
  CHECK(read_result(scratch.path, "abc")->find("steps")->integer == 1);
  folder.publish("abc", {{"result.json", R"({"run_id": "abc", "steps": 2})"}});
  CHECK(read_result(scratch.path, "abc")->find("steps")->integer == 2);
  CHECK_FALSE(fs::exists(scratch.path / "runs/abc/metrics.csv"));
  CHECK(entries(scratch.path / "runs") == 1);
}

TEST_CASE("a result that is missing, cut off or another's is no result") {
  const Scratch scratch("read");
  const ResultFolder folder(scratch.path);
  CHECK_FALSE(read_result(scratch.path, "abc"));
  folder.publish("abc", {{"result.json", R"({"run_id": "ab)"}});
  CHECK_FALSE(read_result(scratch.path, "abc"));
  folder.publish("abc", {{"result.json", R"({"run_id": "other"})"}});
  CHECK_FALSE(read_result(scratch.path, "abc"));
}

TEST_CASE("a folder has one owner at a time; shards have one each") {
  const Scratch scratch("lock");
  {
    const ResultFolder folder(scratch.path);
    CHECK_THROWS_WITH_AS(ResultFolder(scratch.path), doctest::Contains("in use"), ConfigError);
  }
  const ResultFolder first(scratch.path, {.index = 0, .count = 2});
  const ResultFolder second(scratch.path, {.index = 1, .count = 2});
  CHECK_THROWS_AS(ResultFolder(scratch.path, {.index = 1, .count = 2}), ConfigError);
}

TEST_CASE("a lock dies with its owner, and what a dead owner left behind is removed") {
  const Scratch scratch("orphan");
  fs::create_directories(scratch.path);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    // Takes the lock and dies in the middle of writing a run: no destructor runs.
    auto* folder = new ResultFolder(scratch.path);
    char host[256] = {};
    ::gethostname(host, sizeof host - 1);
    const fs::path aside =
        folder->path() / "runs" / (".tmp-abc-" + std::string(host) + "-" + std::to_string(::getpid()));
    fs::create_directories(aside);
    std::ofstream(aside / "result.json") << "half";
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(entries(scratch.path / "runs") == 1);
  const ResultFolder folder(scratch.path);
  CHECK(entries(scratch.path / "runs") == 0);
}

TEST_CASE("a folder that cannot be made or written is refused by name") {
  const Scratch scratch("refuse");
  fs::create_directories(scratch.path);
  std::ofstream(scratch.path / "file") << "x";
  CHECK_THROWS_WITH_AS(ResultFolder(scratch.path / "file"), doctest::Contains("file"), ConfigError);
  CHECK_THROWS_WITH_AS(ResultFolder(scratch.path / "file/below"), doctest::Contains("cannot be made"),
                       ConfigError);
  CHECK_THROWS_AS(ResultFolder("/proc/convoy"), ConfigError);
}

TEST_CASE("shard I of N takes the points that are I modulo N") {
  const Shard shard{.index = 1, .count = 3};
  CHECK_FALSE(shard.takes(0));
  CHECK(shard.takes(1));
  CHECK(shard.takes(4));
  CHECK(Shard{}.takes(7));
  CHECK(Shard{}.whole());
}
