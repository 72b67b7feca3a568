// How messages, collectives and mixing rounds move: the half of RunState that talks to the network.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "training/mixing_sequence.hpp"
#include "training/run_state.hpp"

namespace convoy {

Encoder& RunState::encoder(const Endpoint& sender, const Stream& stream, const ModelPart& part) {
  auto [place, fresh] = encoders_.try_emplace({&sender, std::string(stream.name), part.number()});
  if (fresh) place->second = Encoder(encoding(stream.name));
  return place->second;
}

void RunState::move_bytes(Endpoint& end, int change) {
  if (auto* worker = dynamic_cast<Worker*>(&end)) worker->ledger().moving(engine.now(), change);
}

void RunState::count_stream(const Stream& stream, std::int64_t bytes, std::int64_t messages) {
  StreamUse& use = stream_use_[std::string(stream.name)];
  use.bytes += bytes;
  use.messages += messages;
}

void RunState::transmit(Endpoint& from, Endpoint& to, const Stream& stream, std::int64_t bytes,
                        Callback delivered) {
  move_bytes(from, +1);
  move_bytes(to, +1);
  count_stream(stream, bytes, 1);
  network->start(from.node(), to.node(), bytes,
                 [this, &from, &to, delivered = std::move(delivered)]() mutable {
                   move_bytes(from, -1);
                   move_bytes(to, -1);
                   delivered();
                 });
}

Completion<void> RunState::send(Endpoint& from, Endpoint& to, const Stream& stream, Outgoing outgoing) {
  Encoder& coder = encoder(from, stream, outgoing.part);
  Completion<void> done([&from, &to, stream] {
    return fmt::format("`{}` from {} to reach {}", stream.name, from.name(), to.name());
  });
  auto message = std::make_shared<Message>();
  message->from = &from;
  message->stream = stream;
  math([&] { message->vector = coder.encode(outgoing.vector); });
  message->version = outgoing.version;
  message->work = std::move(outgoing.work);
  message->steps = outgoing.steps;
  message->part = outgoing.part;
  transmit(from, to, stream, coder.wire_bytes(outgoing.part.of(workload.shape)), [this, &to, message, done] {
    digest_event(DigestKind::delivery, to.number(), message->stream.name, message->version);
    to.inbox_.send(std::move(*message));
    done.set();
  });
  return done;
}

Completion<Reduced> RunState::collective(CollectiveKind kind, const Group& group, Worker& w,
                                         const Stream& stream, const Vector& x, double weight,
                                         const ModelPart& part) {
  const auto place = std::lower_bound(group.members().begin(), group.members().end(), w.index());
  if (place == group.members().end() || *place != w.index())
    throw std::logic_error(w.name() + " is no member of the group");
  const auto rank = static_cast<std::size_t>(place - group.members().begin());
  const Key key{group.number(), kind, std::string(stream.name)};
  std::vector<std::int64_t>& next = next_call_[key];
  next.resize(static_cast<std::size_t>(group.size()), 0);
  const std::int64_t number = next[rank]++;
  Encoder& coder = encoder(w, stream, part);
  std::shared_ptr<CollectiveCall>& slot = open_calls_[key][number];
  if (slot == nullptr) slot = open_collective(kind, group, stream, coder.wire_bytes(part.of(workload.shape)));
  const std::shared_ptr<CollectiveCall> call = slot;
  if (call->arrived == 0) call->first = rank;
  const std::optional<Vector>& first = call->contributions[call->first];
  if (first && first->size() != x.size()) {
    throw std::logic_error(
        fmt::format("`{}`: {} brings {} coordinates, {} brought {}", stream.name, w.name(), x.size(),
                    workers[static_cast<std::size_t>(group.members()[call->first])]->name(), first->size()));
  }
  math([&] { call->contributions[rank] = coder.encode(x); });
  call->weights[rank] = weight;
  if (++call->arrived == group.size()) {
    open_calls_[key].erase(number);
    call->progress = progress;
    launch_reduction(call, kind);
    for (const int member : group.members())
      workers[static_cast<std::size_t>(member)]->ledger().moving(engine.now(), +1);
  }
  collectives->arrive(call->id, rings_.at(group.number()).positions[rank]);
  return call->done;
}

std::shared_ptr<CollectiveCall> RunState::open_collective(CollectiveKind kind, const Group& group,
                                                          const Stream& stream, std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(group.size());
  auto call = std::make_shared<CollectiveCall>(group.size(), "a collective");
  // A report says who is missing.
  std::weak_ptr<CollectiveCall> seen = call;
  call->done = Completion<Reduced>([this, group, stream, seen] {
    std::string missing;
    if (const auto open = seen.lock()) {
      for (std::size_t rank = 0; rank < open->contributions.size(); ++rank) {
        if (!open->contributions[rank])
          missing += " " + workers[static_cast<std::size_t>(group.members()[rank])]->name();
      }
    }
    return missing.empty()
               ? fmt::format("the end of collective `{}`", stream.name)
               : fmt::format("collective `{}`, where these have not arrived:{}", stream.name, missing);
  });
  auto [ring, fresh] = rings_.try_emplace(group.number());
  std::vector<NodeId> nodes;
  for (const int member : group.members()) nodes.push_back(workers[static_cast<std::size_t>(member)]->node());
  if (fresh) {
    ring->second.ranks = ring_order(placement.graph, nodes);
    ring->second.positions.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      ring->second.positions[static_cast<std::size_t>(ring->second.ranks[i])] = static_cast<int>(i);
    }
  }
  CollectiveSpec spec;
  spec.kind = kind;
  for (const int rank : ring->second.ranks) spec.members.push_back(nodes[static_cast<std::size_t>(rank)]);
  spec.bytes = bytes;
  spec.fidelity = setup.cluster->network.collectives;
  for (std::size_t sender = 0; sender < size; ++sender) {
    const EdgeLoad load = edge_load(*network, spec, static_cast<int>(sender));
    count_stream(stream, load.bytes, load.messages);
  }
  call->id = collectives->open(
      std::move(spec), [this, call, kind, group, stream] { finish_collective(*call, kind, group, stream); });
  return call;
}

void RunState::launch_reduction(const std::shared_ptr<CollectiveCall>& call, CollectiveKind kind) {
  if (!setup.task->has_math()) return;
  // The job may outlive nothing of the call: it is owned by it, and reads contributions that nobody writes
  // any more.
  CollectiveCall* c = call.get();
  call->reduction = launch(engine.now(), [c, kind, mean = call->mean] {
    if (kind == CollectiveKind::all_gather) {
      *mean = *c->contributions.front();
      return;
    }
    std::vector<Vector> vectors;
    double total = 0;
    for (std::size_t rank = 0; rank < c->contributions.size(); ++rank) {
      vectors.push_back(*c->contributions[rank]);
      total += c->weights[rank];
    }
    const std::vector<double> ones(vectors.size(), 1.0);
    *mean = weighted_sum(ones, vectors);
    mean->scale(1 / total);
  });
}

void RunState::finish_collective(CollectiveCall& call, CollectiveKind kind, const Group& group,
                                 const Stream& stream) {
  if (!call.reduction.empty()) join(call.reduction);
  for (const int member : group.members())
    workers[static_cast<std::size_t>(member)]->ledger().moving(engine.now(), -1);
  digest_event(DigestKind::collective, static_cast<int>(kind), stream.name,
               static_cast<std::int64_t>(group.number()));
  double total = 0;
  for (const double weight : call.weights) total += weight;
  call.contributions.clear();
  call.done.set({.mean = std::move(*call.mean), .weight = total, .progress = call.progress});
}

MixRound& RunState::mix_round(int worker, const Stream& stream, std::int64_t round) {
  const std::tuple<std::string, int, std::int64_t> key{std::string(stream.name), worker, round};
  auto place = mixes_.find(key);
  if (place == mixes_.end()) {
    Description what([stream, round, this, worker] {
      const auto found = mixes_.find({std::string(stream.name), worker, round});
      std::string missing;
      if (found != mixes_.end() && found->second.graph != nullptr) {
        for (const int j : found->second.graph->in_neighbours(worker)) {
          if (!found->second.received.contains(j))
            missing += " " + workers[static_cast<std::size_t>(j)]->name();
        }
      }
      return fmt::format("`{}` of round {} from{}", stream.name, round, missing);
    });
    place = mixes_.try_emplace(key, std::move(what)).first;
  }
  return place->second;
}

std::int64_t RunState::next_mix(const Worker& w, const Stream& stream) {
  std::vector<std::int64_t>& next = next_mix_[std::string(stream.name)];
  next.resize(workers.size(), 0);
  return next[static_cast<std::size_t>(w.index())]++;
}

Completion<Vector> RunState::mix(const MixingMatrix& graph, Worker& w, const Stream& stream, const Vector& x,
                                 const ModelPart& part) {
  // The caller keeps the graph.
  return mix_in_round({std::shared_ptr<const void>(), &graph}, next_mix(w, stream), w, stream, x, part);
}

Completion<Vector> RunState::mix(const GraphSequence& graphs, Worker& w, const Stream& stream,
                                 const Vector& x, const ModelPart& part) {
  const std::int64_t round = next_mix(w, stream);
  return mix_in_round(graphs.at(round), round, w, stream, x, part);
}

Completion<Vector> RunState::mix_in_round(std::shared_ptr<const MixingMatrix> graph, std::int64_t round,
                                          Worker& w, const Stream& stream, const Vector& x,
                                          const ModelPart& part) {
  if (graph->size() != static_cast<int>(workers.size())) {
    throw std::logic_error(
        fmt::format("a graph of {} nodes mixes {} workers", graph->size(), workers.size()));
  }
  Encoder& coder = encoder(w, stream, part);
  Vector sent;
  math([&] { sent = coder.encode(x); });
  const std::int64_t bytes = coder.wire_bytes(part.of(workload.shape));
  for (const int j : graph->out_neighbours(w.index())) {
    Worker& to = *workers[static_cast<std::size_t>(j)];
    transmit(w, to, stream, bytes, [this, j, from = w.index(), stream, round, sent] {
      digest_event(DigestKind::delivery, j, stream.name, round);
      mix_round(j, stream, round).received.emplace(from, sent);
      try_finish_mix(j, stream, round);
    });
  }
  MixRound& own = mix_round(w.index(), stream, round);
  own.own = x;
  own.graph = std::move(graph);
  const Completion<Vector> done = own.done;
  try_finish_mix(w.index(), stream, round);
  return done;
}

void RunState::try_finish_mix(int worker, const Stream& stream, std::int64_t round) {
  MixRound& mix = mix_round(worker, stream, round);
  if (!mix.own || mix.received.size() < mix.graph->in_neighbours(worker).size()) return;
  std::vector<double> weights;
  std::vector<Vector> vectors;
  for (const MixingMatrix::Entry& entry : mix.graph->row(worker)) {
    weights.push_back(entry.weight);
    vectors.push_back(entry.node == worker ? *mix.own : mix.received.at(entry.node));
  }
  Vector mixed;
  if (setup.task->has_math()) math([&] { mixed = weighted_sum(weights, vectors); });
  const Completion<Vector> done = mix.done;
  digest_event(DigestKind::mix, worker, stream.name, round);
  mixes_.erase({std::string(stream.name), worker, round});
  done.set(std::move(mixed));
}

}  // namespace convoy
