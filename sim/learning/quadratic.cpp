#include "learning/quadratic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"

namespace convoy {
namespace {

[[noreturn]] void refuse(const char* option, std::string message) {
  throw ConfigError(ConfigFault{.path = std::string("task.") + option,
                                .message = std::move(message),
                                .found = {},
                                .allowed = {},
                                .hint = {},
                                .file = {},
                                .line = 0,
                                .column = 0});
}

// A number, or a list of numbers; false after a fault.
bool read_row(const Node& node, const std::string& path, FaultSink& faults, std::vector<double>& row) {
  if (node.is_number()) {
    row.push_back(node.number);
    return true;
  }
  if (node.is_list() && !node.items.empty()) {
    bool good = true;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const bool is_number = node.items[i].is_number();
      if (is_number) {
        row.push_back(node.items[i].number);
      } else {
        faults.add(node.items[i], fmt::format("{}[{}]", path, i), "must be a number", "a number");
      }
      good = good && is_number;
    }
    return good;
  }
  faults.add(node, path, "must be a number or a list of numbers", "a number or a non-empty list of numbers");
  return false;
}

void read_numbers(const Node& node, const std::string& path, FaultSink& faults, WorkerNumbers& out) {
  out.rows.clear();
  if (node.is_null()) return;
  std::vector<std::vector<double>> rows;
  if (node.is_list() && !node.items.empty()) {
    const bool nested =
        std::any_of(node.items.begin(), node.items.end(), [](const Node& n) { return n.is_list(); });
    bool good = true;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const Node& item = node.items[i];
      if (nested != item.is_list()) {
        faults.add(item, fmt::format("{}[{}]", path, i), "must be like its neighbours",
                   nested ? "a list of numbers, as the others" : "a number");
        good = false;
      } else {
        good = read_row(item, fmt::format("{}[{}]", path, i), faults, rows.emplace_back()) && good;
      }
    }
    if (good) out.rows = std::move(rows);
    return;
  }
  if (read_row(node, path, faults, rows.emplace_back())) out.rows = std::move(rows);
}

Node row_node(const std::vector<double>& row) {
  Node list = Node::list();
  for (const double value : row) list.items.push_back(Node::of(value));
  return list;
}

// The shortest of the three spellings.
Node numbers_node(const WorkerNumbers& numbers) {
  if (!numbers.given()) return {};
  const bool scalars =
      std::all_of(numbers.rows.begin(), numbers.rows.end(), [](const auto& r) { return r.size() == 1; });
  if (scalars && numbers.rows.size() == 1) return Node::of(numbers.rows[0][0]);
  Node list = Node::list();
  for (const auto& row : numbers.rows) list.items.push_back(scalars ? Node::of(row[0]) : row_node(row));
  return list;
}

void add_numbers(Options& options, const char* name, WorkerNumbers& field, const char* help) {
  options
      .custom(
          name, "a number, a list with a number a worker, or a list with a list a worker",
          [&field](const Node& node, const std::string& path, FaultSink& faults) {
            read_numbers(node, path, faults, field);
          },
          [&field] { return numbers_node(field); })
      .help(help);
}

std::size_t longest_row(const WorkerNumbers& numbers) {
  std::size_t longest = 0;
  for (const auto& row : numbers.rows) longest = std::max(longest, row.size());
  return longest;
}

// Gradient a x - b with b = linear, or a (x - m) with m = minimum; both as stated, so that the bits are those
// of the formula written.
class Quadratic final : public LearningTask {
 public:
  Quadratic(const QuadraticOptions& options, std::size_t dimension, Precision precision,
            std::vector<std::size_t> batch_sizes, std::uint64_t seed)
      : LearningTask(Layout::flat(dimension), precision, static_cast<int>(batch_sizes.size())),
        curvature_(options.curvature),
        is_linear_(options.linear.given()),
        offset_(is_linear_ ? options.linear : options.minimum),
        initial_(options.initial),
        noise_(options.noise.value_or(0)),
        batch_sizes_(std::move(batch_sizes)),
        seed_(seed) {
    if (!offset_.given()) offset_.rows = {{0}};
    find_optimum(dimension);
  }

  [[nodiscard]] Vector initial_parameters() const override {
    std::vector<double> values(layout()->size, 1);
    for (std::size_t j = 0; j < values.size() && !initial_.empty(); ++j) values[j] = of(initial_, j);
    return {layout(), precision(), values};
  }

  BatchResult gradient(const Vector& parameters, int worker, std::uint64_t step,
                       Vector& gradient) const override {
    BatchResult result{0, batch_size(worker)};
    with_scalar(precision(), [&](auto scalar) {
      using T = decltype(scalar);
      const std::span<const T> x = parameters.values<T>();
      if (x.size() != layout()->size) throw std::logic_error("quadratic: parameters of another task");
      const std::span<T> out = gradient.overwrite<T>(layout());
      const std::vector<double>& a = row(curvature_, worker);
      const std::vector<double>& c = row(offset_, worker);
      for (std::size_t j = 0; j < out.size(); ++j) {
        const auto value = static_cast<double>(x[j]);
        result.loss += loss_at(value, of(a, j), of(c, j));
        out[j] = static_cast<T>(slope_at(value, of(a, j), of(c, j)));
      }
      if (noise_ > 0) add_noise(out, worker, step);
    });
    return result;
  }

  [[nodiscard]] Evaluation evaluate(const Vector& parameters, Split) const override {
    const std::vector<double> x = parameters.to_doubles();
    if (x.size() != layout()->size) throw std::logic_error("quadratic: parameters of another task");
    double sum = 0;
    for (int w = 0; w < workers(); ++w) {
      const std::vector<double>& a = row(curvature_, w);
      const std::vector<double>& c = row(offset_, w);
      for (std::size_t j = 0; j < x.size(); ++j) sum += loss_at(x[j], of(a, j), of(c, j));
    }
    Evaluation result{sum / workers(), std::nullopt, {}};
    if (!optimum_.empty()) {
      double squares = 0;
      for (std::size_t j = 0; j < x.size(); ++j) squares += (x[j] - optimum_[j]) * (x[j] - optimum_[j]);
      result.extra.emplace_back("distance_to_optimum", std::sqrt(squares));
    }
    return result;
  }

  [[nodiscard]] std::size_t batch_size(int worker) const override {
    return batch_sizes_.at(static_cast<std::size_t>(worker));
  }
  [[nodiscard]] std::size_t worker_samples(int worker) const override { return batch_size(worker); }
  // Gradient: a multiplication, a subtraction and a multiplication or so a coordinate.
  [[nodiscard]] double flops_per_sample() const override { return 3 * static_cast<double>(layout()->size); }
  [[nodiscard]] std::string describe() const override {
    return fmt::format("quadratic of {} coordinates, gradient noise {}, {}", layout()->size, noise_,
                       name_of(precision()));
  }

 private:
  [[nodiscard]] static const std::vector<double>& row(const WorkerNumbers& numbers, int worker) {
    return numbers.rows.size() == 1 ? numbers.rows[0] : numbers.rows.at(static_cast<std::size_t>(worker));
  }
  [[nodiscard]] static double of(const std::vector<double>& values, std::size_t j) {
    return values.size() == 1 ? values[0] : values[j];
  }
  [[nodiscard]] double loss_at(double x, double a, double c) const {
    return is_linear_ ? 0.5 * a * x * x - c * x : 0.5 * a * (x - c) * (x - c);
  }
  [[nodiscard]] double slope_at(double x, double a, double c) const {
    return is_linear_ ? a * x - c : a * (x - c);
  }

  template <class T>
  void add_noise(std::span<T> out, int worker, std::uint64_t step) const {
    RandomStream stream(seed_, "gradient noise", static_cast<std::uint64_t>(worker), step);
    for (T& value : out) value = static_cast<T>(static_cast<double>(value) + noise_ * stream.normal());
  }

  // The mean loss has the minimum sum b / sum a (sum a m / sum a) where the curvatures sum to more than 0.
  void find_optimum(std::size_t dimension) {
    std::vector<double> curvature(dimension, 0);
    std::vector<double> pull(dimension, 0);
    for (int w = 0; w < workers(); ++w) {
      const std::vector<double>& a = row(curvature_, w);
      const std::vector<double>& c = row(offset_, w);
      for (std::size_t j = 0; j < dimension; ++j) {
        curvature[j] += of(a, j);
        pull[j] += is_linear_ ? of(c, j) : of(a, j) * of(c, j);
      }
    }
    if (std::any_of(curvature.begin(), curvature.end(), [](double sum) { return !(sum > 0); })) return;
    for (std::size_t j = 0; j < dimension; ++j) pull[j] /= curvature[j];
    optimum_ = std::move(pull);
  }

  WorkerNumbers curvature_;
  bool is_linear_;
  WorkerNumbers offset_;
  std::vector<double> initial_;
  double noise_;
  std::vector<std::size_t> batch_sizes_;
  std::uint64_t seed_;
  std::vector<double> optimum_;  ///< empty if there is none
};

}  // namespace

void QuadraticOptions::declare(Options& options) {
  add_numbers(options, "curvature", curvature,
              "a of f(x) = 1/2 a (x - minimum)^2 or 1/2 a x^2 - linear x (quadratic)");
  add_numbers(options, "linear", linear, "b of f(x) = 1/2 a x^2 - b x (quadratic)");
  add_numbers(options, "minimum", minimum,
              "m of f(x) = 1/2 a (x - m)^2; 0 if neither it nor linear is given (quadratic)");
  options
      .custom(
          "initial", "a number, or a list with a number a coordinate",
          [this](const Node& node, const std::string& path, FaultSink& faults) {
            initial.clear();
            if (!node.is_null()) read_row(node, path, faults, initial);
          },
          [this] {
            return initial.empty() ? Node() : initial.size() == 1 ? Node::of(initial[0]) : row_node(initial);
          })
      .default_text("1")
      .help("parameters to start from (quadratic)");
  options.add("dimension", dimension)
      .at_least(1)
      .at_most(1 << 28)
      .default_text("that of the lists, else 1")
      .help("number of coordinates, where no list says it (quadratic)");
  options.add("noise", noise)
      .at_least(0)
      .default_text("0")
      .help(
          "standard deviation of Gaussian noise added to each coordinate of a mini-batch gradient "
          "(quadratic)");
}

std::shared_ptr<const LearningTask> make_quadratic(const QuadraticOptions& options, Precision precision,
                                                   std::vector<std::size_t> batch_sizes, std::uint64_t seed) {
  if (!options.curvature.given()) refuse("curvature", "a quadratic needs its curvature");
  if (options.linear.given() && options.minimum.given()) {
    refuse("minimum", "either linear or minimum may be given, not both");
  }
  std::size_t dimension = static_cast<std::size_t>(options.dimension.value_or(1));
  if (!options.dimension) {
    dimension = std::max({std::size_t{1}, longest_row(options.curvature), longest_row(options.linear),
                          longest_row(options.minimum), options.initial.size()});
  }
  const auto check = [&](const char* name, const WorkerNumbers& numbers) {
    if (!numbers.given()) return;
    if (numbers.rows.size() != 1 && numbers.rows.size() != batch_sizes.size()) {
      refuse(name, fmt::format("{} entries for {} workers", numbers.rows.size(), batch_sizes.size()));
    }
    for (const auto& row : numbers.rows) {
      if (row.size() != 1 && row.size() != dimension) {
        refuse(name, fmt::format("a list of {} numbers for {} coordinates", row.size(), dimension));
      }
    }
  };
  check("curvature", options.curvature);
  check("linear", options.linear);
  check("minimum", options.minimum);
  if (options.initial.size() > 1 && options.initial.size() != dimension) {
    refuse("initial",
           fmt::format("a list of {} numbers for {} coordinates", options.initial.size(), dimension));
  }
  return std::make_shared<Quadratic>(options, dimension, precision, std::move(batch_sizes), seed);
}

}  // namespace convoy
