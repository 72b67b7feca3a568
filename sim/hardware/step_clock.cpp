#include "hardware/step_clock.hpp"

#include <algorithm>

namespace convoy {

StepClock::StepClock(std::span<const Source> sources)
    : sources_(sources.begin(), sources.end()), states_(sources.size(), 0) {
  for (const Source& source : sources_) {
    auto pieces = source.variation->curve(source.key);
    if (pieces == nullptr) continue;
    Curve curve;
    curve.source = std::move(pieces);
    const SpeedPiece first = curve.source->next();
    curve.pieces.push_back({first, Time::origin() + first.length});
    curves_.push_back(std::move(curve));
  }
}

void StepClock::Curve::advance_to(Time time) {
  while (!now().speed.endless && now().until <= time) {
    if (++at < pieces.size()) continue;
    const SpeedPiece next = source->next();
    pieces.push_back({next, pieces.back().until + next.length});
  }
}

void StepClock::forget_before(Time time) {
  for (Curve& curve : curves_) {
    while (curve.pieces.size() > 1 && curve.pieces.front().until <= time) curve.pieces.pop_front();
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
  for (Curve& curve : curves_) curve.at = 0;
  double left = work.to_seconds();  // s of work at speed 1
  Time now = begin;
  while (true) {
    double speed = 1;
    bool endless = true;
    Time until = begin;
    for (Curve& curve : curves_) {
      curve.advance_to(now);
      speed *= curve.now().speed.speed;
      if (curve.now().speed.endless) continue;
      until = endless ? curve.now().until : std::min(until, curve.now().until);
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
