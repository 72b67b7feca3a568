// Ringleader ASGD: asynchronous SGD that weighs all workers equally although they are not equally fast, so
// that unequal data do no harm (arXiv 2509.22860).
//
//   table: G_i the sum and b_i the number of the gradients of worker i;   direction (1/n) sum_i G_i / b_i
//
//   gather  until every worker has a gradient in the table, arrivals are added and their workers go on at the
//   same x update  x <- x - lr direction for the last of them, which gets the new x; then for each worker
//   that has not had a new x
//           since: its gradient is added, x <- x - lr direction, it gets the new x. Gradients of workers that
//           have had one are kept for the next table
//
// A round is n updates, and no gradient is more than 2n - 2 updates late. The lines are reconstructed from
// the abstract.
#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/all.hpp"
#include "training/gradient_server.hpp"

namespace convoy {
namespace {

class Ringleader final : public GradientServer {
 public:
  [[nodiscard]] std::string_view kind() const override { return "ringleader"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "Ringleader ASGD",
            .family = "asynchronous",
            .source = "arXiv 2509.22860",
            .certainty = "reconstructed from the abstract; the bound 2n - 2 of the delays is checked",
            .equations = "x <- x - lr (1/n) sum_i (mean of the gradients of worker i in the table)",
            .deployed = "the server's"};
  }
  void start(Cluster& cluster) override {
    const auto n = static_cast<std::size_t>(cluster.size());
    table_ = Table(n);
    next_ = Table(n);
    updated_.assign(n, false);
    GradientServer::start(cluster);
  }

 private:
  struct Entry {
    Vector sum;
    std::int64_t count = 0;
  };
  using Table = std::vector<Entry>;

  Task<void> arrived(Message gradient) override {
    const auto worker = static_cast<std::size_t>(gradient.from->number());
    const std::int64_t late = delay(gradient);
    merge(gradient, late);
    add(updated_[worker] ? next_ : table_, worker, gradient.vector);
    if (!updated_[worker] && (updating_ || complete())) {
      updating_ = true;
      co_await step(direction());
      updated_[worker] = true;
      if (std::find(updated_.begin(), updated_.end(), false) == updated_.end()) begin_round();
    }
    reply(*gradient.from);
  }

  void add(Table& table, std::size_t worker, const Vector& gradient) {
    Entry& entry = table[worker];
    if (entry.count++ == 0) {
      entry.sum = gradient;
    } else {
      cluster().math([&] { entry.sum += gradient; });
    }
  }
  [[nodiscard]] bool complete() const {
    return std::all_of(table_.begin(), table_.end(), [](const Entry& entry) { return entry.count > 0; });
  }
  [[nodiscard]] Vector direction() const {
    Vector result;
    cluster().math([&] {
      std::vector<double> weights;
      std::vector<Vector> sums;
      for (const Entry& entry : table_) {
        weights.push_back(1 / (static_cast<double>(entry.count) * static_cast<double>(table_.size())));
        sums.push_back(entry.sum);
      }
      result = weighted_sum(weights, sums);
    });
    return result;
  }
  void begin_round() {
    table_ = std::exchange(next_, Table(table_.size()));
    updated_.assign(table_.size(), false);
    updating_ = false;
  }

  Table table_, next_;
  std::vector<bool> updated_;  // workers that have had a new model in this round
  bool updating_ = false;
};

}  // namespace

void register_ringleader(Registry& registry) {
  registry.add_algorithm("ringleader", [] { return std::make_unique<Ringleader>(); });
}

}  // namespace convoy
