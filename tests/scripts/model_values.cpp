// Loss and gradient of a model at given parameters, for comparison with other software. Reads one JSON object
// from standard input, writes one to standard output:
//
//   {"model": {"kind": "mlp", "hidden": [4]}, "inputs": 3, "classes": 2, "precision": "float64"}
//     -> {"labels_per_sample": 1, "layers": [{"name": "dense1.weight", "rows": 4, "cols": 3}, ...]}
//   with "parameters", "features" and "labels" (lists) as well
//     -> {"loss": 0.7, "gradient": [...]}
#include <fmt/format.h>

#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "core/options.hpp"
#include "experiment/json_reader.hpp"
#include "learning/model.hpp"

namespace {

using namespace convoy;

struct Request {
  std::unique_ptr<Model> model;
  std::int64_t inputs = 0, classes = 0;
  Precision precision = Precision::float32;
  std::vector<double> parameters, features, labels;

  void declare(Options& options) {
    options.add("model", model, model_makers()).required();
    options.add("inputs", inputs).required();
    options.add("classes", classes).required();
    options.add("precision", precision, {{"float32", Precision::float32}, {"float64", Precision::float64}});
    options.add("parameters", parameters);
    options.add("features", features);
    options.add("labels", labels);
  }
};

template <class T>
std::string answer(const Request& request, const NeuralNetwork<T>& network) {
  std::string out;
  if (request.parameters.empty()) {
    for (const LayerSpan& layer : network.layout()->layers) {
      out += fmt::format(R"({}{{"name": "{}", "rows": {}, "cols": {}}})", out.empty() ? "" : ", ", layer.name,
                         layer.rows, layer.cols);
    }
    return fmt::format(R"({{"labels_per_sample": {}, "layers": [{}]}})", network.labels_per_sample(), out);
  }
  const std::vector<T> parameters(request.parameters.begin(), request.parameters.end());
  std::vector<T> features(request.features.begin(), request.features.end());
  const std::vector<std::uint8_t> labels(request.labels.begin(), request.labels.end());
  std::vector<T> gradient(parameters.size());
  if (parameters.size() != network.layout()->size) throw std::runtime_error("a wrong number of parameters");
  const double loss = network.gradient(parameters, features.data(), labels, gradient);
  for (const T value : gradient) out += fmt::format("{}{:.17g}", out.empty() ? "" : ", ", value);
  return fmt::format(R"({{"loss": {:.17g}, "gradient": [{}]}})", loss, out);
}

}  // namespace

int main() {
  try {
    const std::string text(std::istreambuf_iterator<char>(std::cin), {});
    Request request;
    FaultSink faults;
    read_options(read_json_text(text, "standard input"), "", request, faults);
    faults.throw_if_any();
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
