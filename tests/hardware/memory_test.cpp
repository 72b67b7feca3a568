#include "hardware/memory.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "core/error.hpp"
#include "hardware/memory_options.hpp"

using namespace convoy;

TEST_CASE("states of 7.5 B parameters on 64 devices are those of ACCO's table") {
  // K = 12, N = 64, psi = 7.5e9. DDP 120 GB; ZeRO-1 (4 + 12/64) psi = 31.4; ZeRO-2 (2 + 14/64) psi = 16.6;
  // DiLoCo and SlowMo 150; CO2 180; ACCO (6 + 12/64) psi = 46.4. The table prints whole gigabytes, cut off.
  struct Row {
    MemoryPlan plan;
    double printed;
  };
  for (const Row& row : {Row{MemoryPlan::ddp, 120}, Row{MemoryPlan::zero1, 31}, Row{MemoryPlan::zero2, 16},
                         Row{MemoryPlan::diloco, 150}, Row{MemoryPlan::co2, 180},
                         Row{MemoryPlan::slowmo, 150}, Row{MemoryPlan::acco, 46}}) {
    CAPTURE(row.printed);
    CHECK(std::floor(state_bytes(row.plan, 7.5e9, 64) / 1e9) == row.printed);
  }
  CHECK(state_bytes(MemoryPlan::zero3, 7.5e9, 64) == 1.875e9);  // 16/64 psi
}

TEST_CASE("on one device sharding saves nothing") {
  for (const MemoryPlan plan : {MemoryPlan::zero1, MemoryPlan::zero2, MemoryPlan::zero3}) {
    CHECK(state_bytes(plan, 1e9, 1) == state_bytes(MemoryPlan::ddp, 1e9, 1));
  }
}

TEST_CASE("a plan that does not fit is refused, saying by how much") {
  // 7.5 B under DDP are 120 GB of states; an H100 has 0.92 x 80 = 73.6 GB to use: 46.4 GB too much, 56.4 with
  // 10 GB of activations.
  const double states = state_bytes(MemoryPlan::ddp, 7.5e9, 64);
  try {
    require_fit({.states = states, .activations = 10e9}, find_device("H100-SXM"), "workload");
    FAIL("fits");
  } catch (const ConfigError& error) {
    CHECK(error.faults()[0].path == "workload");
    CHECK(error.faults()[0].message.find("by 56.4 GB") != std::string::npos);
    CHECK(error.faults()[0].message.find("120 GB") != std::string::npos);
  }
  CHECK_NOTHROW(require_fit({.states = state_bytes(MemoryPlan::zero1, 7.5e9, 64), .activations = 10e9},
                            find_device("H100-SXM"), "workload"));
}

TEST_CASE("a plan that does not fit is answered with the micro-batch and the ZeRO stage that would") {
  // 1e9 parameters: 16 GB under DDP, 2 + 14/8 = 3.75 GB under ZeRO-2 over 8, 4 + 12/8 = 5.5 under ZeRO-1.
  // With activations of 1 GB a sample and 20 GB to use: DDP leaves room for 4 samples, ZeRO-1 for 14; all 16
  // fit with ZeRO-2 (19.75 GB), so that it is not the first stage that allows more than DDP.
  MemoryDemand demand{.parameters = 1e9,
                      .plan = MemoryPlan::ddp,
                      .shards = 8,
                      .micro_batch = 16,
                      .activations = [](std::int64_t samples) { return 1e9 * static_cast<double>(samples); }};
  CHECK(demand.need().total() == 32e9);
  CHECK(demand.fitting_micro_batch(20e9) == 4);
  CHECK(demand.fitting_micro_batch(40e9) == 16);
  CHECK(demand.fitting_micro_batch(16.5e9) == 0);
  const std::string hint = fitting_hint(demand, 20e9);
  CHECK(hint.find("micro_batch of 4 fits") != std::string::npos);
  CHECK(hint.find("\"zero1\" over 8 devices fits with a micro_batch of 14") != std::string::npos);
  demand.shards = 1;
  CHECK(fitting_hint(demand, 10e9).find("more memory") != std::string::npos);
}

TEST_CASE("bytes a parameter follow from the width of the weights and the optimizer's vectors") {
  // 16-bit weights under Adam: 2 + 2 + (4 + 4 + 4); 32-bit: 4 + 4 + 8; plain SGD keeps nothing but a master
  // copy.
  const MemoryOptions options;
  CHECK(options.bytes(2, 2).optimizer == 12);
  CHECK(options.bytes(4, 2).optimizer == 8);
  CHECK(options.bytes(4, 2).weight == 4);
  CHECK(options.bytes(2, 0).optimizer == 4);
  MemoryOptions stated;
  stated.optimizer_bytes = 2;
  CHECK(stated.bytes(2, 2).optimizer == 2);
}

TEST_CASE("a micro-batch may be stated for each kind of device") {
  Node kinds = Node::object();
  kinds.set("T4", Node::of(std::int64_t{2}));
  Node node = Node::object();
  node.set("micro_batch", kinds);
  MemoryOptions options;
  FaultSink faults;
  read_options(node, "memory", options, faults);
  CHECK(faults.empty());
  CHECK(options.micro_batch_on("T4", 64) == 2);
  CHECK(options.micro_batch_on("T4", 1) == 1);
  CHECK(options.micro_batch_on("L4", 64) == 64);
  kinds.set("T4", Node::of(std::int64_t{0}));
  node.set("micro_batch", kinds);
  read_options(node, "memory", options, faults);
  REQUIRE(faults.faults().size() == 1);
  CHECK(faults.faults()[0].path == "memory.micro_batch.T4");
}
