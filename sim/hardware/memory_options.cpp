#include "hardware/memory_options.hpp"

#include <algorithm>

namespace convoy {

void MemoryOptions::declare(Options& options) {
  options.add("scheme", scheme, memory_plan_words())
      .default_text("the algorithm's")
      .help("what a replica keeps: all of it, ZeRO's shards, or an algorithm's further vectors")
      .source("Rajbhandari et al., SC 2020; arXiv 2406.02613");
  options.add("shards", shards)
      .at_least(1)
      .at_most(1'000'000)
      .default_text("all devices of all workers")
      .help("devices that share what a scheme shards");
  options
      .custom(
          "micro_batch", "integer >= 1, or object of device -> integer >= 1",
          [this](const Node& node, const std::string& path, FaultSink& faults) {
            if (!node.is_object()) {
              std::int64_t value = 0;
              if (read_value(node, path, value, faults, Option().at_least(1))) micro_batch = value;
              return;
            }
            for (const Node::Member& member : node.members) {
              std::int64_t value = 0;
              if (read_value(member.value, member_path(path, member.key), value, faults,
                             Option().at_least(1)))
                micro_batch_of[member.key] = value;
            }
          },
          [this] {
            if (micro_batch) return Node::of(*micro_batch);
            Node node = Node::object();
            for (const auto& [device, samples] : micro_batch_of) node.set(device, Node::of(samples));
            return micro_batch_of.empty() ? Node() : node;
          })
      .default_text("the whole batch")
      .help("samples that are computed at a time; a step accumulates the gradients of its batch");
  const auto bytes_option = [&](const char* key, std::optional<double>& field, const char* text,
                                const char* help) {
    options.add(key, field).at_least(0).default_text(text).help(help);
  };
  bytes_option("weight_bytes", weight_bytes, "as on the wire", "of a parameter in memory");
  bytes_option("gradient_bytes", gradient_bytes, "as on the wire", "of its gradient");
  bytes_option("optimizer_bytes", optimizer_bytes,
               "4 a vector of the optimizer; 4 more below 4 bytes a parameter, a master copy",
               "of its optimizer state");
}

std::int64_t MemoryOptions::micro_batch_on(std::string_view device, std::int64_t batch) const {
  const auto own = micro_batch_of.find(std::string(device));
  const std::int64_t samples = own != micro_batch_of.end() ? own->second : micro_batch.value_or(batch);
  return std::min(samples, batch);
}

StateBytes MemoryOptions::bytes(double bytes_per_parameter, int slots) const {
  const double master = bytes_per_parameter < 4 ? 4 : 0;
  return {.weight = weight_bytes.value_or(bytes_per_parameter),
          .gradient = gradient_bytes.value_or(bytes_per_parameter),
          .optimizer = optimizer_bytes.value_or(master + 4 * slots)};
}

}  // namespace convoy
