#include "topologies/spectrum.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>

#include "topologies/weighted_graph.hpp"

namespace convoy {

namespace {

Eigen::MatrixXd dense(const MixingMatrix& matrix) {
  Eigen::MatrixXd w = Eigen::MatrixXd::Zero(matrix.size(), matrix.size());
  for (int i = 0; i < matrix.size(); ++i) {
    for (const MixingMatrix::Entry& entry : matrix.row(i)) w(i, entry.node) = entry.weight;
  }
  return w;
}

void require_size(int nodes) {
  if (nodes <= most_nodes_of_spectrum) return;
  refuse_graph({}, "eigenvalues of " + std::to_string(nodes) + " nodes are too many",
               "at most " + std::to_string(most_nodes_of_spectrum) + " nodes");
}

}  // namespace

Spectrum dense_spectrum(const MixingMatrix& matrix) {
  require_size(matrix.size());
  const Eigen::MatrixXd w = dense(matrix);
  const Eigen::MatrixXd deviation = w.array() - 1.0 / matrix.size();
  Spectrum spectrum;
  if (matrix.has(MixingProperty::symmetric)) {
    const Eigen::VectorXd values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(w, Eigen::EigenvaluesOnly).eigenvalues();
    for (const double value : values) spectrum.eigenvalues.emplace_back(value, 0);
    spectrum.beta = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(deviation, Eigen::EigenvaluesOnly)
                        .eigenvalues()
                        .cwiseAbs()
                        .maxCoeff();
  } else {
    const Eigen::VectorXcd values = Eigen::EigenSolver<Eigen::MatrixXd>(w, false).eigenvalues();
    spectrum.eigenvalues.assign(values.begin(), values.end());
    spectrum.beta = Eigen::BDCSVD<Eigen::MatrixXd>(deviation).singularValues().maxCoeff();
  }
  std::sort(spectrum.eigenvalues.begin(), spectrum.eigenvalues.end(), [](const auto& a, const auto& b) {
    return a.real() != b.real() ? a.real() > b.real() : a.imag() > b.imag();
  });
  spectrum.gap = 1 - spectrum.beta;
  spectrum.lambda_min = spectrum.eigenvalues.back().real();
  return spectrum;
}

double product_beta(const GraphSequence& graphs, std::int64_t rounds) {
  require_size(graphs.size());
  Eigen::MatrixXd product = Eigen::MatrixXd::Identity(graphs.size(), graphs.size());
  for (std::int64_t t = 0; t < rounds; ++t) product = (dense(*graphs.at(t)) * product).eval();
  const Eigen::MatrixXd deviation = product.array() - 1.0 / graphs.size();
  return Eigen::BDCSVD<Eigen::MatrixXd>(deviation).singularValues().maxCoeff();
}

std::vector<double> laplacian_spectrum(const Adjacency& graph) {
  require_size(graph.size());
  Eigen::MatrixXd laplacian = Eigen::MatrixXd::Zero(graph.size(), graph.size());
  for (int i = 0; i < graph.size(); ++i) {
    laplacian(i, i) = graph.in_degree(i);
    for (const int j : graph.in(i)) laplacian(i, j) = -1;
  }
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(laplacian, Eigen::EigenvaluesOnly).eigenvalues();
  return {values.begin(), values.end()};
}

double best_constant_weight(const Adjacency& graph) {
  if (graph.size() == 1) return 0;
  const std::vector<double> values = laplacian_spectrum(graph);
  constexpr double zero = 1e-9;  // of the second smallest eigenvalue where the graph falls apart
  if (values[1] < zero) {
    const auto [from, to] = graph.cut_off();
    refuse_graph("weights", "best_constant weights need a connected graph: node " + std::to_string(to) +
                                " never hears of node " + std::to_string(from));
  }
  return 2 / (values.back() + values[1]);
}

}  // namespace convoy
