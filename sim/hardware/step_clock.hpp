// When the steps of one device end: nominal time, random factors and speeds that change meanwhile.
#pragma once

#include <cstdint>
#include <deque>
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
  /// `begin`, never before what was forgotten. The end is where the integral of the speed reaches the work,
  /// rounded up to the nanosecond. Time::latest() where the device stands still for ever.
  [[nodiscard]] Time end(Duration nominal, std::uint64_t step, Time begin);
  /// No step begins before `time` any more. What lies beyond is kept, for a step that was ended early lets
  /// the next one begin before its planned end.
  void forget_before(Time time);

 private:
  struct Piece {
    SpeedPiece speed;
    Time until;  // unless endless
  };
  struct Curve {
    std::unique_ptr<SpeedCurve> source;
    std::deque<Piece> pieces;  // from the last forgotten instant on; never empty
    std::size_t at = 0;        // of the piece that the step being planned is in
    [[nodiscard]] const Piece& now() const { return pieces[at]; }
    void advance_to(Time time);
  };
  std::vector<Source> sources_;
  std::vector<double> states_;  // of sources with memory
  std::vector<Curve> curves_;
};

}  // namespace convoy
