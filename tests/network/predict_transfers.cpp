// Predicts when transfers end. Reads lines and prints the end of each transfer in seconds, in their order:
//   host NAME
//   link FROM TO BYTES_PER_SECOND SECONDS     one way
//   send FROM TO BYTES START_SECONDS
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/error.hpp"
#include "network/network.hpp"

int main() {
  using namespace convoy;
  struct Send {
    std::string from, to;
    std::int64_t bytes = 0;
    double start = 0;
  };
  try {
    NetworkGraph graph;
    std::vector<Send> sends;
    std::string line, word;
    while (std::getline(std::cin, line)) {
      std::istringstream in(line);
      std::string from, to;
      double bandwidth = 0, latency = 0;
      Send send;
      if (!(in >> word)) continue;
      if (word == "host" && in >> from) {
        graph.add_node(from);
      } else if (word == "link" && in >> from >> to >> bandwidth >> latency) {
        graph.add_link(
            graph.find(from), graph.find(to),
            {.bandwidth = bandwidth, .latency = Duration::seconds(latency), .sharing = Sharing::one_way});
      } else if (word == "send" && in >> send.from >> send.to >> send.bytes >> send.start) {
        sends.push_back(send);
      } else {
        std::cerr << "predict_transfers: cannot read: " << line << '\n';
        return 2;
      }
    }
    Engine engine;
    Network network(engine, std::move(graph));
    std::vector<double> ends(sends.size(), -1);
    for (std::size_t i = 0; i < sends.size(); ++i) {
      engine.at(Time::at_seconds(sends[i].start), EventClass::timer, [&, i] {
        network.start(network.graph().find(sends[i].from), network.graph().find(sends[i].to), sends[i].bytes,
                      [&, i] { ends[i] = engine.now().to_seconds(); });
      });
    }
    engine.run();
    for (const double end : ends) std::printf("%.9f\n", end);
  } catch (const std::exception& error) {
    std::cerr << "predict_transfers: " << error.what() << '\n';
    return 2;
  }
  return 0;
}
