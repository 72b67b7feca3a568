// Explicit weights: {"kind": "matrix", "rows": [[0.5, 0.5], [0.5, 0.5]]}. Row i is what node i mixes;
// libraries whose row i is what i sends (BlueFog) need "transposed".
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "topologies/graphs.hpp"
#include "topologies/spectrum.hpp"
#include "topologies/weighted_graph.hpp"

namespace convoy {

namespace {

class Matrix final : public GraphBuilder {
 public:
  [[nodiscard]] std::string_view kind() const override { return "matrix"; }
  void declare(Options& options) override {
    options.add("rows", rows_)
        .required()
        .or_file()
        .help("w[i][j] is the weight that node i puts on node j's value; or a file: JSON, or a line a row");
    options.add("transposed", transposed_)
        .help("w[i][j] is what i sends to j, so that columns are receivers");
  }
  [[nodiscard]] MixingMatrix build(int nodes) const override {
    if (rows_.size() != static_cast<std::size_t>(nodes)) {
      refuse_graph("rows", "the matrix has " + std::to_string(rows_.size()) + " rows for " +
                               std::to_string(nodes) + " nodes");
    }
    std::vector<std::vector<MixingMatrix::Entry>> rows(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const std::string option = "rows[" + std::to_string(i) + "]";
      if (rows_[i].size() != rows_.size()) {
        refuse_graph(option, "the row has " + std::to_string(rows_[i].size()) + " weights, the matrix " +
                                 std::to_string(rows_.size()) + " rows");
      }
      for (std::size_t j = 0; j < rows_.size(); ++j) {
        if (!std::isfinite(rows_[i][j])) refuse_graph(option, "a weight is not finite");
        rows[i].push_back({static_cast<int>(j), rows_[i][j]});
      }
    }
    MixingMatrix matrix("matrix", std::move(rows));
    if (transposed_) matrix = matrix.transposed();
    if (!matrix.has(MixingProperty::row_stochastic) && !matrix.has(MixingProperty::column_stochastic)) {
      refuse_graph("rows", "neither the rows nor the columns of the matrix all sum to 1");
    }
    return matrix;
  }
  [[nodiscard]] Spectrum spectrum(const MixingMatrix& matrix) const override {
    return dense_spectrum(matrix);
  }

 private:
  std::vector<std::vector<double>> rows_;
  bool transposed_ = false;
};

}  // namespace

std::unique_ptr<GraphBuilder> make_matrix() {
  return std::make_unique<Matrix>();
}

}  // namespace convoy
