// Machines and wide-area matrices that carry published numbers.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/topologies/fabric_checks.hpp"

using namespace convoy;
using namespace convoy::test;

TEST_CASE("machine presets carry published numbers") {
  const PhysicalNetwork hgx = fabric("hgx_h100", {{"hosts", whole(2)}})->build();
  check_size(hgx, {16, 16 + 2 + 8, 32});
  CHECK(hgx.devices[0].model == "H100-SXM");
  // 18 NVLink4 of 20.6 GB/s; device to device takes 936 ns; 400 Gbit/s NICs.
  const PathSummary inside = hgx.graph.path(hgx.devices[0].node, hgx.devices[7].node);
  CHECK(inside.bandwidth == doctest::Approx(370.8e9));
  CHECK(inside.latency == Duration::nanoseconds(936));
  CHECK(hgx.graph.path(hgx.devices[0].node, hgx.devices[8].node).bandwidth == 50e9);
  const PhysicalNetwork dgx = fabric("dgx_a100", {{"hosts", whole(1)}})->build();
  CHECK(dgx.graph.path(dgx.devices[0].node, dgx.devices[1].node).bandwidth == 240e9);
}

TEST_CASE("DGX-1V: six NVLinks a device, PCIe where two devices share none") {
  const PhysicalNetwork one = fabric("dgx_1v")->build();
  check_size(one, {8, 8 + 4 + 2 + 1, 33});
  const auto path = [&](int a, int b) {
    return one.graph.path(one.devices[static_cast<std::size_t>(a)].node,
                          one.devices[static_cast<std::size_t>(b)].node);
  };
  // nvidia-smi topo -m: GPU0-GPU3 NV2, GPU0-GPU1 NV1, GPU0-GPU7 SYS.
  CHECK(path(0, 3).bandwidth == 40e9);
  CHECK(path(0, 1).bandwidth == 20e9);
  CHECK(path(0, 3).hops == 1);
  CHECK(path(0, 7).bandwidth == 9.6e9);
  CHECK(path(0, 7).hops == 5);
  CHECK(path(7, 0).hops == 5);
  // Each device has links of 6 x 20 GB/s on NVLink.
  for (const auto& device : one.devices) {
    double total = 0;
    for (std::size_t i = 0; i < one.graph.links(); ++i) {
      const LinkId id{static_cast<std::int32_t>(i)};
      const NodeId a = one.graph.tail(forward(id)), b = one.graph.head(forward(id));
      if ((a == device.node || b == device.node) && one.graph.link(id).bandwidth >= 20e9)
        total += one.graph.link(id).bandwidth;
    }
    CHECK(total == 120e9);
  }
  // Two hosts: GPU0 to the other host's GPU7 over PCIe and its switch's NIC.
  const PhysicalNetwork two = fabric("dgx_1v", {{"hosts", whole(2)}})->build();
  const PathSummary across = two.graph.path(two.graph.find("h0.g0"), two.graph.find("h1.g7"));
  CHECK(across.hops == 4);
  CHECK(across.bandwidth == 12e9);
}

TEST_CASE("regions: published matrices, the direct link always, half a round trip a way") {
  const PhysicalNetwork aws =
      fabric("regions", {{"preset", word("aws")}, {"bandwidth", word("10 Gbit/s")}})->build();
  check_size(aws, {10, 20, 10 + 45});
  CHECK(aws.sites.size() == 10);
  // Oregon - Virginia: 67 ms, 0.79 Gbit/s. A detour over Ohio would take 60 ms; the direct link is used.
  const PathSummary path = aws.graph.path(aws.graph.find("oregon.h0.g0"), aws.graph.find("virginia.h0.g0"));
  CHECK(path.bandwidth == 0.79e9 / 8);
  CHECK(path.latency == Duration::nanoseconds(33'500'000));
  CHECK(path.hops == 3);
  const PhysicalNetwork halos =
      fabric("regions",
             {{"preset", word("halos")}, {"hosts_per_region", whole(4)}, {"bandwidth", word("100 Gbit/s")}})
          ->build();
  check_size(halos, {16, 20, 16 + 6});
  CHECK(halos.graph.path(halos.graph.find("r0.h3.g0"), halos.graph.find("r3.h0.g0")).bandwidth ==
        0.202e9 / 8);
  Node names = Node::list({word("tokyo"), word("seoul")});
  const PhysicalNetwork asia =
      fabric("regions", {{"preset", word("aws")}, {"regions", names}, {"bandwidth", gigabyte}})->build();
  check_size(asia, {2, 4, 3});
  names.items.push_back(word("seul"));
  CHECK(contains(fault_of([&] {
                   (void)fabric("regions",
                                {{"preset", word("aws")}, {"regions", names}, {"bandwidth", gigabyte}})
                       ->build();
                 }),
                 "fabric.regions[2]"));
}

TEST_CASE("regions: a matrix may differ between the two ways, and has to leave a way to everyone") {
  const auto row = [](std::initializer_list<const char*> values) {
    Node node = Node::list();
    for (const char* value : values)
      node.items.push_back(std::string(value) == "0" ? Node::of(std::int64_t{0}) : word(value));
    return node;
  };
  const Node names = Node::list({word("a"), word("b"), word("c")});
  const Node matrix =
      Node::list({row({"0", "1 GB/s", "0"}), row({"2 GB/s", "0", "3 GB/s"}), row({"0", "3 GB/s", "0"})});
  const PhysicalNetwork machines =
      fabric("regions", {{"regions", names}, {"bandwidth_matrix", matrix}, {"bandwidth", word("10 GB/s")}})
          ->build();
  const auto bandwidth = [&](const char* from, const char* to) {
    return machines.graph.path(machines.graph.find(from), machines.graph.find(to)).bandwidth;
  };
  CHECK(bandwidth("a.h0.g0", "b.h0.g0") == 1e9);
  CHECK(bandwidth("b.h0.g0", "a.h0.g0") == 2e9);
  CHECK(bandwidth("a.h0.g0", "c.h0.g0") == 1e9);
  const Node cut = Node::list({row({"0", "1 GB/s", "0"}), row({"1 GB/s", "0", "0"}), row({"0", "0", "0"})});
  CHECK(contains(fault_of([&] {
                   (void)fabric("regions",
                                {{"regions", names}, {"bandwidth_matrix", cut}, {"bandwidth", gigabyte}})
                       ->build();
                 }),
                 "leaves no way from region \"a\" to \"c\""));
}

TEST_CASE("what a fabric's options hold reads back to the same network") {
  const Node two = Node::list({word("a"), word("b")});
  const Node rates =
      Node::list({Node::list({whole(0), word("1 GB/s")}), Node::list({word("3 GB/s"), whole(0)})});
  const Node trips =
      Node::list({Node::list({whole(0), word("30 ms")}), Node::list({word("31 ms"), whole(0)})});
  std::vector<std::unique_ptr<FabricBuilder>> fabrics;
  fabrics.push_back(fabric(
      "regions",
      {{"regions", two}, {"bandwidth_matrix", rates}, {"rtt_matrix", trips}, {"bandwidth", gigabyte}}));
  fabrics.push_back(fabric("regions", {{"preset", word("aws_us")}, {"bandwidth", gigabyte}}));
  fabrics.push_back(
      fabric("leaf_spine", {{"radix", whole(4)}, {"bandwidth", gigabyte}, {"uplink", link("3 GB/s")}}));
  fabrics.push_back(fabric("hgx_h100", {{"hosts", whole(2)}}));
  fabrics.push_back(fabric("dgx_1v"));
  for (const auto& first : fabrics) {
    CAPTURE(std::string(first->kind()));
    const auto again = part(fabric_makers(), std::string(first->kind()), stated(*first));
    const NetworkGraph a = first->build().graph, b = again->build().graph;
    REQUIRE(a.links() == b.links());
    for (std::size_t i = 0; i < a.links(); ++i) {
      const LinkId id{static_cast<std::int32_t>(i)};
      CHECK(a.link(id).name == b.link(id).name);
      CHECK(a.link(id).bandwidth == b.link(id).bandwidth);
      CHECK(a.link(id).latency == b.link(id).latency);
      CHECK(a.link(id).sharing == b.link(id).sharing);
    }
  }
}
