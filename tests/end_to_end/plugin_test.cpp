// Plug-ins, and a run that cannot progress.
#include <doctest/doctest.h>

#include "sample.hpp"
#include "sim_process.hpp"

using namespace convoy::test;
namespace fs = std::filesystem;

namespace {

const std::string faulty_experiment =
    with(quadratic_experiment, R"({"kind": "data_parallel"})", R"({"kind": "faulty", "steps": 2})");

}  // namespace

TEST_CASE(
    "a run that cannot progress ends with 3 and says who waits for what since when; the others are kept") {
  const Scratch scratch;
  const std::string file = scratch.write("faulty.json", faulty_experiment);
  const Finished done = sim({"run", file, "--out", scratch.at("out"), "--plugin", CONVOY_FAULTY_PLUGIN});
  CHECK(done.code == 3);
  CHECK(done.says("faulty seed 0: deadlock"));
  // Two steps of a second each: all have been waiting since 2 s.
  CHECK_MESSAGE(done.says("local.w0 waits for"), done.err);
  CHECK_MESSAGE(done.says("since 2.00 s"), done.err);
  CHECK(done.out.find("local_sgd") != std::string::npos);
  const auto ids = digests(scratch.at("out"));
  CHECK(ids.size() == 4);
  // A deadlocked run is run again on the next call, a finished one is not.
  const Finished plan = sim({"plan", file, "--out", scratch.at("out"), "--plugin", CONVOY_FAULTY_PLUGIN});
  CHECK(plan.out.find("to run") != std::string::npos);
  CHECK(plan.out.find("finished") != std::string::npos);
}

TEST_CASE("a run that throws ends with 1 and its message; the others are kept") {
  const Scratch scratch;
  const std::string file =
      scratch.write("throws.json", with(faulty_experiment, R"("steps": 2)", R"("steps": 2, "throws": true)"));
  const Finished done = sim({"run", file, "--out", scratch.at("out"), "--plugin", CONVOY_FAULTY_PLUGIN});
  CHECK(done.code == 1);
  CHECK_MESSAGE(done.says("faulty seed 0: failed at 2.00 s: "), done.err);
  CHECK(done.says("local.w0 is broken"));
  CHECK(done.out.find("failed") != std::string::npos);
  CHECK(digests(scratch.at("out")).at("local_sgd 1").size() == 32);
}

TEST_CASE("a plug-in's algorithm is listed, described and part of the schema") {
  CHECK(sim({"list", "algorithms", "--plugin", CONVOY_FAULTY_PLUGIN}).out.find("faulty") !=
        std::string::npos);
  const Finished described = sim({"describe", "faulty", "--plugin", CONVOY_FAULTY_PLUGIN});
  CHECK(described.code == 0);
  CHECK(described.out.find("local steps before it waits") != std::string::npos);
  CHECK(described.out.find(CONVOY_FAULTY_PLUGIN) != std::string::npos);
  CHECK(sim({"schema", "--plugin", CONVOY_FAULTY_PLUGIN}).out.find("\"faulty\"") != std::string::npos);
}

TEST_CASE("without its plug-in an algorithm is unknown, and what is no plug-in is refused") {
  const Scratch scratch;
  const std::string file = scratch.write("faulty.json", faulty_experiment);
  CHECK(sim({"check", file}).says("faulty"));
  CHECK(sim({"check", file}).code == 2);
  const Finished text = sim({"check", file, "--plugin", file});
  CHECK(text.code == 2);
  CHECK(text.says("cannot be loaded"));
  const Finished missing = sim({"check", file, "--plugin", scratch.at("none.so")});
  CHECK(missing.code == 2);
  CHECK(missing.says("is no file"));
  // Twice the same: the kind is taken.
  const Finished twice =
      sim({"check", file, "--plugin", CONVOY_FAULTY_PLUGIN, "--plugin", CONVOY_FAULTY_PLUGIN});
  CHECK(twice.code == 2);
  CHECK(twice.says("exists already"));
}
