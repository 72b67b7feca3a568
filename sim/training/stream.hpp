// Message streams: what an algorithm sends, by name, so that a config can attach an encoding to each.
#pragma once

#include <string_view>

namespace convoy {

/// What the vectors of a stream are. A lossy encoding of a `state` loses what no later message repairs.
enum class Payload {
  delta,     ///< a difference of models (pseudo-gradient)
  gradient,  ///< a gradient or gradient tracker
  state,     ///< a model
};

/// A stream that an algorithm declares: halos has "worker_to_local", "local_to_global", ...
struct Stream {
  std::string_view name;
  Payload payload = Payload::delta;
  bool lossy_state_allowed = false;  ///< a `state` stream whose algorithm tolerates lossy encodings

  constexpr bool operator==(const Stream& other) const { return name == other.name; }
};

}  // namespace convoy
