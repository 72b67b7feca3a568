// Where messages start and end: a worker or a server, placed on a node of the network.
#pragma once

#include <string>
#include <string_view>

#include "core/channel.hpp"
#include "core/completion.hpp"
#include "network/graph.hpp"
#include "training/message.hpp"

namespace convoy {

class Cluster;
class Worker;

class Endpoint {
 public:
  Endpoint(Cluster& cluster, std::string name, std::string region, NodeId node, int number);
  virtual ~Endpoint() = default;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& region() const { return region_; }
  [[nodiscard]] NodeId node() const { return node_; }
  /// Of a worker its index; servers follow in the order in which they were asked for.
  [[nodiscard]] int number() const { return number_; }

  /// Starts sending; the handle is done at delivery. Dropping the handle does not stop the transfer.
  Completion<void> send(Endpoint& to, const Stream& stream, Outgoing outgoing);
  /// Awaitable: the next message in order of arrival.
  [[nodiscard]] auto receive() { return inbox_.receive(); }
  /// Messages that have arrived and were not received yet.
  [[nodiscard]] std::size_t waiting_messages() const { return inbox_.size(); }

 protected:
  Cluster& cluster_;

 private:
  friend class RunState;
  std::string name_;
  std::string region_;
  NodeId node_;
  int number_;
  Channel<Message> inbox_;
};

}  // namespace convoy
