#include "hardware/memory.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "core/error.hpp"

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

TEST_CASE("activations and FLOPs of a transformer follow from its shape") {
  // GPT-3's layer at 2048 tokens (h = 12288, a = 96): s b h (34 + 5 a s / h) = 2048 x 12288 x 114 = 2.869e9
  // B; 96 layers.
  const TransformerShape gpt3{.layers = 96, .width = 12288, .heads = 96, .sequence = 2048};
  CHECK(activation_bytes(gpt3, 1) == 96.0 * 2048 * 12288 * 114);
  CHECK(activation_bytes(gpt3, 3) == 3 * activation_bytes(gpt3, 1));
  CHECK(activation_bytes(gpt3, 1, Recompute::full) == 96.0 * 2 * 2048 * 12288 + 2048.0 * 12288 * 114);
  // 6 x 175e9 + 6 x 96 x 12288 x 2048 = 1.05e12 + 1.4496e10; with recomputation 8 N and a third more
  // attention.
  CHECK(flops_per_token(175e9, gpt3) == 6 * 175e9 + 6.0 * 96 * 12288 * 2048);
  CHECK(flops_per_token(175e9, gpt3, false) == 6 * 175e9 + 12.0 * 96 * 12288 * 2048);
  CHECK(std::abs(flops_per_token(175e9, TransformerShape{}, true, Recompute::full) / (8 * 175e9) - 1) <
        1e-12);
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
