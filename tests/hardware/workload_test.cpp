#include "hardware/workload.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.hpp"
#include "hardware/stand_ins.hpp"

using namespace convoy;

namespace {

Node object(std::initializer_list<std::pair<const char*, Node>> members) {
  Node node = Node::object();
  for (const auto& [key, value] : members) node.set(key, value);
  return node;
}
Node text(const char* value) {
  return Node::of(std::string(value));
}
Node number(std::int64_t value) {
  return Node::of(value);
}

std::vector<ConfigFault> faults_of(const Node& node) {
  WorkloadOptions options;
  FaultSink faults;
  read_options(node, "workload", options, faults);
  return faults.faults();
}

}  // namespace

TEST_CASE("pythia-70m has the tensors of GPT-NeoX and 281,706,496 bytes") {
  // Two untied embeddings of 50304 x 512 (25,755,648 each); 6 layers of two layer norms (2 x 1,024),
  // attention 1536 x 512 + 1536 and 512 x 512 + 512, feed-forward 2048 x 512 + 2048 and 512 x 2048 + 512,
  // together 3,152,384; a final norm of 1,024: 51,511,296 + 18,914,304 + 1,024 = 70,426,624 parameters, 4
  // bytes each.
  const Workload load = stand_in("pythia-70m");
  CHECK(load.parameters() == 70'426'624);
  CHECK(load.parameter_bytes() == 281'706'496);
  CHECK(load.tokens_per_sample == 2048);
  CHECK(load.tensors.size() == 1 + 6 * 12 + 2 + 1);
  const auto elements = [&](const std::string& prefix) {
    std::int64_t sum = 0;
    for (const TensorShape& tensor : load.tensors)
      sum += tensor.name.starts_with(prefix) ? tensor.elements() : 0;
    return sum;
  };
  CHECK(elements("embed_in") == 25'755'648);
  CHECK(elements("embed_out") == 25'755'648);
  for (int layer = 0; layer < 6; ++layer)
    CHECK(elements("layers." + std::to_string(layer) + ".") == 3'152'384);
  for (const TensorShape& tensor : load.tensors) CHECK(tensor.matrix == (tensor.cols > 1));
}

TEST_CASE("stand-ins have the sizes of the published models") {
  // GPT-2: 50257 x 768 + 1024 x 768 + 12 x 7,087,872 + 1,536 = 124,439,808. BERT-base: 30522 x 768 + 512 x
  // 768 + 2 x 768 + 1,536 + 12 x 7,087,872 + 590,592 = 109,482,240. Llama 2: 2 x 131,072,000 + 32 x (4 x
  // 4096^2 + 3 x 4096 x 11008 + 8,192) + 4,096 = 6,738,415,616, on the wire in 16 bits.
  CHECK(stand_in("gpt-2").parameters() == 124'439'808);
  CHECK(stand_in("gpt-2").tokens_per_sample == 1024);
  CHECK(stand_in("bert-base").parameters() == 109'482'240);
  CHECK(stand_in("bert-base").tokens_per_sample == 512);
  CHECK(stand_in("llama-2-7b").parameters() == 6'738'415'616);
  CHECK(stand_in("llama-2-7b").parameter_bytes() == 13'476'831'232);
  CHECK(stand_in("llama-2-7b").tokens_per_sample == 4096);
  const std::vector<std::string> names = stand_ins();
  CHECK(std::is_sorted(names.begin(), names.end()));
}

TEST_CASE("resnet-50 has 25,557,032 parameters and 4.089 G products a forward pass") {
  // As torchvision counts them (version 1.5): 4,089,184,256 products of a 224 x 224 image, two FLOPs each;
  // backward costs twice the forward pass.
  const Workload load = stand_in("resnet-50");
  CHECK(load.parameters() == 25'557'032);
  CHECK(load.forward_flops == 2 * 4'089'184'256.0);
  CHECK(load.training_cost(32).flops == 3 * 32 * 2 * 4'089'184'256.0);
}

TEST_CASE("training costs six FLOPs a parameter and token, attention, and the traffic of both") {
  // 6 x 70,426,624 + 6 x 6 x 512 x 2048 FLOP a token, 64 x 2048 tokens. Traffic: 3 x 281,706,496 B, and twice
  // the activations, 6 x 2048 x 64 x 512 x (34 + 5 x 8 x 2048 / 512) = 6 x 2048 x 64 x 512 x 194 numbers of
  // two bytes as the formula has it, twice that in float32.
  const Workload load = stand_in("pythia-70m");
  const ComputeCost cost = load.training_cost(64);
  CHECK(cost.flops == (6.0 * 70'426'624 + 6.0 * 6 * 512 * 2048) * 64 * 2048);
  CHECK(load.activations(64) == 2 * 6.0 * 2048 * 64 * 512 * 194);
  CHECK(cost.bytes == 845'119'488 + 2 * load.activations(64));
  CHECK(cost.rows == 64 * 2048);
  CHECK(load.training_cost(0).flops == 0);
}

TEST_CASE("recomputation costs FLOPs, which no utilisation counts, and saves activations") {
  // Full: 4/3 of all; selective: 4/3 of the attention.
  Workload load = stand_in("llama-2-7b");
  const double once = load.model_flops(2), attention = 6.0 * 32 * 4096 * 4096 * 2 * 4096;
  CHECK(std::abs(once - attention - 6.0 * 6'738'415'616 * 2 * 4096) < 1);
  load.recompute = Recompute::full;
  CHECK(std::abs(load.training_cost(2).flops / (once * 4 / 3) - 1) < 1e-12);
  CHECK(load.model_flops(2) == once);
  load.recompute = Recompute::selective;
  CHECK(std::abs(load.training_cost(2).flops / (once + attention / 3) - 1) < 1e-12);
}

TEST_CASE("resnet-50 keeps 22 million numbers of an image") {
  // Twice the 11.11 million outputs of its convolutions (Radosavovic et al. 2020 count 11.1), and the image.
  const Workload load = stand_in("resnet-50");
  CHECK(load.activation_elements > 2 * 11.0e6);
  CHECK(load.activation_elements < 2 * 11.3e6);
  CHECK(load.activations(3) == 3 * 4 * load.activation_elements);
}

TEST_CASE("dlrm has 540 million numbers in tables, of which a sample touches 416") {
  // 33,762,577 rows of 16; 26 x 16 numbers a sample. Dense: 13-512-256-64-16 and (16 + 27 x 26 / 2 =
  // 367)-512-256-1.
  const Workload load = stand_in("dlrm");
  const std::int64_t dense = (13 * 512 + 512) + (512 * 256 + 256) + (256 * 64 + 64) + (64 * 16 + 16) +
                             (367 * 512 + 512) + (512 * 256 + 256) + (256 + 1);
  CHECK(load.parameters() == 540'201'232 + dense);
  CHECK(load.table_elements == 540'201'232);
  const double products = 13 * 512 + 512 * 256 + 256 * 64 + 64 * 16 + 367 * 512 + 512 * 256 + 256;
  CHECK(*load.forward_flops == 2 * products + 2.0 * 351 * 16 + 26 * 16);
  // Memory traffic of a batch: the dense part and 416 numbers a sample, three times; never the tables.
  const double kept = load.activations(128);
  CHECK(load.training_cost(128).bytes == 3 * 4.0 * (static_cast<double>(dense) + 416 * 128) + 2 * kept);
}

TEST_CASE("a workload is a stand-in with a stated step time") {
  WorkloadOptions options;
  FaultSink faults;
  read_options(object({{"stand_in", text("pythia-70m")},
                       {"reference_batch", number(64)},
                       {"step_time", text("238.391 ms")}}),
               "workload", options, faults);
  CHECK(faults.empty());
  REQUIRE(options.workload().has_value());
  CHECK(options.workload()->parameter_bytes() == 281'706'496);
  REQUIRE(options.stated().has_value());
  CHECK(options.stated()->time(64) == Duration::nanoseconds(238'391'000));
}

TEST_CASE("a workload may be a number of parameters") {
  WorkloadOptions options;
  FaultSink faults;
  read_options(object({{"parameters", number(7'000'000'000)},
                       {"bytes_per_parameter", number(2)},
                       {"tokens_per_sample", number(4096)}}),
               "workload", options, faults);
  CHECK(faults.empty());
  const Workload load = options.workload().value();
  CHECK(load.parameters() == 7'000'000'000);
  CHECK(load.parameter_bytes() == 14'000'000'000);
  CHECK(load.tokens_per_sample == 4096);
  CHECK_FALSE(options.stated().has_value());
}

TEST_CASE("nothing written charges the model that trains and states no time") {
  CHECK_FALSE(WorkloadOptions{}.workload().has_value());
  CHECK_FALSE(WorkloadOptions{}.stated().has_value());
}

TEST_CASE("contradictions of a workload are reported each at its key") {
  const auto path_of = [](const Node& node) {
    const std::vector<ConfigFault> faults = faults_of(node);
    return faults.size() == 1 ? faults[0].path : std::to_string(faults.size()) + " faults";
  };
  CHECK(path_of(object({{"stand_in", text("pythia-70m")}, {"parameters", number(5)}})) ==
        "workload.parameters");
  CHECK(path_of(object({{"step_time", text("1 s")}})) == "workload.reference_batch");
  CHECK(path_of(object({{"recompute", text("full")}, {"stand_in", text("resnet-50")}})) ==
        "workload.recompute");
  CHECK(path_of(object({{"recompute", text("full")}})) == "workload.recompute");
  CHECK(path_of(object({{"recompute", text("full")}, {"stand_in", text("gpt-2")}})) == "0 faults");
  CHECK(path_of(object({{"reference_batch", number(4)}})) == "workload.step_time");
  CHECK(path_of(object({{"fixed_time", text("1 s")}})) == "workload.fixed_time");
  CHECK(path_of(object({{"tokens_per_sample", number(4)}})) == "workload.parameters");
  CHECK(path_of(object(
            {{"step_time", text("1 s")}, {"reference_batch", number(4)}, {"fixed_time", text("2 s")}})) ==
        "workload.fixed_time");
  const std::vector<ConfigFault> faults = faults_of(object({{"stand_in", text("pythia-7m")}}));
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].hint.find("pythia-70m") != std::string::npos);
}
