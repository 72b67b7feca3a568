#include "hardware/step_clock.hpp"

#include <algorithm>

namespace convoy {

StepClock::StepClock(std::span<const Source> sources)
    : sources_(sources.begin(), sources.end()), states_(sources.size(), 0) {
  for (const Source& source : sources_) {
    auto pieces = source.variation->curve(source.key);
    if (pieces == nullptr) continue;
    Curve curve{.pieces = std::move(pieces), .now = {}, .until = Time::origin()};
    curve.now = curve.pieces->next();
    curve.until = Time::origin() + curve.now.length;
    curves_.push_back(std::move(curve));
  }
}

void StepClock::Curve::advance_to(Time time) {
  while (!now.endless && until <= time) {
    now = pieces->next();
    until = until + now.length;
  }
}

Time StepClock::end(Duration nominal, std::uint64_t step, Time begin) {
  Duration work = nominal;
  Duration added;
  double factor = 1;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const StepFactor departure = sources_[i].variation->step(sources_[i].key, step, states_[i]);
    factor *= departure.factor;
    added += departure.added;
  }
  if (factor != 1) work = Duration::seconds(nominal.to_seconds() * factor);
  work += added;
  if (curves_.empty()) return begin + work;
  double left = work.to_seconds();  // s of work at speed 1
  Time now = begin;
  while (true) {
    double speed = 1;
    bool endless = true;
    Time until = begin;
    for (Curve& curve : curves_) {
      curve.advance_to(now);
      speed *= curve.now.speed;
      if (curve.now.endless) continue;
      until = endless ? curve.until : std::min(until, curve.until);
      endless = false;
    }
    if (speed > 0) {
      const Time end = now + Duration::seconds(left / speed);
      if (endless || end <= until) return end;
    } else if (endless) {
      return Time::latest();
    }
    left -= speed * (until - now).to_seconds();
    now = until;
  }
}

}  // namespace convoy
