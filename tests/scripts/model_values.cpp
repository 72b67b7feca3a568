// Loss and gradient of a model at given parameters, for comparison with other software. Reads one JSON object
// from standard input, writes one to standard output:
//
//   {"model": {"kind": "mlp", "hidden": [4]}, "inputs": 3, "classes": 2, "precision": "float64"}
//     -> {"labels_per_sample": 1, "layers": [{"name": "dense1.weight", "rows": 4, "cols": 3}, ...]}
//   with "parameters", "features" and "labels" (lists) as well
//     -> {"loss": 0.7, "gradient": [...]}
//
// With {"task": {"kind": "factorization" | "sparse", ...}} in place of a model the answer is for one
// mini-batch of all training samples of seed 0, which it lists: "ratings" [user, item, value, ...], or
// "entries" [sample, feature, value, ...] and "labels".
#include <fmt/format.h>

#include <iostream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/options.hpp"
#include "experiment/json_reader.hpp"
#include "learning/data_store.hpp"
#include "learning/model.hpp"
#include "learning/task_options.hpp"

namespace {

using namespace convoy;

struct Request {
  std::unique_ptr<Model> model;
  std::optional<TaskOptions> task;
  std::int64_t inputs = 0, classes = 0;
  Precision precision = Precision::float32;
  std::vector<double> parameters, features, labels;

  void declare(Options& options) {
    options.add("model", model, model_makers());
    options.add("task", task);
    options.add("inputs", inputs);
    options.add("classes", classes);
    options.add("precision", precision, {{"float32", Precision::float32}, {"float64", Precision::float64}});
    options.add("parameters", parameters);
    options.add("features", features);
    options.add("labels", labels);
  }
};

std::string layers_of(const Layout& layout) {
  std::string out;
  for (const LayerSpan& layer : layout.layers) {
    out += fmt::format(R"({}{{"name": "{}", "rows": {}, "cols": {}}})", out.empty() ? "" : ", ", layer.name,
                       layer.rows, layer.cols);
  }
  return out;
}

std::string samples_of(const TaskOptions& options, std::size_t count) {
  std::vector<double> numbers;
  std::vector<std::uint32_t> labels;
  if (options.kind == TaskKind::sparse) {
    const SparseSamples samples = make_sparse_samples(options.sparse.value_or(SparseOptions{}), 0);
    for (std::size_t i = 0; i < count; ++i) {
      labels.push_back(samples.labels[i]);
      for (std::size_t k = samples.offsets[i]; k < samples.offsets[i + 1]; ++k) {
        numbers.insert(numbers.end(), {static_cast<double>(i), static_cast<double>(samples.columns[k]),
                                       static_cast<double>(samples.values[k])});
      }
    }
    return fmt::format(R"("entries": [{:.17g}], "labels": [{}])", fmt::join(numbers, ", "),
                       fmt::join(labels, ", "));
  }
  const std::vector<Rating> ratings = make_ratings(options.factorization.value_or(FactorizationOptions{}), 0);
  for (std::size_t i = 0; i < count; ++i) {
    numbers.insert(numbers.end(), {static_cast<double>(ratings[i].user), static_cast<double>(ratings[i].item),
                                   static_cast<double>(ratings[i].value)});
  }
  return fmt::format(R"("ratings": [{:.17g}])", fmt::join(numbers, ", "));
}

std::string answer_of_task(const Request& request) {
  DataStore store;
  const std::size_t count = make_task(*request.task, store, 0, 1, false)->worker_samples(0);
  const std::vector<std::size_t> sizes{count};
  const auto task = make_task(*request.task, store, 0, 1, false, sizes);
  if (request.parameters.empty()) {
    return fmt::format(R"({{"layers": [{}], {}}})", layers_of(*task->layout()),
                       samples_of(*request.task, count));
  }
  Vector gradient;
  const double loss =
      task->gradient(Vector(task->layout(), task->precision(), request.parameters), 0, 0, gradient).loss;
  return fmt::format(R"({{"loss": {:.17g}, "gradient": [{:.17g}]}})", loss,
                     fmt::join(gradient.to_doubles(), ", "));
}

template <class T>
std::string answer(const Request& request, const NeuralNetwork<T>& network) {
  if (request.parameters.empty()) {
    return fmt::format(R"({{"labels_per_sample": {}, "layers": [{}]}})", network.labels_per_sample(),
                       layers_of(*network.layout()));
  }
  const std::vector<T> parameters(request.parameters.begin(), request.parameters.end());
  std::vector<T> features(request.features.begin(), request.features.end());
  const std::vector<std::uint8_t> labels(request.labels.begin(), request.labels.end());
  std::vector<T> gradient(parameters.size());
  if (parameters.size() != network.layout()->size) throw std::runtime_error("a wrong number of parameters");
  const double loss = network.gradient(parameters, features.data(), labels, gradient);
  return fmt::format(R"({{"loss": {:.17g}, "gradient": [{:.17g}]}})", loss, fmt::join(gradient, ", "));
}

}  // namespace

int main() {
  try {
    const std::string text(std::istreambuf_iterator<char>(std::cin), {});
    Request request;
    FaultSink faults;
    read_options(read_json_text(text, "standard input"), "", request, faults);
    faults.throw_if_any();
    if (request.task) {
      std::cout << answer_of_task(request) << '\n';
      return 0;
    }
    if (!request.model) throw std::runtime_error("either a model or a task is needed");
    const auto inputs = static_cast<std::size_t>(request.inputs);
    const auto classes = static_cast<std::size_t>(request.classes);
    std::cout << (request.precision == Precision::float32
                      ? answer(request, *request.model->build_float32(inputs, classes))
                      : answer(request, *request.model->build_float64(inputs, classes)))
              << '\n';
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
