// When the steps of one device end: nominal time, random factors and speeds that change meanwhile.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/time.hpp"
#include "hardware/variation.hpp"

namespace convoy {

class StepClock {
 public:
  /// A source of variation with the entity whose luck this device has. The source must outlive the clock.
  struct Source {
    const Variation* variation = nullptr;
    DrawKey key;
  };
  StepClock() = default;
  explicit StepClock(std::span<const Source> sources);

  /// The end of step `step` (0, 1, ..., each asked for once, ascending) of `nominal` work that begins at
  /// `begin`, where begins never go back. The end is where the integral of the speed reaches the work,
  /// rounded up to the nanosecond. Time::latest() where the device stands still for ever.
  [[nodiscard]] Time end(Duration nominal, std::uint64_t step, Time begin);

 private:
  struct Curve {
    std::unique_ptr<SpeedCurve> pieces;
    SpeedPiece now;
    Time until;  // end of the piece now
    void advance_to(Time time);
  };
  std::vector<Source> sources_;
  std::vector<double> states_;  // of sources with memory
  std::vector<Curve> curves_;
};

}  // namespace convoy
