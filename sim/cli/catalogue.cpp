#include "cli/catalogue.hpp"

#include <fmt/format.h>

#include <memory>
#include <sstream>
#include <type_traits>

#include "core/units.hpp"
#include "experiment/algorithm_block.hpp"
#include "experiment/experiment_config.hpp"
#include "hardware/catalogue.hpp"
#include "hardware/stand_ins.hpp"
#include "learning/data_set.hpp"
#include "training/mixing_matrix.hpp"
#include "training/mixing_sequence.hpp"
#include "training/physical_network.hpp"

namespace convoy::cli {
namespace {

using Entries = std::vector<CatalogueEntry>;

std::string declared(const std::shared_ptr<const Options>& options) {
  return options->all().empty() ? std::string("no options\n") : describe_options(*options);
}

/// A default instance with its options.
template <class Part>
struct Bound {
  std::unique_ptr<Part> part;
  Options options;
};

template <class Part>
std::shared_ptr<const Options> options_of(std::unique_ptr<Part> part) {
  auto bound = std::make_shared<Bound<Part>>();
  bound->part = std::move(part);
  bound->part->declare(bound->options);
  return {bound, &bound->options};
}

/// Parts that say what they are in one line.
template <class Part>
std::string about_of(const Part& part) {
  if constexpr (requires { part.about(); }) {
    return std::string(part.about());
  } else {
    return {};
  }
}

template <class Part>
void add_parts(Entries& entries, const std::string& category, const VariantMakers<Part>& makers) {
  for (const auto& [kind, maker] : makers) {
    entries.push_back(
        {.category = category, .name = kind, .about = about_of(*maker()), .detail = [make = maker] {
           return declared(options_of(make()));
         }});
  }
}

std::string payload_name(const Stream& stream) {
  switch (stream.payload) {
    case Payload::delta:
      return "delta";
    case Payload::gradient:
      return "gradient";
    case Payload::state:
      return stream.lossy_state_allowed ? "state, may be encoded with loss" : "state";
  }
  return {};
}

/// A title and what follows it, broken between words.
std::string titled(const char* title, const std::string& value) {
  constexpr std::size_t margin = 11, width = 110;
  std::string text, line = fmt::format("{:<{}}", title, margin);
  std::istringstream words(value);
  for (std::string word; words >> word;) {
    if (line.size() + word.size() > width) {
      text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
      line = std::string(margin, ' ');
    }
    line += word + ' ';
  }
  return value.empty() ? std::string() : text + line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
}

/// What an algorithm asks of a mixing matrix.
std::string requirement_text(const MixingRequirement& needs) {
  std::string text = "weights " + needs.name + " (";
  for (const MixingProperty property : needs.every_round) text += fmt::format("{}, ", name_of(property));
  text += needs.connected ? "connected" : "any edges";
  if (needs.lambda_min_above) text += fmt::format(", lambda_min > {:.4g}", *needs.lambda_min_above);
  return text + (needs.may_change ? "), may change from round to round; " : "), the same in every round; ") +
         needs.reason + "; " + needs.source;
}

std::string algorithm_detail(const Registry& registry, const std::string& kind) {
  const auto& maker = registry.algorithms.at(kind);
  const auto algorithm = maker();
  const AlgorithmCard card = algorithm->card();
  std::string text;
  const auto line = [&text](const char* title, const std::string& value) { text += titled(title, value); };
  line("family", card.family);
  line("source", card.source);
  line("certainty", card.certainty);
  line("deployed", card.deployed);
  line("equations", card.equations);
  const auto supplier = registry.supplied_by.find(kind);
  if (supplier != registry.supplied_by.end()) line("plug-in", supplier->second);
  if (algorithm->uses_servers()) line("servers", "yes: the cluster states how long an update takes");
  if (const MixingRequirement* needs = algorithm->graph_requirement())
    line("graph", requirement_text(*needs));
  for (const Stream& stream : algorithm->streams()) {
    line("stream", fmt::format("{} ({})", stream.name, payload_name(stream)));
  }
  return text + "\n" + declared(options_of(std::make_unique<AlgorithmBlock>(kind, maker)));
}

void add_algorithms(Entries& entries, const Registry& registry) {
  for (const auto& entry : registry.algorithms) {
    entries.push_back(
        {.category = "algorithms",
         .name = entry.first,
         .about = entry.second()->card().title,
         .detail = [&registry, kind = entry.first] { return algorithm_detail(registry, kind); }});
  }
}

std::string figure_text(std::string_view name, const Figure& figure, Dimension dimension) {
  return fmt::format("{:<24} {:<14} [{}{}]\n", name, format_quantity(figure.value, dimension), figure.source,
                     figure.certainty == Certainty::verified ? "" : "; general knowledge");
}

std::string device_detail(const DeviceSpec& device) {
  std::string text;
  for (std::size_t i = 0; i < number_formats; ++i) {
    if (!device.peak[i]) continue;
    const std::string name = fmt::format("peak {}", name_of(static_cast<NumberFormat>(i)));
    text += figure_text(name, *device.peak[i], Dimension::flop_rate);
  }
  text += figure_text("memory", device.memory, Dimension::bytes);
  text += figure_text("memory bandwidth", device.memory_bandwidth, Dimension::bandwidth);
  text += figure_text(title_of(device.interconnect), device.interconnect_bandwidth, Dimension::bandwidth);
  if (!device.peer_to_peer) text += "devices of a host reach one another through its memory\n";
  if (device.power) text += figure_text("power", *device.power, Dimension::power);
  if (device.price) text += figure_text("price", *device.price, Dimension::money_rate);
  return text;
}

/// The peak that a training step is charged by, of the formats that the device has.
std::string peak_text(const DeviceSpec& device) {
  for (const NumberFormat format : {NumberFormat::bf16, NumberFormat::fp16, NumberFormat::fp32}) {
    const auto peak = device.peak_flops(format);
    if (peak) return fmt::format("{} {}", name_of(format), format_quantity(*peak, Dimension::flop_rate));
  }
  return "no peak known";
}

void add_links(Entries& entries) {
  for (const LinkKind& link : links()) {
    entries.push_back(
        {.category = "links",
         .name = link.name,
         .about =
             fmt::format("{}, {}: {}", format_quantity(link.effective_bandwidth.value, Dimension::bandwidth),
                         format_quantity(link.latency.value, Dimension::time), link.about),
         .detail = [&link] {
           return figure_text("bandwidth", link.bandwidth, Dimension::bandwidth) +
                  figure_text("effective bandwidth", link.effective_bandwidth, Dimension::bandwidth) +
                  figure_text("latency", link.latency, Dimension::time) +
                  "\none direction; named by \"like\" of a link, which takes the effective bandwidth\n";
         }});
  }
}

void add_devices(Entries& entries) {
  for (const DeviceSpec& device : devices()) {
    entries.push_back({.category = "devices",
                       .name = std::string(device.name),
                       .about = fmt::format("{}, {}{}{}", peak_text(device),
                                            format_quantity(device.memory.value, Dimension::bytes),
                                            device.about.empty() ? "" : "; ", device.about),
                       .detail = [&device] { return device_detail(device); }});
  }
}

void add_data_sets(Entries& entries) {
  for (const DataSetInfo& info : data_set_catalogue()) {
    entries.push_back({.category = "datasets",
                       .name = std::string(info.name),
                       .about = std::string(info.about),
                       .detail = [] { return std::string("named by \"data\" of a task\n"); }});
  }
}

void add_stand_ins(Entries& entries) {
  for (const std::string& name : stand_ins()) {
    const Workload load = stand_in(name);
    entries.push_back(
        {.category = "stand_ins",
         .name = name,
         .about = fmt::format("{} parameters, {} B on the wire, {} tokens a sample", load.parameters(),
                              load.parameter_bytes(), load.tokens_per_sample),
         .detail = [] { return std::string("named by \"stand_in\" of a workload\n"); }});
  }
}

template <Declares Part>
void add_block(Entries& entries, const char* name, const char* about) {
  entries.push_back({.category = "blocks", .name = name, .about = about, .detail = [] {
                       return declared(options_of(std::make_unique<Part>()));
                     }});
}

void add_blocks(Entries& entries, const Registry& registry) {
  entries.push_back(
      {.category = "blocks", .name = "experiment", .about = "a whole file", .detail = [&registry] {
         return declared(options_of(blank_experiment(registry)));
       }});
  add_block<ClusterOptions>(entries, "cluster", "devices, regions, links, servers");
  add_block<RegionOptions>(entries, "region", "one of cluster.regions");
  add_block<ServerOptions>(entries, "servers", "of a cluster");
  add_block<HardwareOptions>(entries, "hardware", "devices of the user's own");
  add_block<DeviceOptions>(entries, "device", "one of cluster.hardware.devices");
  add_block<NetworkConfig>(entries, "network", "of a cluster");
  add_block<Roofline>(entries, "compute", "of a cluster: how long a device takes");
  add_block<TaskOptions>(entries, "task", "data, partition, model, batch size");
  add_block<WorkloadOptions>(entries, "workload", "what a step costs");
  add_block<TransformerOptions>(entries, "transformer", "of a workload: a model from a few numbers");
  add_block<SparseTables>(entries, "sparse_tables", "of a workload, as \"sparse\": embedding tables");
  add_block<MemoryOptions>(entries, "memory", "of a workload or an algorithm: what replicas keep");
  add_block<TrainingOptions>(entries, "training", "inner optimizer, schedule, clipping");
  add_block<TargetOptions>(entries, "target", "what to reach");
  add_block<StopOptions>(entries, "stop", "when a run ends");
  add_block<EvaluateOptions>(entries, "evaluate", "when the deployed model is evaluated");
  add_block<EncodingOptions>(entries, "messages", "encoding of a message stream");
  add_block<StalenessWeight>(entries, "staleness_weight", "weight of a stale contribution");
}

}  // namespace

const std::vector<Category>& categories() {
  static const std::vector<Category> all = {
      {"algorithms", "what races"},
      {"graphs", "communication graphs of decentralized algorithms (also: topologies)"},
      {"fabrics", "physical networks that a cluster's \"fabric\" builds"},
      {"variations", "sources of variation of the step times"},
      {"optimizers", "inner optimizers"},
      {"schedules", "learning-rate schedules"},
      {"compressors", "encodings of message streams"},
      {"models", "what is trained"},
      {"datasets", "what it is trained on"},
      {"partitions", "how data are shared out over workers"},
      {"devices", "accelerators"},
      {"links", "kinds of links, as \"like\" of a link names them"},
      {"stand_ins", "larger models whose time and bytes can be charged"},
      {"blocks", "parts of an experiment's file"},
  };
  return all;
}

std::vector<CatalogueEntry> catalogue(const Registry& registry) {
  Entries entries;
  add_algorithms(entries, registry);
  add_parts(entries, "graphs", registry.graphs);
  add_parts(entries, "fabrics", registry.fabrics);
  add_parts(entries, "variations", variation_makers());
  add_parts(entries, "optimizers", optimizer_makers());
  add_parts(entries, "schedules", schedule_makers());
  add_parts(entries, "compressors", compressor_makers());
  add_parts(entries, "models", model_makers());
  add_data_sets(entries);
  add_parts(entries, "partitions", partition_makers());
  add_devices(entries);
  add_links(entries);
  add_stand_ins(entries);
  add_blocks(entries, registry);
  return entries;
}

}  // namespace convoy::cli
