#include "hardware/sparse_tables.hpp"

#include <string>

#include "core/error.hpp"

namespace convoy {

void SparseTables::declare(Options& options) {
  constexpr double most_rows = 1e12, most_width = 1 << 20;
  options.add("rows", rows).required().items(1, 100'000).at_least(1).at_most(most_rows).help("of each table");
  options.add("width", width).required().at_least(1).at_most(most_width).help("of a row of every table");
  options.add("lookups", lookups)
      .at_least(1)
      .at_most(most_width)
      .help("rows that a sample names in each table; their sum goes on");
  options.add("dense_features", dense_features).at_least(1).at_most(most_width).help("numbers of a sample");
  options.add("bottom", bottom)
      .required()
      .items(1)
      .at_least(1)
      .at_most(most_width)
      .help("widths of the layers over the dense features; the last is that of the tables");
  options.add("top", top)
      .required()
      .items(1)
      .at_least(1)
      .at_most(most_width)
      .help("widths of the layers over the dot products and the bottom's vector");
  options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
    double elements = 0;
    for (const std::int64_t count : rows) elements += static_cast<double>(count) * static_cast<double>(width);
    if (elements > 0x1p53) {
      faults.add(whole, path + ".rows", "make tables of more numbers than can be counted", "2^53 in all");
    }
    if (bottom.back() == width) return;
    const Node* written = whole.find("bottom");
    faults.add(written != nullptr ? *written : whole, path + ".bottom",
               "ends with " + std::to_string(bottom.back()) + ", which has no dot product with rows of " +
                   std::to_string(width),
               "a last width of " + std::to_string(width));
  });
}

std::int64_t SparseTables::pairs() const {
  const auto vectors = static_cast<std::int64_t>(rows.size()) + 1;
  return vectors * (vectors - 1) / 2;
}

std::vector<SparseTables::Layer> SparseTables::layers() const {
  std::vector<Layer> result;
  std::int64_t inputs = dense_features;
  for (const std::int64_t outputs : bottom) {
    result.push_back({inputs, outputs});
    inputs = outputs;
  }
  inputs = width + pairs();
  for (const std::int64_t outputs : top) {
    result.push_back({inputs, outputs});
    inputs = outputs;
  }
  return result;
}

std::vector<TensorShape> SparseTables::tensors() const {
  std::vector<TensorShape> result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    result.push_back(matrix_shape("tables." + std::to_string(i), rows[i], width));
  }
  const std::vector<Layer> dense = layers();
  for (std::size_t i = 0; i < dense.size(); ++i) {
    const std::string name =
        (i < bottom.size() ? "bottom." + std::to_string(i) : "top." + std::to_string(i - bottom.size()));
    result.push_back(matrix_shape(name + ".weight", dense[i].outputs, dense[i].inputs));
    result.push_back(vector_shape(name + ".bias", dense[i].outputs));
  }
  return result;
}

std::int64_t SparseTables::table_elements() const {
  std::int64_t sum = 0;
  for (const std::int64_t count : rows) sum += count * width;
  return sum;
}

double SparseTables::gathered_elements() const {
  return static_cast<double>(rows.size()) * static_cast<double>(lookups) * static_cast<double>(width);
}

double SparseTables::forward_flops() const {
  double flops = 2 * static_cast<double>(pairs()) * static_cast<double>(width) + gathered_elements();
  for (const Layer& layer : layers()) {
    flops += 2 * static_cast<double>(layer.inputs) * static_cast<double>(layer.outputs);
  }
  return flops;
}

double SparseTables::activation_elements() const {
  double elements = static_cast<double>(dense_features) + static_cast<double>(pairs()) +
                    static_cast<double>(rows.size()) * static_cast<double>(width);
  for (const Layer& layer : layers()) elements += static_cast<double>(layer.outputs);
  return elements;
}

}  // namespace convoy
