// What a user gets wrong: a clear error with its place, exit code 2, nothing written, no crash, no hang.
#include <doctest/doctest.h>

#include "sample.hpp"
#include "sim_process.hpp"

using namespace convoy::test;
namespace fs = std::filesystem;

namespace {

/// Runs an experiment that is to be refused; every text has to stand in the error.
void refused(const std::string& text, std::initializer_list<const char*> parts) {
  const Scratch scratch;
  const std::string file = scratch.write("bad.json", text);
  const Finished run = sim({"run", file, "--out", scratch.at("out")});
  CHECK(run.code == 2);
  CHECK(run.out.empty());
  for (const char* part : parts)
    CHECK_MESSAGE(run.says(part), "\"" << std::string(part) << "\" is not in: " << run.err.substr(0, 2000));
  CHECK_FALSE(fs::exists(scratch.path() / "out"));
  CHECK(sim({"check", file}).code == 2);
}

void refused(const char* from, const std::string& to, std::initializer_list<const char*> parts) {
  refused(with(quadratic_experiment, from, to), parts);
}

std::string bytes(std::initializer_list<int> values) {
  std::string result;
  for (const int value : values) result += static_cast<char>(value);
  return result;
}

/// IDX of `count` images of 2 x 2 and their labels: magic 0 0 8 (unsigned bytes), the number of dimensions,
/// each as 4 bytes.
std::string idx_images(int count) {
  return bytes({0, 0, 8, 3, 0, 0, 0, count, 0, 0, 0, 2, 0, 0, 0, 2}) +
         std::string(static_cast<std::size_t>(count) * 4, '\1');
}
std::string idx_labels(int count, int largest) {
  std::string result = bytes({0, 0, 8, 1, 0, 0, 0, count});
  for (int i = 0; i < count; ++i) result += static_cast<char>(i % (largest + 1));
  return result;
}

/// An experiment on the IDX files of a scratch folder.
std::string idx_experiment(const Scratch& scratch) {
  std::string text = with(
      quadratic_experiment,
      R"("task": {"kind": "quadratic", "curvature": [1, 0.8, 1.2, 0.9], "linear": [0.1, -0.2, 0.3, 0], "initial": 1, "noise": 0.1})",
      R"("task": {"data": "idx", "path": ")" + scratch.path().string() +
          R"(", "model": "softmax_regression", "batch_size": 1})");
  return text;
}

struct IdxFiles {
  std::string images = idx_images(24), labels = idx_labels(24, 1), test_images = idx_images(4),
              test_labels = idx_labels(4, 1);
};

Finished run_idx(const IdxFiles& files) {
  const Scratch scratch;
  if (!files.images.empty()) scratch.write("train-images-idx3-ubyte", files.images);
  scratch.write("train-labels-idx1-ubyte", files.labels);
  scratch.write("t10k-images-idx3-ubyte", files.test_images);
  scratch.write("t10k-labels-idx1-ubyte", files.test_labels);
  const std::string file = scratch.write("idx.json", idx_experiment(scratch));
  const Finished run = sim({"run", file, "--out", scratch.at("out")});
  CHECK(fs::exists(scratch.path() / "out") == (run.code == 0));
  return run;
}

}  // namespace

TEST_CASE("the samples themselves are right") {
  const Scratch scratch;
  CHECK(sim({"check", scratch.write("a.json", quadratic_experiment)}).code == 0);
  CHECK(sim({"check", scratch.write("b.json", digits_experiment)}).code == 0);
  CHECK(run_idx({}).code == 0);
}

TEST_CASE("check says how long a step takes, what it uses of the device, and how long an all-reduce takes") {
  // pythia-70m in bf16 on an H100 at half its peak is an MFU of 50 %: (6 N + 6 x 6 x 512 x 2048) x 2048
  // tokens over 494.5 TFLOP/s are 1.91 ms; plain SGD in float32 keeps 8 B x 70,426,624 parameters, 563 MB,
  // and a sample's activations are 2 x 6 x 2048 x 512 x 194 B, 2.44 GB, of 0.92 x 80 GB. Ring of 4: 2 x 3/4 x
  // 281,706,496 B over 1 GB/s = 423 ms.
  const Scratch scratch;
  std::string text =
      with(quadratic_experiment, R"("workers": 4,)",
           R"("workers": 4, "devices": ["H100-SXM"], "compute": {"format": "bf16", "efficiency": 0.5},)");
  text = with(text, R"({"step_time": "1 s", "reference_batch": 1})", R"({"stand_in": "pythia-70m"})");
  const Finished run = sim({"check", scratch.write("a.json", text)});
  CHECK(run.code == 0);
  for (const char* part :
       {"4 workers on H100-SXM: 1.91 ms a step", "MFU 50 %", "memory 3 GB of usable 73.6 GB",
        "states 563 MB by ddp, activations 2.44 GB at micro_batch 1",
        "all-reduce of 282 MB among all: 423 ms"}) {
    CHECK_MESSAGE(run.out.find(part) != std::string::npos, part, " is not in: ", run.out);
  }
  // GPT-3's 175 B parameters need 1.4 TB, 1.326 too much: refused at the algorithm whose replica it is.
  text = with(text, R"("stand_in": "pythia-70m")", R"("parameters": 175000000000)");
  const Finished refused = sim({"check", scratch.write("b.json", text)});
  CHECK(refused.code == 2);
  CHECK(refused.says("algorithms[0].memory"));
  CHECK(refused.says("by 1.33 TB"));
}

TEST_CASE("keys and types that are wrong are refused with line and hint") {
  refused(R"("local_steps": 4})", R"("local_stps": 4})",
          {"bad.json:6", "local_stps", "did you mean \"local_steps\"?"});
  refused(R"("seeds": [0, 1])", R"("seeds": [0], "seeds": [1])", {"bad.json:9", "seeds"});
  refused(R"("local_steps": 4})", R"("local_steps": "four"})", {"bad.json:6", "algorithms[0].local_steps"});
  refused(R"("workers": 4)", R"("workers": 0)", {"bad.json:3", "cluster.workers"});
  refused(R"("workers": 4)", R"("workers": -1)", {"bad.json:3", "cluster.workers"});
  refused(R"({"kind": "data_parallel"})", R"({"kind": "data_paralel"})",
          {"bad.json:6", "did you mean \"data_parallel\"?"});
  refused(R"("algorithms": [{"kind": "local_sgd", "local_steps": 4}, {"kind": "data_parallel"}])",
          R"("algorithms": [])", {"bad.json:6", "algorithms"});
  refused(R"("seeds": [0, 1])", R"("seeds": [1, 1])", {"bad.json:9", "seeds[1]"});
}

TEST_CASE("quantities need a unit of the right dimension and a value that makes sense") {
  refused(R"("1 GB/s")", R"(1)", {"bad.json:3", "cluster.link.bandwidth", "has no unit", "bit/s"});
  refused(R"("1 GB/s")", R"("1")", {"bad.json:3", "cluster.link.bandwidth"});
  refused(R"("1 GB/s")", R"("1 GB")", {"bad.json:3", "cluster.link.bandwidth"});
  refused(R"("1 GB/s")", R"("0 GB/s")", {"bad.json:3", "cluster.link.bandwidth", "> 0"});
  refused(R"("1 GB/s")", R"("-1 GB/s")", {"bad.json:3", "cluster.link.bandwidth"});
  refused(R"("1 GB/s")", R"("nan GB/s")", {"bad.json:3", "cluster.link.bandwidth"});
  refused(R"("1 GB/s")", R"("inf GB/s")", {"bad.json:3", "cluster.link.bandwidth"});
  refused(R"("1 GB/s")", R"("1e999 GB/s")", {"bad.json:3", "cluster.link.bandwidth"});
  refused(R"("1 GB/s")", R"(NaN)", {"bad.json:3"});
  refused(R"("step_time": "1 s")", R"("step_time": "0 s")", {"bad.json:5", "workload.step_time"});
}

TEST_CASE("a run without a compute-time model is refused by the name of its key (T10)") {
  refused(R"({"step_time": "1 s", "reference_batch": 1})", R"({})", {"bad.json:5", "workload.step_time"});
}

TEST_CASE("all faults are reported at once") {
  std::string text = with(quadratic_experiment, R"("local_steps": 4})", R"("local_stps": 4})");
  text = with(text, R"("1 GB/s")", R"("1 GB")");
  text = with(text, R"("learning_rate": 0.1)", R"("learning_rate": -1)");
  refused(text, {"bad.json:3", "bad.json:6", "bad.json:7"});
}

TEST_CASE("files that are no experiment are refused by name") {
  const Scratch scratch;
  const auto code = [&](const std::string& file, const char* part) {
    const Finished run = sim({"run", file, "--out", scratch.at("out")});
    CHECK(run.code == 2);
    CHECK_MESSAGE(run.says(part), run.err);
    CHECK_FALSE(fs::exists(scratch.path() / "out"));
  };
  code(scratch.at("nowhere.json"), "nowhere.json");
  code(scratch.path().string(), scratch.path().c_str());
  code(scratch.write("empty.json", ""), "empty.json");
  code(scratch.write("list.json", "[]"), "list.json");
  code(scratch.write("cut.json", quadratic_experiment.substr(0, 300)), "cut.json");
  code(
      scratch.write(
          "reference.json",
          with(
              quadratic_experiment,
              R"({"workers": 4, "link": {"bandwidth": "1 GB/s", "latency": "0 s"}, "servers": {"update_time": "0 s"}})",
              R"("clusters/none.json")")),
      "clusters/none.json");
}

TEST_CASE("10,000-deep nesting and a 100 MB text are refused, without a crash") {
  refused(std::string(10'000, '[') + std::string(10'000, ']'), {"bad.json"});
  refused("{\"name\": \"" + std::string(100'000'000, 'x') + "\"}", {"bad.json"});
}

TEST_CASE("a byte order mark, CRLF and a missing final newline change nothing (T20)") {
  const Scratch scratch;
  std::string crlf;
  for (const char c : quadratic_experiment) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const std::string plain = sim({"plan", scratch.write("plain.json", quadratic_experiment)}).out;
  CHECK(plain.find("local_sgd") != std::string::npos);
  CHECK(sim({"plan", scratch.write("crlf.json", crlf)}).out == plain);
  CHECK(sim({"plan", scratch.write("bom.json", "\xEF\xBB\xBF" + quadratic_experiment)}).out == plain);
  std::string short_end = quadratic_experiment;
  short_end.pop_back();
  CHECK(sim({"plan", scratch.write("end.json", short_end)}).out == plain);
}

TEST_CASE("data files that are missing, cut off, corrupt, empty or mislabelled are refused by name") {
  IdxFiles files;
  files.images.clear();
  Finished run = run_idx(files);
  CHECK(run.code == 2);
  CHECK_MESSAGE(run.says("train-images"), run.err);

  files = {};
  files.images.resize(40);  // 16 bytes of header and 6 of 24 images
  run = run_idx(files);
  CHECK(run.code == 2);
  CHECK_MESSAGE(run.says("train-images-idx3-ubyte"), run.err);

  files = {};
  files.images[2] = 13;  // not unsigned bytes
  CHECK(run_idx(files).code == 2);

  files = {};
  files.images = idx_images(0);
  files.labels = idx_labels(0, 1);
  run = run_idx(files);
  CHECK(run.code == 2);
  CHECK_MESSAGE(run.says("train-"), run.err);

  files = {};
  files.labels = idx_labels(23, 1);  // fewer labels than images
  CHECK(run_idx(files).code == 2);
}

TEST_CASE("a label out of range and a gzip file that is corrupt or cut off are refused by name") {
  // Digits has ten classes; the first line of its file ends in another label.
  const Scratch scratch;
  std::string row;
  for (int i = 0; i < 64; ++i) row += "0,";
  const std::string folder = scratch.at("data");
  const std::string experiment = with(digits_experiment, CONVOY_SOURCE_DIR "/configs/data/digits", folder);
  const std::string file = scratch.write("digits.json", experiment);
  std::string table;
  for (int i = 0; i < 200; ++i) table += row + std::to_string(i % 10) + "\n";
  const auto with_data = [&](const std::string& name, const std::string& content) {
    fs::remove_all(folder);
    scratch.write("data/" + name, content);
    return sim({"run", file, "--out", scratch.at("out")});
  };
  Finished run = with_data("digits.csv", table + row + "12\n");
  CHECK(run.code == 2);
  CHECK_MESSAGE(run.says("digits.csv"), run.err);
  const std::string gzip = content_of(CONVOY_SOURCE_DIR "/configs/data/digits/digits.csv.gz");
  REQUIRE(gzip.size() > 10'000);
  run = with_data("digits.csv.gz", gzip.substr(0, gzip.size() / 2));
  CHECK(run.code == 2);
  CHECK_MESSAGE(run.says("digits.csv.gz"), run.err);
  std::string corrupt = gzip;
  for (std::size_t i = 5'000; i < 5'050; ++i) corrupt[i] = static_cast<char>(corrupt[i] ^ 0x5A);
  run = with_data("digits.csv.gz", corrupt);
  CHECK(run.code == 2);
  CHECK_MESSAGE(run.says("digits.csv.gz"), run.err);
  run = with_data("digits.csv.gz", "");
  CHECK(run.code == 2);
  CHECK_FALSE(fs::exists(scratch.path() / "out"));
}

TEST_CASE("an output folder that cannot be written, or a full disk, is said before any run starts") {
  const Scratch scratch;
  const std::string file = scratch.write("good.json", quadratic_experiment);
  scratch.write("occupied", "a file");
  for (const std::string& out :
       {scratch.at("occupied"), scratch.at("occupied/below"), std::string("/proc/convoy")}) {
    const Finished run = sim({"run", file, "--out", out});
    CHECK(run.code == 2);
    CHECK_MESSAGE(run.says("--out"), run.err);
  }
  // A disk that takes nothing more, by a limit on the size of files.
  const Finished full =
      Process(
          {"/bin/sh", "-c", "ulimit -f 0; exec " CONVOY_SIM " run " + file + " --out " + scratch.at("out")})
          .wait();
  CHECK(full.code == 2);
  CHECK_MESSAGE(full.says("does not take results"), full.err);
  CHECK(fs::is_empty(scratch.path() / "out/runs"));
}

TEST_CASE("commands, flags and their values that do not exist get the nearest one as a hint") {
  Finished run = sim({"rnu"});
  CHECK(run.code == 2);
  CHECK(run.says("did you mean \"run\"?"));
  run = sim({"run", "x.json", "--thread", "2"});
  CHECK(run.code == 2);
  CHECK(run.says("--threads"));
  CHECK(sim({}).code == 2);
  CHECK(sim({"run"}).code == 2);
  CHECK(sim({"run", "x.json", "--threads", "0"}).code == 2);
  CHECK(sim({"run", "x.json", "--shard", "2/2"}).code == 2);
  CHECK(sim({"run", "x.json", "--plugin", "libnone.so"}).says("libnone.so"));
  run = sim({"list", "algorithm"});
  CHECK(run.code == 2);
  CHECK(run.says("did you mean \"algorithms\"?"));
  run = sim({"describe", "halso"});
  CHECK(run.code == 2);
  CHECK(run.says("did you mean \"halos\"?"));
}

TEST_CASE("--set is checked like the file") {
  const Scratch scratch;
  const std::string file = scratch.write("good.json", quadratic_experiment);
  CHECK(sim({"check", file, "--set", "/algorithms/local_sgd/local_steps=8"}).code == 0);
  Finished run = sim({"check", file, "--set", "/algorithms/local_sgd/local_steps=0"});
  CHECK(run.code == 2);
  CHECK(run.says("algorithms[0].local_steps"));
  run = sim({"check", file, "--set", "/algorithms/local_sdg/local_steps=1"});
  CHECK(run.code == 2);
  CHECK(run.says("did you mean \"local_sgd\"?"));
}
