#include "hardware/workload.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"

namespace convoy {

namespace {

TensorShape matrix(std::string name, std::int64_t rows, std::int64_t cols) {
  return {std::move(name), rows, cols, true};
}
TensorShape vector(std::string name, std::int64_t size) {
  return {std::move(name), size, 1, false};
}

void add_norm(std::vector<TensorShape>& tensors, const std::string& name, std::int64_t size) {
  tensors.push_back(vector(name + ".weight", size));
  tensors.push_back(vector(name + ".bias", size));
}

void add_linear(std::vector<TensorShape>& tensors, const std::string& name, std::int64_t out,
                std::int64_t in) {
  tensors.push_back(matrix(name + ".weight", out, in));
  tensors.push_back(vector(name + ".bias", out));
}

/// GPT-NeoX (Black et al. 2022): rotary positions, hence no position table; biases everywhere but in the two
/// embeddings, which are not tied; two layer norms a layer and one at the end.
Workload gpt_neox(std::string name, std::int64_t vocabulary, std::int64_t hidden, int layers,
                  std::int64_t feed_forward, std::int64_t context) {
  Workload load{
      .name = std::move(name), .tensors = {}, .bytes_per_parameter = 4, .tokens_per_sample = context};
  load.tensors.push_back(matrix("embed_in.weight", vocabulary, hidden));
  for (int i = 0; i < layers; ++i) {
    const std::string layer = "layers." + std::to_string(i) + ".";
    add_norm(load.tensors, layer + "input_layernorm", hidden);
    add_norm(load.tensors, layer + "post_attention_layernorm", hidden);
    add_linear(load.tensors, layer + "attention.query_key_value", 3 * hidden, hidden);
    add_linear(load.tensors, layer + "attention.dense", hidden, hidden);
    add_linear(load.tensors, layer + "mlp.dense_h_to_4h", feed_forward, hidden);
    add_linear(load.tensors, layer + "mlp.dense_4h_to_h", hidden, feed_forward);
  }
  add_norm(load.tensors, "final_layer_norm", hidden);
  load.tensors.push_back(matrix("embed_out.weight", vocabulary, hidden));
  return load;
}

/// GPT-2 (Radford et al. 2019): learned positions, output tied to the embedding.
Workload gpt2() {
  constexpr std::int64_t hidden = 768, context = 1024;
  Workload load{.name = "gpt-2", .tensors = {}, .bytes_per_parameter = 4, .tokens_per_sample = context};
  load.tensors.push_back(matrix("wte.weight", 50257, hidden));
  load.tensors.push_back(matrix("wpe.weight", context, hidden));
  for (int i = 0; i < 12; ++i) {
    const std::string layer = "h." + std::to_string(i) + ".";
    add_norm(load.tensors, layer + "ln_1", hidden);
    add_linear(load.tensors, layer + "attn.c_attn", 3 * hidden, hidden);
    add_linear(load.tensors, layer + "attn.c_proj", hidden, hidden);
    add_norm(load.tensors, layer + "ln_2", hidden);
    add_linear(load.tensors, layer + "mlp.c_fc", 4 * hidden, hidden);
    add_linear(load.tensors, layer + "mlp.c_proj", hidden, 4 * hidden);
  }
  add_norm(load.tensors, "ln_f", hidden);
  return load;
}

/// BERT-base (Devlin et al. 2019), uncased, with its pooler and without heads.
Workload bert_base() {
  constexpr std::int64_t hidden = 768, context = 512;
  Workload load{.name = "bert-base", .tensors = {}, .bytes_per_parameter = 4, .tokens_per_sample = context};
  load.tensors.push_back(matrix("embeddings.word.weight", 30522, hidden));
  load.tensors.push_back(matrix("embeddings.position.weight", context, hidden));
  load.tensors.push_back(matrix("embeddings.token_type.weight", 2, hidden));
  add_norm(load.tensors, "embeddings.norm", hidden);
  for (int i = 0; i < 12; ++i) {
    const std::string layer = "layer." + std::to_string(i) + ".";
    for (const char* part : {"query", "key", "value", "output"}) {
      add_linear(load.tensors, layer + "attention." + part, hidden, hidden);
    }
    add_norm(load.tensors, layer + "attention.norm", hidden);
    add_linear(load.tensors, layer + "intermediate", 4 * hidden, hidden);
    add_linear(load.tensors, layer + "output", hidden, 4 * hidden);
    add_norm(load.tensors, layer + "norm", hidden);
  }
  add_linear(load.tensors, "pooler", hidden, hidden);
  return load;
}

/// Llama 2 7B (Touvron et al. 2023): no biases, gated feed-forward, RMS norms, output not tied.
Workload llama2_7b() {
  constexpr std::int64_t hidden = 4096, feed_forward = 11008, vocabulary = 32000;
  Workload load{.name = "llama-2-7b", .tensors = {}, .bytes_per_parameter = 2, .tokens_per_sample = 4096};
  load.tensors.push_back(matrix("embed_tokens.weight", vocabulary, hidden));
  for (int i = 0; i < 32; ++i) {
    const std::string layer = "layers." + std::to_string(i) + ".";
    for (const char* part : {"q_proj", "k_proj", "v_proj", "o_proj"}) {
      load.tensors.push_back(matrix(layer + "self_attn." + part + ".weight", hidden, hidden));
    }
    load.tensors.push_back(matrix(layer + "mlp.gate_proj.weight", feed_forward, hidden));
    load.tensors.push_back(matrix(layer + "mlp.up_proj.weight", feed_forward, hidden));
    load.tensors.push_back(matrix(layer + "mlp.down_proj.weight", hidden, feed_forward));
    load.tensors.push_back(vector(layer + "input_layernorm.weight", hidden));
    load.tensors.push_back(vector(layer + "post_attention_layernorm.weight", hidden));
  }
  load.tensors.push_back(vector("norm.weight", hidden));
  load.tensors.push_back(matrix("lm_head.weight", vocabulary, hidden));
  return load;
}

/// A convolution without bias and its batch norm, over an output of `side` x `side`; two FLOPs a product.
void add_convolution(Workload& load, const std::string& name, std::int64_t out, std::int64_t in,
                     std::int64_t kernel, std::int64_t side) {
  load.tensors.push_back(matrix(name + ".weight", out, in * kernel * kernel));
  load.forward_flops =
      load.forward_flops.value_or(0) + 2 * static_cast<double>(load.tensors.back().elements() * side * side);
  add_norm(load.tensors, name + ".norm", out);
}

/// ResNet-50 (He et al. 2016) on 224 x 224 images, with the stride in the 3 x 3 convolutions (version 1.5).
Workload resnet50() {
  Workload load{.name = "resnet-50", .tensors = {}, .bytes_per_parameter = 4, .tokens_per_sample = 1};
  add_convolution(load, "conv1", 64, 3, 7, 112);
  constexpr std::int64_t blocks[] = {3, 4, 6, 3};
  std::int64_t in = 64, width = 64, side = 56;
  for (const std::int64_t count : blocks) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::string block = "stage" + std::to_string(width / 64) + "." + std::to_string(i) + ".";
      const std::int64_t side_in = i == 0 && width > 64 ? 2 * side : side;
      add_convolution(load, block + "conv1", width, in, 1, side_in);
      add_convolution(load, block + "conv2", width, width, 3, side);
      add_convolution(load, block + "conv3", 4 * width, width, 1, side);
      if (i == 0) add_convolution(load, block + "shortcut", 4 * width, in, 1, side);
      in = 4 * width;
    }
    width *= 2;
    side /= 2;
  }
  add_linear(load.tensors, "fc", 1000, in);
  load.forward_flops = *load.forward_flops + 2.0 * 1000 * static_cast<double>(in);
  return load;
}

struct StandIn {
  std::string_view name;
  Workload (*make)();
};

// Pythia (Biderman et al., ICML 2023): shapes of EleutherAI/pythia-70m; vocabulary padded to 50304, context
// 2048.
constexpr StandIn table[] = {
    {"bert-base", bert_base},
    {"gpt-2", gpt2},
    {"llama-2-7b", llama2_7b},
    {"pythia-70m", [] { return gpt_neox("pythia-70m", 50304, 512, 6, 2048, 2048); }},
    {"resnet-50", resnet50},
};

std::string joined_stand_ins() {
  std::string joined;
  for (const StandIn& entry : table) joined += (joined.empty() ? "" : ", ") + std::string(entry.name);
  return joined;
}

}  // namespace

std::int64_t Workload::parameters() const {
  std::int64_t sum = 0;
  for (const TensorShape& tensor : tensors) sum += tensor.elements();
  return sum;
}

std::int64_t Workload::parameter_bytes() const {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(parameters()) * bytes_per_parameter));
}

ComputeCost Workload::training_cost(std::int64_t batch) const {
  if (batch <= 0) return {};
  const double tokens = static_cast<double>(batch) * static_cast<double>(tokens_per_sample);
  return {.flops = forward_flops ? 3 * *forward_flops * static_cast<double>(batch)
                                 : 6 * static_cast<double>(parameters()) * tokens,
          .bytes = 3.0 * static_cast<double>(parameter_bytes())};
}

std::vector<std::string> stand_ins() {
  std::vector<std::string> names;
  for (const StandIn& entry : table) names.emplace_back(entry.name);
  return names;
}

Workload stand_in(std::string_view name, std::string_view path) {
  for (const StandIn& entry : table) {
    if (entry.name == name) return entry.make();
  }
  ConfigFault fault;
  fault.path = std::string(path);
  fault.message = "no stand-in has that name";
  fault.found = std::string(name);
  fault.allowed = joined_stand_ins();
  if (const std::string nearest = nearest_word(name, stand_ins()); !nearest.empty()) {
    fault.hint = "did you mean \"" + nearest + "\"?";
  }
  throw ConfigError(std::move(fault));
}

void WorkloadOptions::declare(Options& options) {
  options.add("stand_in", stand_in)
      .help("a known model whose time and bytes are charged: " + joined_stand_ins());
  options.add("parameters", parameters).at_least(1).help("size of a custom model, instead of a stand-in");
  options.add("bytes_per_parameter", bytes_per_parameter)
      .more_than(0)
      .default_text("4")
      .help("bytes of a parameter on the wire, before any encoding, and in memory");
  options.add("tokens_per_sample", tokens_per_sample)
      .at_least(1)
      .default_text("the stand-in's context, 1 for a custom model")
      .help("tokens that a sample counts for in FLOPs");
  options.add("reference_batch", reference_batch)
      .at_least(1)
      .help("samples of the batch that step_time was measured with");
  options.add("step_time", step_time)
      .more_than(0)
      .help("time of one step at speed 1 and the reference batch");
  options.add("fixed_time", fixed_time)
      .at_least(0)
      .help("the part of step_time that does not grow with the batch; needed to charge another batch");
  options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
    const auto fault = [&](const char* key, std::string message) {
      faults.add(whole, path + "." + key, std::move(message));
    };
    if (stand_in && parameters)
      fault("parameters", "either stand_in or parameters says what is charged, not both");
    if (step_time && !reference_batch)
      fault("reference_batch", "step_time needs the batch it was measured with");
    if (reference_batch && !step_time) fault("step_time", "reference_batch means nothing without step_time");
    if (fixed_time && !step_time) fault("fixed_time", "fixed_time means nothing without step_time");
    if (fixed_time && step_time && *fixed_time > *step_time) {
      fault("fixed_time", "fixed_time is a part of step_time, so at most as long");
    }
    if (!stand_in && !parameters && (bytes_per_parameter || tokens_per_sample)) {
      fault("parameters",
            "bytes_per_parameter and tokens_per_sample describe a stand_in or a custom number of parameters");
    }
    const std::vector<std::string> known = stand_ins();
    if (stand_in && std::find(known.begin(), known.end(), *stand_in) == known.end()) {
      const Node* written = whole.find("stand_in");
      const std::string nearest = nearest_word(*stand_in, known);
      faults.add(written != nullptr ? *written : whole, path + ".stand_in", "no stand-in has that name",
                 joined_stand_ins(), nearest.empty() ? std::string() : "did you mean \"" + nearest + "\"?");
    }
  });
}

std::optional<Workload> WorkloadOptions::workload() const {
  if (!stand_in && !parameters) return std::nullopt;
  Workload load = stand_in ? convoy::stand_in(*stand_in, "workload.stand_in")
                           : Workload{.name = "custom", .tensors = {matrix("parameters", *parameters, 1)}};
  if (bytes_per_parameter) load.bytes_per_parameter = *bytes_per_parameter;
  if (tokens_per_sample) load.tokens_per_sample = *tokens_per_sample;
  return load;
}

std::optional<StatedStepTime> WorkloadOptions::stated() const {
  if (!step_time || !reference_batch) return std::nullopt;
  return StatedStepTime{
      .step_time = *step_time, .reference_batch = *reference_batch, .fixed_time = fixed_time};
}

}  // namespace convoy
