// How messages, collectives and mixing rounds move: the half of RunState that talks to the network.
#include <stdexcept>

#include <fmt/format.h>

#include "training/run_state.hpp"

namespace convoy {

Encoder& RunState::encoder(const Endpoint& sender, const Stream& stream) {
  auto [place, fresh] = encoders_.try_emplace({&sender, std::string(stream.name)});
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

void RunState::transmit(Endpoint& from, Endpoint& to, const Stream& stream, std::int64_t bytes, Callback delivered) {
  move_bytes(from, +1);
  move_bytes(to, +1);
  count_stream(stream, bytes, 1);
  network->start(from.node(), to.node(), bytes, [this, &from, &to, delivered = std::move(delivered)]() mutable {
    move_bytes(from, -1);
    move_bytes(to, -1);
    delivered();
  });
}

Completion<void> RunState::send(Endpoint& from, Endpoint& to, const Stream& stream, Outgoing outgoing) {
  Encoder& coder = encoder(from, stream);
  Completion<void> done([&from, &to, stream] { return fmt::format("`{}` from {} to reach {}", stream.name, from.name(), to.name()); });
  auto message = std::make_shared<Message>();
  message->from = &from;
  message->stream = stream;
  math([&] { message->vector = coder.encode(outgoing.vector); });
  message->version = outgoing.version;
  message->work = std::move(outgoing.work);
  message->steps = outgoing.steps;
  transmit(from, to, stream, coder.wire_bytes(workload.shape), [this, &to, message, done] {
    digest_event(DigestKind::delivery, to.node().index, message->stream.name, message->version);
    to.inbox_.send(std::move(*message));
    done.set();
  });
  return done;
}

Completion<Reduced> RunState::collective(CollectiveKind kind, Worker& w, const Stream& stream, const Vector& x, double weight) {
  const auto rank = static_cast<std::size_t>(w.index());
  const Key key{kind, std::string(stream.name)};
  std::vector<std::int64_t>& next = next_call_[key];
  next.resize(workers.size(), 0);
  const std::int64_t number = next[rank]++;
  std::shared_ptr<CollectiveCall>& slot = open_calls_[key][number];
  if (slot == nullptr) {
    slot = std::make_shared<CollectiveCall>(static_cast<int>(workers.size()), "a collective");
  }
  const std::shared_ptr<CollectiveCall> call = slot;
  for (std::size_t other = 0; other < workers.size(); ++other) {
    if (call->contributions[other] && call->contributions[other]->size() != x.size()) {
      throw std::logic_error(fmt::format("`{}`: {} brings {} coordinates, {} brought {}", stream.name, w.name(), x.size(),
                                         workers[other]->name(), call->contributions[other]->size()));
    }
  }
  Encoder& coder = encoder(w, stream);
  math([&] { call->contributions[rank] = coder.encode(x); });
  call->weights[rank] = weight;
  if (++call->arrived < static_cast<int>(workers.size())) return call->done;

  open_calls_[key].erase(number);
  call->progress = progress;
  auto mean = std::make_shared<Vector>();
  JobHandle job;
  if (setup.task->has_math()) {
    job = launch(engine.now(), [call, mean, kind] {
      if (kind == CollectiveKind::all_gather) {
        *mean = *call->contributions.front();
        return;
      }
      std::vector<Vector> vectors;
      double total = 0;
      for (std::size_t i = 0; i < call->contributions.size(); ++i) {
        vectors.push_back(*call->contributions[i]);
        total += call->weights[i];
      }
      const std::vector<double> ones(vectors.size(), 1.0);
      *mean = weighted_sum(ones, vectors);
      mean->scale(1 / total);
    });
  }
  std::vector<NodeId> members;
  for (const int member : ring_) members.push_back(workers[static_cast<std::size_t>(member)]->node());
  const std::int64_t bytes = coder.wire_bytes(workload.shape);
  for (const auto& worker : workers) worker->ledger().moving(engine.now(), +1);
  CollectiveSpec spec;
  spec.kind = kind;
  spec.members = std::move(members);
  spec.bytes = bytes;
  spec.fidelity = setup.cluster->network.collectives;
  for (int sender = 0; sender < static_cast<int>(workers.size()); ++sender) {
    const EdgeLoad load = edge_load(*network, spec, sender);
    count_stream(stream, load.bytes, load.messages);
  }
  collectives->start(std::move(spec), [this, call, kind, stream, mean, job = std::move(job)]() mutable {
    finish_collective(call, kind, stream, std::move(job), mean);
  });
  return call->done;
}

void RunState::finish_collective(const std::shared_ptr<CollectiveCall>& call, CollectiveKind kind, const Stream& stream,
                                 JobHandle job, const std::shared_ptr<Vector>& mean) {
  if (!job.empty()) join(job);
  for (const auto& worker : workers) worker->ledger().moving(engine.now(), -1);
  digest_event(DigestKind::collective, static_cast<int>(kind), stream.name, 0);
  double total = 0;
  for (const double weight : call->weights) total += weight;
  call->contributions.clear();
  call->done.set({.mean = std::move(*mean), .weight = total, .progress = call->progress});
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
          if (!found->second.received.contains(j)) missing += " " + workers[static_cast<std::size_t>(j)]->name();
        }
      }
      return fmt::format("`{}` of round {} from{}", stream.name, round, missing);
    });
    place = mixes_.try_emplace(key, std::move(what)).first;
  }
  return place->second;
}

Completion<Vector> RunState::mix(const MixingMatrix& graph, Worker& w, const Stream& stream, const Vector& x) {
  if (graph.size() != static_cast<int>(workers.size())) {
    throw std::logic_error(fmt::format("a graph of {} nodes mixes {} workers", graph.size(), workers.size()));
  }
  std::vector<std::int64_t>& next = next_mix_[std::string(stream.name)];
  next.resize(workers.size(), 0);
  const std::int64_t round = next[static_cast<std::size_t>(w.index())]++;
  Encoder& coder = encoder(w, stream);
  Vector sent;
  math([&] { sent = coder.encode(x); });
  const std::int64_t bytes = coder.wire_bytes(workload.shape);
  for (const int j : graph.out_neighbours(w.index())) {
    Worker& to = *workers[static_cast<std::size_t>(j)];
    transmit(w, to, stream, bytes, [this, j, from = w.index(), stream, round, sent] {
      digest_event(DigestKind::delivery, j, stream.name, round);
      mix_round(j, stream, round).received.emplace(from, sent);
      try_finish_mix(j, stream, round);
    });
  }
  MixRound& own = mix_round(w.index(), stream, round);
  own.own = x;
  own.graph = &graph;
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
