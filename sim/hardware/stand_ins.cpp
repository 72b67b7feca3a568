#include "hardware/stand_ins.hpp"

#include "core/error.hpp"
#include "core/nearest_word.hpp"

namespace convoy {

namespace {

void add_norm(std::vector<TensorShape>& tensors, const std::string& name, std::int64_t size) {
  tensors.push_back(vector_shape(name + ".weight", size));
  tensors.push_back(vector_shape(name + ".bias", size));
}

void add_linear(std::vector<TensorShape>& tensors, const std::string& name, std::int64_t out,
                std::int64_t in) {
  tensors.push_back(matrix_shape(name + ".weight", out, in));
  tensors.push_back(vector_shape(name + ".bias", out));
}

/// GPT-NeoX (Black et al. 2022): rotary positions, hence no position table; biases everywhere but in the two
/// embeddings, which are not tied; two layer norms a layer and one at the end.
Workload gpt_neox(std::string name, std::int64_t vocabulary, std::int64_t hidden, int layers,
                  std::int64_t heads, std::int64_t context) {
  Workload load{.name = std::move(name), .tensors = {}, .tokens_per_sample = context};
  load.transformer = TransformerShape{.layers = layers, .width = hidden, .heads = heads, .sequence = context};
  load.tensors.push_back(matrix_shape("embed_in.weight", vocabulary, hidden));
  for (int i = 0; i < layers; ++i) {
    const std::string layer = "layers." + std::to_string(i) + ".";
    add_norm(load.tensors, layer + "input_layernorm", hidden);
    add_norm(load.tensors, layer + "post_attention_layernorm", hidden);
    add_linear(load.tensors, layer + "attention.query_key_value", 3 * hidden, hidden);
    add_linear(load.tensors, layer + "attention.dense", hidden, hidden);
    add_linear(load.tensors, layer + "mlp.dense_h_to_4h", 4 * hidden, hidden);
    add_linear(load.tensors, layer + "mlp.dense_4h_to_h", hidden, 4 * hidden);
  }
  add_norm(load.tensors, "final_layer_norm", hidden);
  load.tensors.push_back(matrix_shape("embed_out.weight", vocabulary, hidden));
  return load;
}

/// GPT-2 (Radford et al. 2019): learned positions, output tied to the embedding.
Workload gpt2() {
  constexpr std::int64_t hidden = 768, context = 1024;
  Workload load{.name = "gpt-2", .tensors = {}, .tokens_per_sample = context};
  load.transformer = TransformerShape{.layers = 12, .width = hidden, .heads = 12, .sequence = context};
  load.tensors.push_back(matrix_shape("wte.weight", 50257, hidden));
  load.tensors.push_back(matrix_shape("wpe.weight", context, hidden));
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
  Workload load{.name = "bert-base", .tensors = {}, .tokens_per_sample = context};
  load.transformer =
      TransformerShape{.layers = 12, .width = hidden, .heads = 12, .sequence = context, .causal = false};
  load.tensors.push_back(matrix_shape("embeddings.word.weight", 30522, hidden));
  load.tensors.push_back(matrix_shape("embeddings.position.weight", context, hidden));
  load.tensors.push_back(matrix_shape("embeddings.token_type.weight", 2, hidden));
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
  load.transformer = TransformerShape{.layers = 32, .width = hidden, .heads = 32, .sequence = 4096};
  load.tensors.push_back(matrix_shape("embed_tokens.weight", vocabulary, hidden));
  for (int i = 0; i < 32; ++i) {
    const std::string layer = "layers." + std::to_string(i) + ".";
    for (const char* part : {"q_proj", "k_proj", "v_proj", "o_proj"}) {
      load.tensors.push_back(matrix_shape(layer + "self_attn." + part + ".weight", hidden, hidden));
    }
    load.tensors.push_back(matrix_shape(layer + "mlp.gate_proj.weight", feed_forward, hidden));
    load.tensors.push_back(matrix_shape(layer + "mlp.up_proj.weight", feed_forward, hidden));
    load.tensors.push_back(matrix_shape(layer + "mlp.down_proj.weight", hidden, feed_forward));
    load.tensors.push_back(vector_shape(layer + "input_layernorm.weight", hidden));
    load.tensors.push_back(vector_shape(layer + "post_attention_layernorm.weight", hidden));
  }
  load.tensors.push_back(vector_shape("norm.weight", hidden));
  load.tensors.push_back(matrix_shape("lm_head.weight", vocabulary, hidden));
  return load;
}

/// A convolution without bias and its batch norm, over an output of `side` x `side`; two FLOPs a product. The
/// backward pass needs what the norm takes and what it gives.
void add_convolution(Workload& load, const std::string& name, std::int64_t out, std::int64_t in,
                     std::int64_t kernel, std::int64_t side) {
  load.tensors.push_back(matrix_shape(name + ".weight", out, in * kernel * kernel));
  load.forward_flops =
      load.forward_flops.value_or(0) + 2 * static_cast<double>(load.tensors.back().elements() * side * side);
  load.activation_elements += 2 * static_cast<double>(out * side * side);
  add_norm(load.tensors, name + ".norm", out);
}

/// ResNet-50 (He et al. 2016) on 224 x 224 images, with the stride in the 3 x 3 convolutions (version 1.5).
Workload resnet50() {
  Workload load{.name = "resnet-50", .tensors = {}};
  load.activation_elements = 3.0 * 224 * 224;  // the image
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

/// DLRM (Naumov et al. 2019) in its published configuration for the Criteo Kaggle data: rows of the 26 tables
/// by size, width 16.
Workload dlrm() {
  SparseTables tables;
  tables.rows = {3,     4,      10,     15,      18,      24,      27,      105,     305,
                 583,   633,    1460,   2173,    3194,    5652,    5683,    12517,   14992,
                 93145, 142572, 286181, 2202608, 5461306, 7046547, 8351593, 10131227};
  tables.width = 16;
  tables.dense_features = 13;
  tables.bottom = {512, 256, 64, 16};
  tables.top = {512, 256, 1};
  return sparse_workload("dlrm", tables);
}

struct StandIn {
  std::string_view name;
  Workload (*make)();
};

// Pythia (Biderman et al., ICML 2023): shapes of EleutherAI/pythia-70m; vocabulary padded to 50304, context
// 2048.
constexpr StandIn table[] = {
    {"bert-base", bert_base},
    {"dlrm", dlrm},
    {"gpt-2", gpt2},
    {"llama-2-7b", llama2_7b},
    {"pythia-70m", [] { return gpt_neox("pythia-70m", 50304, 512, 6, 8, 2048); }},
    {"resnet-50", resnet50},
};

}  // namespace

std::string all_stand_ins() {
  std::string joined;
  for (const StandIn& entry : table) joined += (joined.empty() ? "" : ", ") + std::string(entry.name);
  return joined;
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
  fault.allowed = all_stand_ins();
  if (const std::string nearest = nearest_word(name, stand_ins()); !nearest.empty()) {
    fault.hint = "did you mean \"" + nearest + "\"?";
  }
  throw ConfigError(std::move(fault));
}

}  // namespace convoy
