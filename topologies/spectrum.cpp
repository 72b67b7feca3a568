#include "topologies/spectrum.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace convoy {

namespace {

Eigen::MatrixXd dense(const MixingMatrix& matrix) {
  Eigen::MatrixXd w = Eigen::MatrixXd::Zero(matrix.size(), matrix.size());
  for (int i = 0; i < matrix.size(); ++i) {
    for (const MixingMatrix::Entry& entry : matrix.row(i)) w(i, entry.node) = entry.weight;
  }
  return w;
}

}  // namespace

Spectrum dense_spectrum(const MixingMatrix& matrix) {
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

}  // namespace convoy
