#include "hardware/variation_presets.hpp"

#include <cmath>

#include "core/random.hpp"

namespace convoy {

namespace {

class AlibabaShared final : public Variation {
 public:
  static constexpr double sigma = 0.065, correlation = 0.7, slow_probability = 0.001, slowdown = 1.7;

  [[nodiscard]] std::string_view kind() const override { return "alibaba_shared"; }
  [[nodiscard]] std::string_view about() const override {
    return "preset of a mildly shared cluster, fitted to Alibaba PAI's mini-batch times (gpu-v2020)";
  }
  [[nodiscard]] StepFactor step(const DrawKey& key, std::uint64_t step, double& state) const override {
    RandomStream stream(key.seed, "step time alibaba_shared", key.entity, step);
    const double z = sigma * stream.normal();
    state = step == 0 ? z : correlation * state + std::sqrt(1 - correlation * correlation) * z;
    const double factor = portable_exp(state - sigma * sigma / 2);
    return {.factor = stream.bernoulli(slow_probability) ? factor * slowdown : factor, .added = {}};
  }
};

}  // namespace

std::unique_ptr<Variation> make_alibaba_shared() {
  return std::make_unique<AlibabaShared>();
}

}  // namespace convoy
