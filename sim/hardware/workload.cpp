#include "hardware/workload.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/nearest_word.hpp"
#include "hardware/stand_ins.hpp"

namespace convoy {

std::int64_t Workload::parameter_bytes() const {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(parameters()) * bytes_per_parameter));
}

double Workload::flops(std::int64_t batch, Recompute mode) const {
  if (forward_flops) return 3 * *forward_flops * static_cast<double>(batch);
  const double tokens = static_cast<double>(batch) * static_cast<double>(tokens_per_sample);
  const auto count = static_cast<double>(parameters());
  return (transformer ? flops_per_token(count, *transformer, mode) : 6 * count) * tokens;
}

double Workload::model_flops(std::int64_t batch) const {
  return batch <= 0 ? 0 : flops(batch, Recompute::none);
}

double Workload::activations(std::int64_t samples) const {
  // The transformer's formula is for numbers of two bytes.
  if (transformer) return activation_bytes(*transformer, samples, recompute) * bytes_per_parameter / 2;
  return activation_elements * static_cast<double>(samples) * bytes_per_parameter;
}

ComputeCost Workload::training_cost(std::int64_t batch) const {
  if (batch <= 0) return {};
  const double swept =
      static_cast<double>(parameter_bytes()) - static_cast<double>(table_elements) * bytes_per_parameter;
  const double gathered = gathered_elements * static_cast<double>(batch) * bytes_per_parameter;
  return {.flops = flops(batch, recompute),
          .bytes = 3 * (swept + gathered) + 2 * activations(batch),
          .rows = static_cast<double>(batch) * static_cast<double>(tokens_per_sample)};
}

Workload sparse_workload(std::string name, const SparseTables& tables) {
  Workload load{.name = std::move(name), .tensors = tables.tensors()};
  load.forward_flops = tables.forward_flops();
  load.activation_elements = tables.activation_elements();
  load.table_elements = tables.table_elements();
  load.gathered_elements = tables.gathered_elements();
  return load;
}

void WorkloadOptions::declare(Options& options) {
  options.add("stand_in", stand_in)
      .help("a known model whose time and bytes are charged: " + all_stand_ins());
  options.add("transformer", transformer).help("a transformer from a few numbers, instead of a stand-in");
  options.add("sparse", sparse).help("a model of embedding tables (DLRM), instead of a stand-in");
  options.add("parameters", parameters).at_least(1).help("size of a custom model, instead of a stand-in");
  options.add("bytes_per_parameter", bytes_per_parameter)
      .more_than(0)
      .default_text("4")
      .help("bytes of a parameter on the wire, before any encoding, and in memory");
  options.add("tokens_per_sample", tokens_per_sample)
      .at_least(1)
      .default_text("the stand-in's context, 1 for a custom model")
      .help("tokens that a sample counts for in FLOPs");
  options.add("recompute", recompute, recompute_words())
      .default_text("none")
      .help("what a transformer's backward pass computes again instead of keeping it")
      .source("Korthikanti et al., MLSys 2023");
  options.add("reference_batch", reference_batch)
      .at_least(1)
      .help("samples of the batch that step_time was measured with");
  options.add("step_time", step_time)
      .more_than(0)
      .help("time of one step at speed 1 and the reference batch");
  options.add("fixed_time", fixed_time)
      .at_least(0)
      .help("the part of step_time that does not grow with the batch; needed to charge another batch");
  options.add("memory", memory).help("how replicas keep their state, and their micro-batch");
  options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
    check_model(whole, path, faults);
    check_time(whole, path, faults);
  });
}

void WorkloadOptions::check_model(const Node& whole, const std::string& path, FaultSink& faults) const {
  const auto fault = [&](const char* key, std::string message, std::string allowed = {},
                         std::string hint = {}) {
    const Node* written = whole.find(key);
    faults.add(written != nullptr ? *written : whole, path + "." + key, std::move(message),
               std::move(allowed), std::move(hint));
  };
  const char* first = stand_in ? "stand_in" : transformer ? "transformer" : "sparse";
  const std::pair<const char*, bool> others[] = {
      {"transformer", transformer && stand_in},
      {"sparse", sparse && (stand_in || transformer)},
      {"parameters", parameters && (stand_in || transformer || sparse)}};
  for (const auto& [key, twice] : others) {
    if (twice) fault(key, std::string("either ") + first + " or " + key + " says what is charged, not both");
  }
  if (!states_model() && (bytes_per_parameter || tokens_per_sample)) {
    fault("parameters",
          "bytes_per_parameter and tokens_per_sample describe a model that is charged, and none is written");
  }
  if (transformer && tokens_per_sample)
    fault("tokens_per_sample", "is the transformer's sequence", "transformer.sequence");
  const std::vector<std::string> known = stand_ins();
  if (stand_in && std::find(known.begin(), known.end(), *stand_in) == known.end()) {
    return fault("stand_in", "no stand-in has that name", all_stand_ins(), nearest_hint(*stand_in, known));
  }
  if (recompute && !(states_model() && workload()->transformer)) {
    fault("recompute", "is of transformers only, and none is charged",
          "with \"transformer\", or the stand-in of one");
  }
}

void WorkloadOptions::check_time(const Node& whole, const std::string& path, FaultSink& faults) const {
  const auto fault = [&](const char* key, std::string message) {
    faults.add(whole, path + "." + key, std::move(message));
  };
  if (step_time && !reference_batch)
    fault("reference_batch", "step_time needs the batch it was measured with");
  if (reference_batch && !step_time) fault("step_time", "reference_batch means nothing without step_time");
  if (fixed_time && !step_time) fault("fixed_time", "fixed_time means nothing without step_time");
  if (fixed_time && step_time && *fixed_time > *step_time) {
    fault("fixed_time", "fixed_time is a part of step_time, so at most as long");
  }
}

std::optional<Workload> WorkloadOptions::workload() const {
  if (!states_model()) return std::nullopt;
  Workload load;
  if (stand_in) {
    load = convoy::stand_in(*stand_in, "workload.stand_in");
  } else if (transformer) {
    load.name = "transformer";
    load.tensors = transformer->tensors();
    load.transformer = transformer->shape;
    load.tokens_per_sample = transformer->shape.sequence;
  } else if (sparse) {
    load = sparse_workload("sparse tables", *sparse);
  } else {
    load.name = "custom";
    load.tensors = {matrix_shape("parameters", *parameters, 1)};
  }
  if (bytes_per_parameter) load.bytes_per_parameter = *bytes_per_parameter;
  if (tokens_per_sample) load.tokens_per_sample = *tokens_per_sample;
  if (load.transformer) load.transformer->sequence = load.tokens_per_sample;
  load.recompute = recompute.value_or(Recompute::none);
  return load;
}

std::optional<StatedStepTime> WorkloadOptions::stated() const {
  if (!step_time || !reference_batch) return std::nullopt;
  return StatedStepTime{
      .step_time = *step_time, .reference_batch = *reference_batch, .fixed_time = fixed_time};
}

}  // namespace convoy
