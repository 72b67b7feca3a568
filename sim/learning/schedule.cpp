#include "learning/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace convoy {
namespace {

class ConstantSchedule final : public Schedule {
 public:
  [[nodiscard]] std::string_view kind() const override { return "constant"; }
  [[nodiscard]] std::string_view about() const override { return "factor 1 throughout"; }
  void declare(Options&) override {}
  [[nodiscard]] double factor(double) const override { return 1; }
};

// Position p, warm-up w, horizon h, final factor f:
//   p < w: p / w;   w <= p < h: f + (1 - f) (1 + cos(pi (p - w) / (h - w))) / 2;   p >= h: f.
class CosineSchedule final : public Schedule {
 public:
  [[nodiscard]] std::string_view kind() const override { return "cosine"; }
  [[nodiscard]] std::string_view about() const override {
    return "linear warm-up from 0, then half a cosine from 1 down to final_factor at the horizon, which it "
           "keeps "
           "(Loshchilov and Hutter, ICLR 2017, without restarts; as in HALoS, arXiv 2506.04531)";
  }
  void declare(Options& options) override {
    options.add("warmup", warmup_)
        .default_text("none")
        .help("progress at which the factor reaches 1, e.g. \"4800 local_steps\"")
        .source("HALoS trains with 300 of 6144 iterations");
    options.add("horizon", horizon_)
        .required()
        .help("progress at which the factor reaches final_factor, in the unit of warmup");
    options.add("final_factor", final_factor_)
        .between(0, 1)
        .help("factor at the horizon and after it")
        .source("HALoS: 0.1");
    options
        .add("counts", counts_,
             {{"own", ProgressCount::own},
              {"dispatched", ProgressCount::dispatched},
              {"reported", ProgressCount::reported}})
        .required()
        .help(
            "whose progress: the worker's own, all work handed out, or all work reported to the deployed "
            "model");
    options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
      check(whole, path, faults);
    });
  }
  [[nodiscard]] double factor(double position) const override {
    const double warmup = warmup_ ? warmup_->amount : 0;
    if (position < warmup) return std::max(position, 0.0) / warmup;
    if (position >= horizon_.amount) return final_factor_;
    const double phase = (position - warmup) / (horizon_.amount - warmup);
    return final_factor_ + (1 - final_factor_) * 0.5 * (1 + std::cos(std::numbers::pi * phase));
  }
  [[nodiscard]] std::optional<ScheduleClock> clock() const override {
    return ScheduleClock{horizon_.unit, counts_};
  }

 private:
  void check(const Node& whole, const std::string& path, FaultSink& faults) const {
    const auto add = [&](const char* key, const char* message) {
      const Node* const node = whole.find(key);
      faults.add(node ? *node : whole, path.empty() ? key : path + "." + key, message);
    };
    if (!(horizon_.amount > 0)) return add("horizon", "the horizon must be more than 0");
    if (!warmup_) return;
    if (warmup_->unit != horizon_.unit)
      return add("warmup", "the warm-up must be in the unit of the horizon");
    if (!(warmup_->amount < horizon_.amount)) add("warmup", "the warm-up must end before the horizon");
  }

  std::optional<Progress> warmup_;
  Progress horizon_;
  double final_factor_ = 0.1;
  ProgressCount counts_ = ProgressCount::own;
};

}  // namespace

VariantMakers<Schedule> schedule_makers() {
  return {{"constant", [] { return std::make_unique<ConstantSchedule>(); }},
          {"cosine", [] { return std::make_unique<CosineSchedule>(); }}};
}

}  // namespace convoy
