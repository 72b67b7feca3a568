// Time of a training step, all in (mini-batch drawn and widened, forward, backward, plain SGD), on one
// thread, side by side in one run with PyTorch (python3-torch, forward, backward and SGD on a batch that is
// ready) and, for the multilayer perceptron, with a bare loop of the matrix products that the step needs.
//
//   build/benchmarks/learning [ROUNDS]
//
// Each number is the least mean over rounds, in processor time. Answers are checked: float32 gradients
// against float64, the evaluation against the sum over batches. Ends with 1 if an answer is wrong; targets
// that are missed are marked, since another machine may miss them.
//
// Targets: softmax 64-10 at most 6 us; mlp at most 1.15 of its products and a third of PyTorch; char_gpt half
// of PyTorch; evaluation of 10,000 images of 28 x 28 at most 60 ms.
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "learning/classification.hpp"
#include "learning/language.hpp"
#include "learning/numerics.hpp"
#include "learning/optimizer.hpp"

namespace {

using namespace convoy;

double microseconds_now() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

/// The least mean time of `work` over rounds of 50 ms.
class Stopwatch {
 public:
  explicit Stopwatch(std::function<void()> work) : work_(std::move(work)) {
    work_();
    const double start = microseconds_now();
    work_();
    repeats_ = std::max(1, static_cast<int>(5e4 / std::max(0.1, microseconds_now() - start)));
  }
  void round() {
    const double start = microseconds_now();
    for (int i = 0; i < repeats_; ++i) work_();
    best_ = std::min(best_, (microseconds_now() - start) / repeats_);
  }
  [[nodiscard]] double best() const { return best_; }

 private:
  std::function<void()> work_;
  int repeats_ = 1;
  double best_ = std::numeric_limits<double>::infinity();
};

template <class Part>
void configure(Part& part, const Node& node) {
  Options options;
  part.declare(options);
  FaultSink faults;
  read_options(node, "", options, faults);
  faults.throw_if_any();
}

std::unique_ptr<Model> model_of(const char* kind,
                                std::initializer_list<std::pair<const char*, Node>> options = {}) {
  auto model = model_makers().at(kind)();
  Node node = Node::object();
  for (const auto& option : options) node.set(option.first, option.second);
  configure(*model, node);
  return model;
}

std::shared_ptr<const DataSet> images(std::size_t features, std::size_t count) {
  auto data = std::make_shared<DataSet>();
  data->name = "noise";
  data->features = features;
  data->classes = 10;
  data->scale = 1.0 / 128;
  data->shift = -1;
  RandomStream random(0, "benchmark");
  for (Samples* samples : {&data->training, &data->test}) {
    samples->count = count;
    samples->features = features;
    for (std::size_t i = 0; i < count * features; ++i)
      samples->bytes.push_back(static_cast<std::uint8_t>(random.below(256)));
    for (std::size_t i = 0; i < count; ++i) samples->labels.push_back(static_cast<std::uint8_t>(i % 10));
  }
  return data;
}

std::shared_ptr<const TextCorpus> letters() {
  auto text = std::make_shared<TextCorpus>();
  text->name = "noise";
  RandomStream random(0, "benchmark", 1);
  for (std::uint8_t i = 0; i < 65; ++i) text->alphabet.push_back(i);
  for (int i = 0; i < 200'000; ++i) text->tokens.push_back(static_cast<std::uint8_t>(random.below(65)));
  return text;
}

std::shared_ptr<const LearningTask> classification(const std::shared_ptr<const DataSet>& data,
                                                   const Model& model,
                                                   Precision precision = Precision::float32) {
  const auto iid = partition_makers().at("iid")();
  return make_classification(
      {.data = data, .model = &model, .partition = iid.get(), .seed = 0, .batch_sizes = {32}}, precision);
}

std::shared_ptr<const LearningTask> language(const std::shared_ptr<const TextCorpus>& text,
                                             const Model& model, Precision precision = Precision::float32) {
  return make_language_task({.text = text, .model = &model, .seed = 0, .batch_sizes = {16}}, precision);
}

/// Training that goes on step by step.
class Training {
 public:
  explicit Training(std::shared_ptr<const LearningTask> task)
      : task_(std::move(task)), sgd_(optimizer_makers().at("sgd")()), x_(task_->initial_parameters()) {
    Node options = Node::object();
    options.set("learning_rate", Node::of(1e-4));
    configure(*sgd_, options);
    state_ = sgd_->initial_state(x_.shared_layout(), x_.precision());
  }
  void step() {
    task_->gradient(x_, 0, step_++, gradient_);
    sgd_->step(x_, gradient_, state_, 1);
  }

 private:
  std::shared_ptr<const LearningTask> task_;
  std::unique_ptr<Optimizer> sgd_;
  Vector x_, gradient_;
  OptimizerState state_;
  std::uint64_t step_ = 0;
};

/// The products of a step of the perceptron 784-128-10 at batch 32, as Eigen is used by hand.
class BareProducts {
 public:
  void run() {
    hidden_.noalias() = first_ * input_;
    logits_.noalias() = second_ * hidden_;
    second_gradient_.noalias() = logits_ * hidden_.transpose();
    hidden_gradient_.noalias() = second_.transpose() * logits_;
    first_gradient_.noalias() = hidden_gradient_ * input_.transpose();
  }
  [[nodiscard]] bool finite() const { return first_gradient_.allFinite(); }

 private:
  using ByRow = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using ByColumn = Eigen::MatrixXf;
  ByColumn input_ = ByColumn::Random(784, 32), hidden_{128, 32}, hidden_gradient_{128, 32};
  ByRow first_ = ByRow::Random(128, 784), second_ = ByRow::Random(10, 128), logits_{10, 32};
  ByRow first_gradient_{128, 784}, second_gradient_{10, 128};
};

bool gradients_agree(const LearningTask& single, const LearningTask& twice) {
  const Vector x32 = single.initial_parameters();
  const Vector x64(twice.layout(), Precision::float64, x32.to_doubles());
  Vector g32;
  Vector g64;
  single.gradient(x32, 0, 0, g32);
  twice.gradient(x64, 0, 0, g64);
  const Vector widened(twice.layout(), Precision::float64, g32.to_doubles());
  return widened.distance(g64) < 1e-5 * g64.norm();
}

struct TorchTimes {
  std::string blas;  ///< the library that PyTorch multiplies matrices with
  std::map<std::string, double> steps;
};

TorchTimes torch_times(int rounds) {
  TorchTimes times;
  const std::string command =
      fmt::format("OMP_NUM_THREADS=1 /usr/bin/python3 '{}/tests/benchmarks/torch_steps.py' {}",
                  CONVOY_SOURCE_DIR, rounds);
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return times;
  char name[64];
  char value[64];
  while (std::fscanf(pipe, "%63s %63s", name, value) == 2) {
    if (std::string_view(name) == "blas") {
      times.blas = value;
    } else {
      times.steps[name] = std::strtod(value, nullptr);
    }
  }
  pclose(pipe);
  return times;
}

struct Row {
  std::string name, about;
  std::unique_ptr<Stopwatch> watch;
  bool agrees = true;
};

std::string verdict(const std::string& what, double value, double bound, bool below) {
  const bool met = below ? value <= bound : value >= bound;
  return fmt::format("{} {:.2f} (target {} {}){}", what, value, below ? "<=" : ">=", bound,
                     met ? "" : " MISSED");
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20;
  pin_numerics();
  std::vector<Row> rows;
  const auto add = [&rows](std::string name, std::string about,
                           const std::shared_ptr<const LearningTask>& task,
                           const std::shared_ptr<const LearningTask>& exact) {
    auto training = std::make_shared<Training>(task);
    rows.push_back({std::move(name), std::move(about),
                    std::make_unique<Stopwatch>([training] { training->step(); }),
                    gradients_agree(*task, *exact)});
  };
  const auto add_model = [&add](const std::string& name, const std::string& about, const auto& data,
                                const Model& model, auto make) {
    add(name, about, make(data, model, Precision::float32), make(data, model, Precision::float64));
  };
  const auto small = images(64, 2000);
  const auto large = images(784, 10'000);
  const auto text = letters();
  const auto softmax = model_of("softmax_regression");
  const auto mlp = model_of("mlp");
  add_model("softmax", "64-10, batch 32", small, *softmax, classification);
  add_model("mlp", "784-128-10, batch 32", large, *mlp, classification);
  add_model("cnn", "LeNet-5, batch 32", large, *model_of("cnn"), classification);
  add_model("resnet", "resnet-8, batch 32", large, *model_of("resnet"), classification);
  add_model("char_gpt", "2 x 64, 64 x 16 characters", text,
            *model_of("char_gpt", {{"head", Node::of(std::string("linear"))}}), language);
  add_model("char_lstm", "2 x 256, 64 x 16 characters", text,
            *model_of("char_lstm", {{"context", Node::of(std::int64_t{64})}}), language);

  BareProducts products;
  Stopwatch bare([&products] { products.run(); });
  const auto evaluated = classification(large, *mlp);
  const Vector x = evaluated->initial_parameters();
  Evaluation evaluation;
  Stopwatch evaluate([&] { evaluation = evaluated->evaluate(x, Split::test); });

  // In turns, so that other programs disturb all alike.
  const TorchTimes before = torch_times(rounds / 2);
  std::map<std::string, double> torch = before.steps;
  for (int i = 0; i < rounds; ++i) {
    for (Row& row : rows) row.watch->round();
    bare.round();
    evaluate.round();
  }
  for (const auto& [name, time] : torch_times(rounds / 2).steps) torch[name] = std::min(torch[name], time);

  fmt::print("{:<11}{:<30}{:>12}{:>12}{:>10}\n", "model", "", "us a step", "torch, us", "torch/ours");
  bool right = products.finite() && std::abs(evaluation.loss - std::log(10.0)) < 1;
  std::map<std::string, double> times;
  for (const Row& row : rows) {
    times[row.name] = row.watch->best();
    const auto other = torch.find(row.name);
    fmt::print("{:<11}{:<30}{:>12.1f}", row.name, row.about, row.watch->best());
    if (other != torch.end())
      fmt::print("{:>12.1f}{:>10.2f}", other->second, other->second / row.watch->best());
    fmt::print("{}\n", row.agrees ? "" : "  WRONG: float32 and float64 disagree");
    right = right && row.agrees;
  }
  fmt::print("\nmlp's bare products {:.1f} us; evaluation of 10,000 images {:.1f} ms\n", bare.best(),
             evaluate.best() / 1e3);
  fmt::print("{}\n", verdict("softmax us a step", times["softmax"], 6, true));
  fmt::print("{}\n", verdict("mlp / its products", times["mlp"] / bare.best(), 1.15, true));
  fmt::print("{}\n", verdict("evaluation ms", evaluate.best() / 1e3, 60, true));
  if (torch.empty()) {
    fmt::print("no comparison with PyTorch: python3-torch is not installed\n");
  } else {
    fmt::print("PyTorch multiplies with {}{}\n", before.blas,
               before.blas.find("libblas") == 0
                   ? ", the reference BLAS: no fair comparison, install libopenblas0-serial"
                   : "");
    fmt::print("{}\n", verdict("torch / mlp", torch["mlp"] / times["mlp"], 3, false));
    fmt::print("{}\n", verdict("torch / char_gpt", torch["char_gpt"] / times["char_gpt"], 2, false));
  }
  return right ? 0 : 1;
}
