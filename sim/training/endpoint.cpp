#include "training/endpoint.hpp"

#include "training/run_state.hpp"

namespace convoy {

Endpoint::Endpoint(Cluster& cluster, std::string name, std::string region, NodeId node, int number)
    : cluster_(cluster),
      name_(std::move(name)),
      region_(std::move(region)),
      node_(node),
      number_(number),
      inbox_("a message to " + name_) {}

Completion<void> Endpoint::send(Endpoint& to, const Stream& stream, Outgoing outgoing) {
  return cluster_.run_.send(*this, to, stream, std::move(outgoing));
}

}  // namespace convoy
