#include "network/collective.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "network/collective_schedule.hpp"

namespace convoy {

namespace {

std::size_t at(int rank) {
  return static_cast<std::size_t>(rank);
}

void check(const CollectiveSpec& spec) {
  if (spec.members.empty()) throw std::logic_error("a collective without members");
  if (spec.bytes < 0) throw std::logic_error("a collective of fewer than no bytes");
  if (spec.root < 0 || at(spec.root) >= spec.members.size())
    throw std::logic_error("a broadcast from no member");
  if (spec.chunks && *spec.chunks < 1) throw std::logic_error("a broadcast in fewer than one chunk");
}

}  // namespace

RingSummary ring_summary(const Network& network, std::span<const NodeId> ring) {
  RingSummary summary{.bandwidth = std::numeric_limits<double>::infinity(), .latency = Duration::zero()};
  if (ring.size() < 2) return summary;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const PathSummary path = network.path(ring[i], ring[(i + 1) % ring.size()]);
    summary.bandwidth = std::min(summary.bandwidth, path.bandwidth);
    summary.latency = std::max(summary.latency, path.latency);
  }
  return summary;
}

Duration formula_time(const Network& network, const CollectiveSpec& spec) {
  check(spec);
  const RingSummary ring = ring_summary(network, spec.members);
  const detail::Schedule schedule = detail::schedule_of(spec, ring);
  return ring.latency * schedule.steps() + Duration::seconds(schedule.formula_bytes() / ring.bandwidth);
}

EdgeLoad edge_load(const Network& network, const CollectiveSpec& spec, int sender) {
  check(spec);
  const detail::Schedule schedule = detail::schedule_of(spec, ring_summary(network, spec.members));
  return {schedule.edge_bytes(sender), schedule.messages(sender)};
}

/// An open collective.
class Collectives::Operation {
 public:
  Operation(Collectives& owner, std::uint64_t number, CollectiveSpec spec, Callback done)
      : owner_(owner),
        number_(number),
        spec_(std::move(spec)),
        ring_(ring_summary(owner.network_, spec_.members)),
        schedule_(detail::schedule_of(spec_, ring_)),
        done_(std::move(done)),
        here_(spec_.members.size(), 0) {}
  virtual ~Operation() {
    if (end_) engine().cancel(*end_);
  }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  void arrive(int rank) {
    if (rank < 0 || at(rank) >= here_.size())
      throw std::logic_error("a rank that the collective does not have");
    if (here_[at(rank)] != 0) throw std::logic_error("a member arrives twice at a collective");
    here_[at(rank)] = 1;
    ++arrived_;
    if (size() == 1) return finish_at(engine().now());
    arrived(rank);
  }
  /// Takes back what it has under way.
  virtual void abort() = 0;
  [[nodiscard]] Callback take_done() { return std::move(done_); }

 protected:
  virtual void arrived(int rank) = 0;
  /// Called at the date given to finish_at.
  virtual void ending() {}

  [[nodiscard]] int size() const { return static_cast<int>(spec_.members.size()); }
  [[nodiscard]] bool all_here() const { return arrived_ == spec_.members.size(); }
  [[nodiscard]] bool is_here(int rank) const { return here_[at(rank)] != 0; }
  [[nodiscard]] int after(int rank) const { return (rank + 1) % size(); }
  [[nodiscard]] NodeId node(int rank) const { return spec_.members[at(rank)]; }
  [[nodiscard]] Network& network() const { return owner_.network_; }
  [[nodiscard]] Engine& engine() const { return owner_.network_.engine(); }
  /// Ends the collective now; this object is gone afterwards.
  void finish() { owner_.finish(number_); }
  void finish_at(Time time) {
    end_ = engine().at(time, EventClass::delivery, [this] {
      end_.reset();
      ending();
      finish();
    });
  }
  TransferId send(int rank, std::int64_t bytes, std::int64_t messages, Callback delivered) {
    TransferOptions options = spec_.transfer;
    options.messages = messages;
    return network().start(node(rank), node(after(rank)), bytes, std::move(delivered), options);
  }

  Collectives& owner_;
  std::uint64_t number_;
  CollectiveSpec spec_;
  RingSummary ring_;
  detail::Schedule schedule_;

 private:
  Callback done_;
  std::vector<char> here_;
  std::size_t arrived_ = 0;
  std::optional<EventId> end_;
};

/// The closed form: the links are booked from the arrival of the last member to the end.
class Collectives::Formula final : public Operation {
 public:
  using Operation::Operation;
  void abort() override {
    if (!booked_) return;
    // What a steady flow would have moved by now.
    const double share =
        length_ > Duration::zero() ? (engine().now() - begin_).to_seconds() / length_.to_seconds() : 1;
    for (int rank = 0; rank < size(); ++rank) {
      const double bytes = share * static_cast<double>(schedule_.edge_bytes(rank));
      if (books(rank))
        network().end_booking(node(rank), node(after(rank)), static_cast<std::int64_t>(bytes), 0);
    }
  }

 private:
  void arrived(int) override {
    if (!all_here()) return;
    begin_ = engine().now();
    length_ =
        ring_.latency * schedule_.steps() + Duration::seconds(schedule_.formula_bytes() / ring_.bandwidth);
    booked_ = true;
    for (int rank = 0; rank < size(); ++rank) {
      if (books(rank)) network().begin_booking(node(rank), node(after(rank)));
    }
    finish_at(begin_ + length_);
  }
  void ending() override {
    if (!booked_) return;
    for (int rank = 0; rank < size(); ++rank) {
      if (!books(rank)) continue;
      network().end_booking(node(rank), node(after(rank)), schedule_.edge_bytes(rank),
                            schedule_.messages(rank));
    }
  }
  [[nodiscard]] bool books(int rank) const { return schedule_.messages(rank) > 0; }

  Time begin_;
  Duration length_;
  bool booked_ = false;
};

/// One flow an edge. A flow pays the latency of its edge once; the chain of the other latencies, and the time
/// in which a chain of forwarders fills, follow when its bytes have moved.
class Collectives::Fluid final : public Operation {
 public:
  using Operation::Operation;
  void abort() override {
    for (const TransferId flow : flows_) network().abort(flow);
  }

 private:
  void arrived(int) override {
    if (!all_here()) return;
    const Duration chain =
        ring_.latency * schedule_.steps() + Duration::seconds(schedule_.fill_bytes() / ring_.bandwidth);
    for (int rank = 0; rank < size(); ++rank) {
      if (schedule_.messages(rank) == 0) continue;
      ++moving_;
      const Duration rest = chain - network().path(node(rank), node(after(rank))).latency;
      flows_.push_back(
          send(rank, schedule_.edge_bytes(rank), schedule_.messages(rank), [this, rest] { moved(rest); }));
    }
  }
  void moved(Duration rest) {
    last_ = std::max(last_, engine().now() + rest);
    if (--moving_ > 0) return;
    if (last_ > engine().now()) {
      finish_at(last_);
    } else {
      finish();
    }
  }

  std::vector<TransferId> flows_;
  int moving_ = 0;
  Time last_;
};

/// Every message.
class Collectives::Steps final : public Operation {
 public:
  Steps(Collectives& owner, std::uint64_t number, CollectiveSpec spec, Callback done)
      : Operation(owner, number, std::move(spec), std::move(done)), ranks_(spec_.members.size()) {
    for (int rank = 0; rank < size(); ++rank) to_deliver_ += schedule_.messages(rank);
  }
  void abort() override {
    for (const Rank& rank : ranks_) network().abort(rank.transfer);
  }

 private:
  struct Rank {
    std::int64_t started = 0, sent = 0, received = 0;  // messages
    TransferId transfer;                               // of the last that it started
  };
  void arrived(int rank) override {
    send_next((rank + size() - 1) % size());
    send_next(rank);
  }
  void send_next(int sender) {
    Rank& rank = ranks_[at(sender)];
    const std::int64_t k = rank.started;
    if (k == schedule_.messages(sender) || rank.sent < k || rank.received < schedule_.needed(sender, k))
      return;
    if (!is_here(sender) || !is_here(after(sender))) return;
    ++rank.started;
    rank.transfer =
        send(sender, schedule_.message_bytes(sender, k), 1, [this, sender] { delivered(sender); });
  }
  void delivered(int sender) {
    ++ranks_[at(sender)].sent;
    ++ranks_[at(after(sender))].received;
    if (--to_deliver_ == 0) return finish();
    send_next(sender);
    send_next(after(sender));
  }

  std::vector<Rank> ranks_;
  std::int64_t to_deliver_ = 0;
};

Collectives::Collectives(Network& network) : network_(network) {}
Collectives::~Collectives() = default;

CollectiveId Collectives::open(CollectiveSpec spec, Callback done) {
  check(spec);
  const std::uint64_t number = next_++;
  Fidelity fidelity = spec.fidelity;
  if (fidelity == Fidelity::automatic)
    fidelity = network_.options().contention ? Fidelity::fluid : Fidelity::formula;
  std::unique_ptr<Operation> operation;
  switch (fidelity) {
    case Fidelity::automatic:
    case Fidelity::formula:
      operation = std::make_unique<Formula>(*this, number, std::move(spec), std::move(done));
      break;
    case Fidelity::fluid:
      operation = std::make_unique<Fluid>(*this, number, std::move(spec), std::move(done));
      break;
    case Fidelity::steps:
      operation = std::make_unique<Steps>(*this, number, std::move(spec), std::move(done));
      break;
  }
  open_.emplace(number, std::move(operation));
  return {number};
}

void Collectives::arrive(CollectiveId id, int rank) {
  const auto found = open_.find(id.number);
  if (found == open_.end()) throw std::logic_error("a member arrives at a collective that has ended");
  found->second->arrive(rank);
}

CollectiveId Collectives::start(CollectiveSpec spec, Callback done) {
  const int members = static_cast<int>(spec.members.size());
  const CollectiveId id = open(std::move(spec), std::move(done));
  for (int rank = 0; rank < members; ++rank) arrive(id, rank);
  return id;
}

bool Collectives::abort(CollectiveId id) {
  const auto found = open_.find(id.number);
  if (found == open_.end()) return false;
  const std::unique_ptr<Operation> operation = std::move(found->second);
  open_.erase(found);
  operation->abort();
  return true;
}

bool Collectives::active(CollectiveId id) const {
  return open_.contains(id.number);
}

void Collectives::finish(std::uint64_t number) {
  const auto found = open_.find(number);
  const std::unique_ptr<Operation> operation = std::move(found->second);
  open_.erase(found);
  if (Callback done = operation->take_done()) done();
}

}  // namespace convoy
