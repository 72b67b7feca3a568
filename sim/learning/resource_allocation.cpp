#include "learning/resource_allocation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "learning/coupled_constraint.hpp"

namespace convoy {
namespace {

[[noreturn]] void refuse(const char* option, std::string message, std::string allowed = {}) {
  throw ConfigError(ConfigFault{.path = std::string("task.resource_allocation.") + option,
                                .message = std::move(message),
                                .found = {},
                                .allowed = std::move(allowed),
                                .hint = {},
                                .file = {},
                                .line = 0,
                                .column = 0});
}

/// The options with one number a worker in each list.
struct Workers {
  std::vector<double> curvature, slope, coefficient, lower, upper;

  Workers(const ResourceAllocationOptions& options, int workers) {
    const auto count = static_cast<std::size_t>(workers);
    const auto spread = [&](const char* name, const std::vector<double>& list, double otherwise) {
      if (list.size() > 1 && list.size() != count)
        refuse(name, fmt::format("a list of {} numbers for {} workers", list.size(), workers),
               "one number, or one a worker");
      if (list.size() == count) return list;
      return std::vector<double>(count, list.empty() ? otherwise : list[0]);
    };
    curvature = spread("curvature", options.curvature, 1);
    slope = spread("slope", options.slope, 0);
    coefficient = spread("coefficient", options.coefficient, 1);
    lower = spread("lower", options.lower, -std::numeric_limits<double>::infinity());
    upper = spread("upper", options.upper, std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < count; ++i) {
      if (coefficient[i] == 0) refuse("coefficient", "must not be 0", "any number but 0");
      if (lower[i] > upper[i])
        refuse("lower",
               fmt::format("worker {} has lower bound {} above upper bound {}", i, lower[i], upper[i]));
    }
  }

  [[nodiscard]] double share(std::size_t i, double multiplier) const {
    return std::clamp((-slope[i] - coefficient[i] * multiplier) / curvature[i], lower[i], upper[i]);
  }
  /// Never rises with the multiplier.
  [[nodiscard]] double met(double multiplier) const {
    double sum = 0;
    for (std::size_t i = 0; i < curvature.size(); ++i) sum += coefficient[i] * share(i, multiplier);
    return sum;
  }

  /// The multiplier at which `demand` is met.
  [[nodiscard]] double multiplier(double demand) const {
    double least = 0, most = 0;
    std::vector<double> bends;
    for (std::size_t i = 0; i < curvature.size(); ++i) {
      const auto [low, high] = std::minmax({coefficient[i] * lower[i], coefficient[i] * upper[i]});
      least += low;
      most += high;
      for (const double bound : {lower[i], upper[i]}) {
        if (std::isfinite(bound)) bends.push_back(-(slope[i] + curvature[i] * bound) / coefficient[i]);
      }
    }
    if (demand < least || demand > most) {
      refuse("demand", fmt::format("{} cannot be met within the bounds", demand),
             fmt::format("from {} to {}", least, most));
    }
    std::sort(bends.begin(), bends.end());
    // Straight between two bends, and beyond the outermost: two points of the piece that holds the demand.
    const auto after = std::find_if(bends.begin(), bends.end(), [&](double m) { return met(m) <= demand; });
    double from = 0, to = 0;
    if (bends.empty()) {
      to = 1;
    } else if (after == bends.begin()) {
      to = bends.front();
      from = to - 1;
    } else if (after == bends.end()) {
      from = bends.back();
      to = from + 1;
    } else {
      from = *(after - 1);
      to = *after;
    }
    const double high = met(from), low = met(to);
    return high == low ? to : from + (to - from) * (high - demand) / (high - low);
  }
};

class ResourceAllocation final : public LearningTask, public CoupledConstraint {
 public:
  ResourceAllocation(const ResourceAllocationOptions& options, Precision precision,
                     std::vector<std::size_t> batch_sizes)
      : LearningTask(Layout::flat(options.demand.size() * batch_sizes.size()), precision,
                     static_cast<int>(batch_sizes.size())),
        demand_(options.demand),
        workers_(options, static_cast<int>(batch_sizes.size())),
        optimum_(best_allocation(options, static_cast<int>(batch_sizes.size()))),
        batch_sizes_(std::move(batch_sizes)),
        multipliers_(Layout::flat(options.demand.size())) {}

  /// Nothing shared out, or as little as the bounds allow.
  [[nodiscard]] Vector initial_parameters() const override {
    std::vector<double> values(layout()->size);
    for (std::size_t i = 0; i < batch_sizes_.size(); ++i) {
      for (std::size_t k = 0; k < demand_.size(); ++k)
        values[i * demand_.size() + k] = std::clamp(0.0, workers_.lower[i], workers_.upper[i]);
    }
    return {layout(), precision(), values};
  }

  /// That of the worker's own cost: zero outside its block.
  BatchResult gradient(const Vector& parameters, int worker, std::uint64_t, Vector& gradient) const override {
    BatchResult result{0, batch_size(worker)};
    with_scalar(precision(), [&](auto scalar) {
      using T = decltype(scalar);
      const std::span<const T> x = parameters.values<T>();
      const std::span<T> out = gradient.overwrite<T>(layout());
      std::fill(out.begin(), out.end(), T{0});
      const auto i = static_cast<std::size_t>(worker);
      for (std::size_t j = i * demand_.size(); j < (i + 1) * demand_.size(); ++j) {
        const auto value = static_cast<double>(x[j]);
        result.loss += cost(i, value);
        out[j] = static_cast<T>(workers_.curvature[i] * value + workers_.slope[i]);
      }
    });
    return result;
  }

  [[nodiscard]] Evaluation evaluate(const Vector& parameters, Split) const override {
    const std::vector<double> x = parameters.to_doubles();
    double sum = 0, away = 0;
    std::vector<double> missing = demand_;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const std::size_t i = j / demand_.size();
      sum += cost(i, x[j]);
      away += (x[j] - optimum_[j]) * (x[j] - optimum_[j]);
      missing[j % demand_.size()] -= workers_.coefficient[i] * x[j];
    }
    double residual = 0;
    for (const double value : missing) residual += value * value;
    return {sum,
            std::nullopt,
            {{"distance_to_optimum", std::sqrt(away)}, {"constraint_residual", std::sqrt(residual)}}};
  }

  [[nodiscard]] std::size_t batch_size(int worker) const override {
    return batch_sizes_.at(static_cast<std::size_t>(worker));
  }
  [[nodiscard]] std::size_t worker_samples(int worker) const override { return batch_size(worker); }
  // A multiplication and an addition a coordinate of the worker's block.
  [[nodiscard]] double flops_per_sample() const override { return 2 * static_cast<double>(demand_.size()); }
  [[nodiscard]] const CoupledConstraint* coupled_constraint() const override { return this; }
  [[nodiscard]] std::string describe() const override {
    return fmt::format("{} resources shared out over {} workers, {}", demand_.size(), batch_sizes_.size(),
                       name_of(precision()));
  }

  [[nodiscard]] Vector zero_multipliers() const override { return {multipliers_, precision()}; }
  [[nodiscard]] Vector residual(const Vector& x, int worker) const override {
    Vector result = zero_multipliers();
    for_block(worker, [&](std::size_t i, std::size_t j, std::size_t k) {
      result.set(k, workers_.coefficient[i] * x[j] - demand_[k] / static_cast<double>(batch_sizes_.size()));
    });
    return result;
  }
  void add_pull(Vector& gradient, const Vector& multipliers, int worker) const override {
    for_block(worker, [&](std::size_t i, std::size_t j, std::size_t k) {
      gradient.set(j, gradient[j] + workers_.coefficient[i] * multipliers[k]);
    });
  }
  void project(Vector& x, int worker) const override {
    for_block(worker, [&](std::size_t i, std::size_t j, std::size_t) {
      x.set(j, std::clamp(x[j], workers_.lower[i], workers_.upper[i]));
    });
  }
  void copy_block(Vector& x, const Vector& from, int worker) const override {
    for_block(worker, [&](std::size_t, std::size_t j, std::size_t) { x.set(j, from[j]); });
  }

 private:
  [[nodiscard]] double cost(std::size_t i, double x) const {
    return 0.5 * workers_.curvature[i] * x * x + workers_.slope[i] * x;
  }
  /// f(worker, coordinate, resource) for each coordinate of the worker's block.
  template <class F>
  void for_block(int worker, F&& f) const {
    const auto i = static_cast<std::size_t>(worker);
    for (std::size_t k = 0; k < demand_.size(); ++k) f(i, i * demand_.size() + k, k);
  }

  std::vector<double> demand_;
  Workers workers_;
  std::vector<double> optimum_;
  std::vector<std::size_t> batch_sizes_;
  std::shared_ptr<const Layout> multipliers_;
};

}  // namespace

void ResourceAllocationOptions::declare(Options& options) {
  options.add("demand", demand).required().help("what has to be shared out: one number a resource");
  options.add("curvature", curvature)
      .more_than(0)
      .help("q of a worker's cost 1/2 q x^2 + c x; one number, or one a worker");
  options.add("slope", slope).help("c of a worker's cost; one number, or one a worker");
  options.add("coefficient", coefficient)
      .help("how much of the demand a unit of the worker's share meets, not 0; one number, or one a worker");
  options.add("lower", lower).help("least share of a worker; one number, or one a worker");
  options.add("upper", upper)
      .default_text("none")
      .help("largest share of a worker; one number, or one a worker");
  options.check([this](const Node& whole, const std::string& at, FaultSink& faults) {
    const Node* const demands = whole.find("demand");
    if (demands != nullptr && demands->is_list() && demand.empty())
      faults.add(*demands, at.empty() ? "demand" : at + ".demand", "is empty", "one number a resource");
  });
}

std::vector<double> best_allocation(const ResourceAllocationOptions& options, int workers) {
  const Workers all(options, workers);
  std::vector<double> best(options.demand.size() * static_cast<std::size_t>(workers));
  for (std::size_t k = 0; k < options.demand.size(); ++k) {
    const double multiplier = all.multiplier(options.demand[k]);
    for (std::size_t i = 0; i < static_cast<std::size_t>(workers); ++i)
      best[i * options.demand.size() + k] = all.share(i, multiplier);
  }
  return best;
}

std::shared_ptr<const LearningTask> make_resource_allocation(const ResourceAllocationOptions& options,
                                                             Precision precision,
                                                             std::vector<std::size_t> batch_sizes) {
  return std::make_shared<ResourceAllocation>(options, precision, std::move(batch_sizes));
}

}  // namespace convoy
