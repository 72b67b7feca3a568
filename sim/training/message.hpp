// What travels between workers and servers.
#pragma once

#include <cstdint>

#include "learning/vector.hpp"
#include "training/model_part.hpp"
#include "training/stream.hpp"
#include "training/work.hpp"

namespace convoy {

class Endpoint;

/// What a sender puts into a message; the vector is a snapshot of what it held when the send began.
struct Outgoing {
  Vector vector = {};
  std::int64_t version = 0;  ///< of the model that the vector was computed from (pushes), or is (models)
  Credits work = {};         ///< credits that travel with the vector
  std::int64_t steps = 0;    ///< local steps that the receiver may report, kept or not
  ModelPart part = {};       ///< which coordinates `vector` holds
};

/// What the receiver gets: the vector as its encoding decodes.
struct Message {
  Endpoint* from = nullptr;
  Stream stream;
  Vector vector = {};
  std::int64_t version = 0;
  Credits work = {};
  std::int64_t steps = 0;
  ModelPart part = {};
};

/// Counters of a whole run that a learning-rate schedule may follow.
struct SharedProgress {
  std::int64_t dispatched = 0;  ///< local steps handed out
  std::int64_t reported = 0;    ///< local steps reported to the owner of the deployed model
  std::int64_t rounds = 0;      ///< synchronisations
};

/// The outcome of a reduction over a group: one immutable value for all members.
struct Reduced {
  Vector mean;        ///< sum of the members' vectors, added in order of rank, over the sum of their weights
  double weight = 0;  ///< sum of the members' weights
  SharedProgress progress;  ///< when the reduction opened: the same for every member
};

}  // namespace convoy
