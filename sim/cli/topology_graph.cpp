// A communication graph as text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/topology_views.hpp"
#include "core/error.hpp"
#include "topologies/spectrum.hpp"
#include "topologies/step_limits.hpp"

namespace convoy::cli {
namespace {

constexpr std::int64_t rounds_shown = 4;

std::string degrees_text(const MixingMatrix& matrix) {
  std::size_t most = 0, least = SIZE_MAX;
  for (int i = 0; i < matrix.size(); ++i) {
    most = std::max(most, matrix.in_neighbours(i).size());
    least = std::min(least, matrix.in_neighbours(i).size());
  }
  return fmt::format("{} directed edges, {} to {} neighbours", matrix.edges(), least, most);
}

std::string properties_text(const MixingMatrix& matrix) {
  std::string text;
  for (const MixingProperty property :
       {MixingProperty::nonnegative, MixingProperty::row_stochastic, MixingProperty::column_stochastic,
        MixingProperty::connected, MixingProperty::aperiodic, MixingProperty::symmetric}) {
    text += fmt::format("{:<20} {}\n", name_of(property), matrix.has(property) ? "yes" : "no");
  }
  return text;
}

std::string half_life(double beta) {
  if (beta < 1e-12) return "a deviation is gone after one round";
  if (beta >= 1 - 1e-12) return "deviations need not shrink";
  return fmt::format("a deviation halves in {:.3g} rounds", std::log(0.5) / std::log(beta));
}

std::string spectrum_text(const Spectrum& spectrum) {
  std::string text = fmt::format("\n{:<20} {:<16.12g} {}\n{:<20} {:.12g}\n{:<20} {:.12g}\n", "beta = |W - J|",
                                 spectrum.beta, half_life(spectrum.beta), "gap = 1 - beta", spectrum.gap,
                                 "lambda_min", spectrum.lambda_min);
  constexpr std::size_t shown = 16;
  text += "eigenvalues         ";
  for (std::size_t i = 0; i < std::min(shown, spectrum.eigenvalues.size()); ++i) {
    const auto value = spectrum.eigenvalues[i];
    text += std::abs(value.imag()) < 1e-12 ? fmt::format(" {:.4f}", value.real())
                                           : fmt::format(" {:.4f}{:+.4f}i", value.real(), value.imag());
  }
  return text + (spectrum.eigenvalues.size() > shown ? " ...\n" : "\n");
}

std::string limits_text(double lambda_min) {
  std::string text = "\nlargest stable step x L for equal curvatures L, l = lambda_min\n";
  for (const StepLimit& limit : step_limits(lambda_min)) {
    text += fmt::format("{:<28} {:<10.6g} {}\n", limit.algorithm, limit.step, limit.formula);
  }
  return text;
}

std::string verdicts(const GraphBuilder& builder, const GraphSequence& graphs,
                     const std::vector<Judge>& judges) {
  std::string text = "\nrequirements\n";
  for (const Judge& judge : judges) {
    const std::vector<std::string> missing = judge.requirement->missing(builder, graphs);
    text += fmt::format("{:<28} {:<4} {}\n", judge.name, missing.empty() ? "fits" : "no",
                        missing.empty() ? judge.requirement->name : "warning: needs " + missing.front());
    for (std::size_t i = 1; i < missing.size(); ++i) text += fmt::format("{:<33} and {}\n", "", missing[i]);
  }
  return text;
}

std::string changing_text(const GraphSequence& graphs) {
  const std::int64_t period = graphs.period();
  std::string text = period > 0 ? fmt::format("repeats after {} rounds\n", period)
                                : std::string("drawn anew in each round (here for seed 0)\n");
  for (std::int64_t t = 0; t < (period > 0 ? std::min(period, rounds_shown) : rounds_shown); ++t) {
    text += fmt::format("round {:<4} {}\n", t, degrees_text(*graphs.at(t)));
  }
  const std::int64_t rounds = period > 0 ? period : MixingRequirement::rounds_looked_at;
  const double beta = product_beta(graphs, rounds);
  text += fmt::format("\nafter {} rounds |W(T-1) ... W(0) - J| = {:.6g}, {:.6g} a round\n", rounds,
                      beta < 1e-14 ? 0 : beta,
                      beta < 1e-14 ? 0 : std::pow(beta, 1 / static_cast<double>(rounds)));
  if (beta < 1e-12) text += "every period is an exact average\n";
  return text;
}

}  // namespace

std::vector<Judge> judges(const Registry& registry) {
  std::vector<Judge> result;
  for (const auto& [kind, make] : registry.algorithms) {
    const auto algorithm = make();
    if (const MixingRequirement* requirement = algorithm->graph_requirement()) {
      result.push_back({kind, requirement});
    }
  }
  // Families of which no algorithm is registered as it is by default.
  const auto add = [&](const char* name, const MixingRequirement& requirement) {
    const bool known = std::any_of(result.begin(), result.end(),
                                   [&](const Judge& judge) { return judge.requirement == &requirement; });
    if (!known) result.push_back({name, &requirement});
  };
  add("d2_without_laziness", symmetric_bounded_mixing());
  add("push_sum", push_sum_mixing());
  add("epidemic_learning", row_stochastic_mixing());
  return result;
}

std::string graph_text(const GraphBuilder& builder, int nodes, const std::vector<Judge>& judges) {
  const std::shared_ptr<const GraphSequence> graphs = builder.sequence(nodes, 0);
  if (graphs->period() != 1) {
    return fmt::format("{} of {} nodes, ", builder.kind(), nodes) + changing_text(*graphs) +
           verdicts(builder, *graphs, judges);
  }
  const MixingMatrix& matrix = *graphs->at(0);
  const Spectrum spectrum = builder.spectrum(matrix);
  std::string text =
      fmt::format("{} of {} nodes: {}\n\n", builder.kind(), matrix.size(), degrees_text(matrix)) +
      properties_text(matrix) + spectrum_text(spectrum);
  if (matrix.has(MixingProperty::symmetric)) text += limits_text(spectrum.lambda_min);
  return text + verdicts(builder, *graphs, judges);
}

std::string graph_dot(const GraphBuilder& builder, int nodes) {
  const std::shared_ptr<const GraphSequence> graphs = builder.sequence(nodes, 0);
  const std::int64_t period = graphs->period();
  const std::int64_t rounds = period == 1 ? 1 : period > 0 ? std::min(period, rounds_shown) : rounds_shown;
  constexpr const char* colours[] = {"black", "blue", "red", "darkgreen"};
  std::string text = "digraph mixing {\n";
  for (int i = 0; i < nodes; ++i) text += fmt::format("  {};\n", i);
  for (std::int64_t t = 0; t < rounds; ++t) {
    const std::shared_ptr<const MixingMatrix> matrix = graphs->at(t);
    for (int i = 0; i < matrix->size(); ++i) {
      for (const MixingMatrix::Entry& entry : matrix->row(i)) {
        if (entry.node == i) continue;
        text += fmt::format("  {} -> {} [label=\"{:.4g}\"{}];\n", entry.node, i, entry.weight,
                            rounds > 1 ? fmt::format(", color={}", colours[t]) : std::string());
      }
    }
  }
  return text + "}\n";
}

}  // namespace convoy::cli
