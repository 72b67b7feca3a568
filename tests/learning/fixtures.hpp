// What the tests of learning share: options written in code, files that vanish, small data sets.
#pragma once

#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/options.hpp"
#include "learning/data_store.hpp"
#include "learning/optimizer.hpp"
#include "learning/task_options.hpp"

namespace convoy::test {

inline Node text(std::string value) {
  return Node::of(std::move(value));
}
inline Node number(double value) {
  return Node::of(value);
}
inline Node integer(std::int64_t value) {
  return Node::of(value);
}
inline Node list(std::vector<Node> items) {
  return Node::list(std::move(items));
}
inline Node numbers(std::initializer_list<double> values) {
  Node node = Node::list();
  for (const double value : values) node.items.push_back(Node::of(value));
  return node;
}
inline Node object(std::initializer_list<std::pair<const char*, Node>> members) {
  Node node = Node::object();
  for (const auto& member : members) node.set(member.first, member.second);
  return node;
}

/// Throws ConfigError with every fault.
template <class T>
void read(T& part, const Node& node) {
  Options options;
  part.declare(options);
  FaultSink faults;
  read_options(node, "task", options, faults);
  faults.throw_if_any();
}

template <class Base>
std::unique_ptr<Base> make(const VariantMakers<Base>& makers, const char* kind,
                           const Node& node = Node::object()) {
  auto part = makers.at(kind)();
  read(*part, node);
  return part;
}

inline std::filesystem::path shipped_data() {
  return std::filesystem::path(CONVOY_SOURCE_DIR) / "configs" / "data";
}

inline std::shared_ptr<const LearningTask> task_of(const Node& node, DataStore& store, std::uint64_t seed,
                                                   int workers, bool target_on_test = false) {
  TaskOptions options;
  read(options, node);
  return make_task(options, store, seed, workers, target_on_test);
}

/// AdamW without weight decay on worker 0, its rate falling to nothing along half a cosine.
inline Vector train_along_cosine(const LearningTask& task, int steps, double rate) {
  const auto adamw = make(optimizer_makers(), "adamw",
                          object({{"learning_rate", number(rate)}, {"weight_decay", number(0)}}));
  Vector x = task.initial_parameters();
  OptimizerState state = adamw->initial_state(x.shared_layout(), x.precision());
  Vector g;
  for (int k = 0; k < steps; ++k) {
    task.gradient(x, 0, static_cast<std::uint64_t>(k), g);
    adamw->step(x, g, state, 0.5 * (1 + std::cos(3.141592653589793 * k / steps)));
  }
  return x;
}

/// A folder of its own, removed with all it holds at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    static std::atomic<int> next{0};
    path_ = std::filesystem::temp_directory_path() /
            ("convoy_learning_" + std::to_string(getpid()) + "_" + std::to_string(next++));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }
  std::filesystem::path write_gzip(const std::string& name, const std::string& bytes) const {
    const gzFile file = gzopen((path_ / name).c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// An IDX file of unsigned bytes.
inline std::string idx(const std::vector<std::uint32_t>& sizes, const std::string& values) {
  std::string out{'\0', '\0', '\x08', static_cast<char>(sizes.size())};
  for (const std::uint32_t size : sizes) {
    for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(size >> shift & 0xff));
  }
  return out + values;
}

}  // namespace convoy::test
