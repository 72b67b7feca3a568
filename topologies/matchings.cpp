#include "topologies/matchings.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/edge_coloring.hpp>
#include <cmath>

namespace convoy {

namespace {

using Matrix = Eigen::MatrixXd;

Matrix laplacian(int nodes, const Matching& matching) {
  Matrix l = Matrix::Zero(nodes, nodes);
  for (const auto& [a, b] : matching) {
    l(a, a) += 1, l(b, b) += 1;
    l(a, b) -= 1, l(b, a) -= 1;
  }
  return l;
}

/// The nearest point with 0 <= p <= 1 and sum p <= most: p - shift, cut to [0, 1].
std::vector<double> projected(const std::vector<double>& p, double most) {
  const auto shifted = [&](double shift) {
    std::vector<double> result = p;
    for (double& value : result) value = std::clamp(value - shift, 0.0, 1.0);
    return result;
  };
  const auto sum = [](const std::vector<double>& values) {
    double total = 0;
    for (const double value : values) total += value;
    return total;
  };
  if (sum(shifted(0)) <= most) return shifted(0);
  double low = 0, high = *std::max_element(p.begin(), p.end());
  constexpr int bisections = 60;
  for (int i = 0; i < bisections; ++i) {
    const double middle = (low + high) / 2;
    (sum(shifted(middle)) > most ? low : high) = middle;
  }
  return shifted(high);
}

/// rho of a weight.
double contraction(const Matrix& mean, const Matrix& variance, double weight) {
  const auto n = mean.rows();
  const Matrix second =
      Matrix::Identity(n, n) - 2 * weight * mean + weight * weight * (mean * mean + 2 * variance);
  const Matrix deviation = second.array() - 1.0 / static_cast<double>(n);
  return Eigen::SelfAdjointEigenSolver<Matrix>(deviation, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
}

}  // namespace

std::vector<Matching> matchings_of(const Adjacency& graph) {
  using Coloured = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                         boost::property<boost::edge_color_t, std::size_t>>;
  Coloured coloured(static_cast<std::size_t>(graph.size()));
  for (const auto& [a, b] : graph.pairs()) {
    boost::add_edge(static_cast<std::size_t>(a), static_cast<std::size_t>(b), coloured);
  }
  if (boost::num_edges(coloured) == 0) return {};
  const auto colour = boost::get(boost::edge_color, coloured);
  const std::size_t colours = boost::edge_coloring(coloured, colour);
  std::vector<Matching> matchings(colours);
  const auto [first, last] = boost::edges(coloured);
  for (auto edge = first; edge != last; ++edge) {
    const auto a = static_cast<int>(boost::source(*edge, coloured)),
               b = static_cast<int>(boost::target(*edge, coloured));
    matchings.at(boost::get(colour, *edge)).emplace_back(std::min(a, b), std::max(a, b));
  }
  std::erase_if(matchings, [](const Matching& matching) { return matching.empty(); });
  for (Matching& matching : matchings) std::sort(matching.begin(), matching.end());
  return matchings;
}

MatchaPlan matcha_plan(int nodes, const std::vector<Matching>& matchings, double budget) {
  MatchaPlan plan;
  if (matchings.empty()) return plan;
  std::vector<Matrix> parts;
  for (const Matching& matching : matchings) parts.push_back(laplacian(nodes, matching));
  const double most = budget * static_cast<double>(parts.size());
  std::vector<double> p(parts.size(), budget);
  double best = -1;
  constexpr int iterations = 200;
  for (int t = 0; t < iterations; ++t) {
    Matrix mean = Matrix::Zero(nodes, nodes);
    for (std::size_t j = 0; j < parts.size(); ++j) mean += p[j] * parts[j];
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(mean);
    if (solver.eigenvalues()(1) > best + 1e-12) best = solver.eigenvalues()(1), plan.probability = p;
    if (budget == 1) break;
    // lambda_2 is concave in p; v^T L_j v, v the eigenvector, is a subgradient.
    const Eigen::VectorXd v = solver.eigenvectors().col(1);
    for (std::size_t j = 0; j < parts.size(); ++j) p[j] += 0.5 / std::sqrt(t + 1.0) * v.dot(parts[j] * v);
    p = projected(p, most);
  }
  Matrix mean = Matrix::Zero(nodes, nodes), variance = Matrix::Zero(nodes, nodes);
  for (std::size_t j = 0; j < parts.size(); ++j) {
    mean += plan.probability[j] * parts[j];
    variance += plan.probability[j] * (1 - plan.probability[j]) * parts[j];
  }
  // rho is convex in the weight: a maximum of convex parabolas. Golden section.
  double low = 0, high = 1;
  constexpr int sections = 80;
  const double golden = (std::sqrt(5.0) - 1) / 2;
  for (int i = 0; i < sections; ++i) {
    const double left = high - golden * (high - low), right = low + golden * (high - low);
    if (contraction(mean, variance, left) < contraction(mean, variance, right)) {
      high = right;
    } else {
      low = left;
    }
  }
  plan.weight = (low + high) / 2;
  plan.rho = contraction(mean, variance, plan.weight);
  return plan;
}

}  // namespace convoy
