#include "simgrid/simgrid_side.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <simgrid/s4u.hpp>
#include <sstream>
#include <stdexcept>

namespace convoy::cross_check {

namespace {

namespace sg = simgrid::s4u;

/// Forks, lets the child write text, and returns it.
template <class Write>
std::string from_child(Write write_text) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    close(ends[0]);
    const std::string text = write_text();
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t written = write(ends[1], text.data() + at, text.size() - at);
      if (written <= 0) std::_Exit(2);
      at += static_cast<std::size_t>(written);
    }
    std::_Exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("SimGrid failed");
  return text;
}

/// Hosts named s<i> and d<i> for flow i, with the flow's links as their route.
void build(sg::NetZone* zone, const Scenario& scenario) {
  std::vector<const sg::Link*> links;
  for (std::size_t i = 0; i < scenario.links.size(); ++i) {
    const Link& link = scenario.links[i];
    links.push_back(zone->create_link("l" + std::to_string(i), link.bandwidth)
                        ->set_latency(link.latency)
                        ->set_sharing_policy(link.policy == Policy::shared ? sg::Link::SharingPolicy::SHARED
                                                                           : sg::Link::SharingPolicy::FATPIPE)
                        ->seal());
  }
  for (std::size_t i = 0; i < scenario.flows.size(); ++i) {
    sg::Host* from = zone->create_host("s" + std::to_string(i), 1e9)->seal();
    sg::Host* to = zone->create_host("d" + std::to_string(i), 1e9)->seal();
    std::vector<sg::LinkInRoute> route;
    for (const int link : scenario.flows[i].links) route.emplace_back(links[static_cast<std::size_t>(link)]);
    zone->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, route, false);
  }
  zone->seal();
}

std::string in_child(const Scenario& scenario) {
  int argc = 8;
  const char* arguments[] = {"cross_check",
                             "--cfg=network/model:CM02",
                             "--cfg=network/crosstraffic:0",
                             "--cfg=network/TCP-gamma:0",
                             "--cfg=surf/precision:1e-9",
                             "--cfg=maxmin/precision:1e-9",
                             "--log=root.thresh:error",
                             "--cfg=network/optim:Lazy",
                             nullptr};
  sg::Engine engine(&argc, const_cast<char**>(arguments));
  if (scenario.platform.empty()) {
    build(sg::create_full_zone("zone"), scenario);
  } else {
    std::string name = (std::filesystem::temp_directory_path() / "convoy_platform_XXXXXX.xml").string();
    const int file = mkstemps(name.data(), 4);  // keeps ".xml"
    if (file < 0 || write(file, scenario.platform.data(), scenario.platform.size()) < 0) std::_Exit(3);
    close(file);
    engine.load_platform(name);
    std::filesystem::remove(name);
    engine.seal_platform();
  }
  std::ostringstream out;
  out.precision(17);
  std::vector<double> ends(scenario.flows.size(), -1);
  for (std::size_t i = 0; i < scenario.flows.size(); ++i) {
    const Flow& flow = scenario.flows[i];
    sg::Host *from = nullptr, *to = nullptr;
    if (scenario.platform.empty()) {
      from = engine.host_by_name("s" + std::to_string(i));
      to = engine.host_by_name("d" + std::to_string(i));
    } else {
      from = engine.host_by_name("h" + std::to_string(flow.from));
      to = engine.host_by_name("h" + std::to_string(flow.to));
      std::vector<sg::Link*> route;
      double latency = 0;
      from->route_to(to, route, &latency);
      out << route.size();
      for (const sg::Link* link : route) {
        out << ' ' << link->get_cname() << ' ' << link->get_bandwidth() << ' ' << link->get_latency() << ' '
            << (link->get_sharing_policy() == sg::Link::SharingPolicy::FATPIPE);
      }
      out << '\n';
    }
    sg::Actor::create("flow", from, [&ends, i, &flow, from, to] {
      sg::this_actor::sleep_until(flow.start);
      sg::Comm::sendto_async(from, to, static_cast<std::uint64_t>(flow.bytes))->wait();
      ends[i] = sg::Engine::get_clock();
    });
  }
  engine.run();
  for (const double end : ends) out << end << '\n';
  return out.str();
}

}  // namespace

double simgrid_ring_seconds(int hosts, int rounds, double bytes, double bandwidth, double latency) {
  return std::stod(from_child([=] {
    int argc = 5;
    const char* arguments[] = {"ring",
                               "--cfg=network/model:CM02",
                               "--cfg=network/crosstraffic:0",
                               "--cfg=network/TCP-gamma:0",
                               "--log=root.thresh:error",
                               nullptr};
    sg::Engine engine(&argc, const_cast<char**>(arguments));
    sg::NetZone* zone = sg::create_star_zone("zone");
    std::vector<sg::Host*> list;
    for (int i = 0; i < hosts; ++i) {
      sg::Host* host = zone->create_host("h" + std::to_string(i), 1e9)->seal();
      const sg::Link* link =
          zone->create_link("l" + std::to_string(i), bandwidth)->set_latency(latency)->seal();
      zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {sg::LinkInRoute(link)}, true);
      list.push_back(host);
    }
    zone->seal();
    for (int i = 0; i < hosts; ++i) {
      sg::Host *from = list[static_cast<std::size_t>(i)],
               *to = list[static_cast<std::size_t>((i + 1) % hosts)];
      sg::Actor::create("ring", from, [=] {
        for (int round = 0; round < rounds; ++round) {
          sg::Comm::sendto_async(from, to, static_cast<std::uint64_t>(bytes))->wait();
        }
      });
    }
    const auto begin = std::chrono::steady_clock::now();
    engine.run();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    const double expected = rounds * (bytes / (bandwidth / 2) + 2 * latency);
    if (std::abs(sg::Engine::get_clock() / expected - 1) > 1e-6) std::_Exit(4);
    return std::to_string(wall.count());
  }));
}

std::vector<double> simgrid_ends(Scenario& scenario) {
  const std::string text = from_child([&] { return in_child(scenario); });
  std::istringstream in(text);
  if (!scenario.platform.empty()) {
    std::map<std::string, int> known;
    for (Flow& flow : scenario.flows) {
      std::size_t hops = 0;
      in >> hops;
      for (; hops > 0; --hops) {
        std::string name;
        Link link;
        int fat_pipe = 0;
        in >> name >> link.bandwidth >> link.latency >> fat_pipe;
        link.policy = fat_pipe != 0 ? Policy::fat_pipe : Policy::shared;
        const auto [found, added] = known.emplace(name, static_cast<int>(scenario.links.size()));
        if (added) scenario.links.push_back(link);
        flow.links.push_back(found->second);
      }
    }
  }
  std::vector<double> result(scenario.flows.size());
  for (double& end : result) {
    if (!(in >> end)) throw std::runtime_error("SimGrid's answer is cut off");
  }
  return result;
}

}  // namespace convoy::cross_check
