#include "experiment/algorithm_block.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

namespace convoy {

AlgorithmBlock::AlgorithmBlock(std::string kind, Maker maker)
    : kind_(std::move(kind)), maker_(std::move(maker)), algorithm_(maker_()) {
  shared_.label = kind_;
}

std::unique_ptr<Algorithm> AlgorithmBlock::make() const {
  Options present;
  algorithm_->declare(present);
  std::unique_ptr<Algorithm> result = maker_();
  Options options;
  result->declare(options);
  FaultSink faults;
  read_options(present.values(), kind_, options, faults);
  if (!faults.empty()) {
    throw std::logic_error("options of " + kind_ +
                           " do not read back: " + faults.faults().front().to_string());
  }
  return result;
}

void AlgorithmBlock::declare(Options& options) {
  algorithm_->declare(options);
  options.add("label", shared_.label)
      .help("name in tables and results; has to be unique")
      .default_text("the kind");
  options.add("optimizer", shared_.training.optimizer, optimizer_makers())
      .help("inner optimizer, instead of the training block's")
      .default_text("training.optimizer");
  options.add("schedule", shared_.training.schedule, schedule_makers())
      .help("learning-rate schedule, instead of the training block's")
      .default_text("training.schedule");
  options.add("clip", shared_.training.clip)
      .more_than(0)
      .help("largest global norm of a gradient, instead of the training block's; null: no clipping")
      .default_text("training.clip");
  options.add("messages", shared_.messages).help("encodings, by message stream");
  options.add("staleness_weight", shared_.staleness_weight)
      .help("weight of a stale contribution at every server");
  options.add("memory", shared_.memory)
      .default_text("workload.memory")
      .help("how its replicas keep their state, and their micro-batch");
  options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
    writes_clip_ = whole.find("clip") != nullptr;
    writes_staleness_weight_ = whole.find("staleness_weight") != nullptr;
    if (shared_.label.empty()) faults.add(whole, member_path(path, "label"), "must not be empty");
  });
}

Node AlgorithmBlock::values() const {
  Options options;
  algorithm_->declare(options);
  Node result = Node::object();
  result.set("kind", Node::of(kind_));
  for (Node::Member& member : options.values().members) result.set(member.key, std::move(member.value));
  // Options bind to fields that may be written; here they are only read.
  auto& shared = const_cast<SharedAlgorithmOptions&>(shared_);
  Options common;
  common.add("messages", shared.messages);
  StalenessWeight weight = staleness_weight();
  common.add("staleness_weight", weight);
  if (shared.memory) common.add("memory", shared.memory);
  for (Node::Member& member : common.values().members) result.set(member.key, std::move(member.value));
  return result;
}

StalenessWeight AlgorithmBlock::staleness_weight() const {
  if (writes_staleness_weight_) return shared_.staleness_weight;
  return algorithm_->staleness_weight().value_or(shared_.staleness_weight);
}

void AlgorithmBlock::check_messages(const Node& block, const std::string& path, FaultSink& faults) const {
  const Node* messages = block.find("messages");
  if (messages == nullptr || !messages->is_object()) return;
  const std::vector<Stream> streams = algorithm_->streams();
  std::vector<std::string> names;
  for (const Stream& stream : streams) names.emplace_back(stream.name);
  for (const Node::Member& member : messages->members) {
    const std::string where = member_path(member_path(path, "messages"), member.key);
    const auto stream =
        std::find_if(streams.begin(), streams.end(), [&](const Stream& s) { return s.name == member.key; });
    if (stream == streams.end()) {
      Node key = Node::of(member.key);
      key.origin = member.key_origin;
      faults.add(key, where, fmt::format("{} has no message stream {}", kind_, in_quotes(member.key)),
                 fmt::format("its streams {}", fmt::join(names, ", ")), nearest_hint(member.key, names));
      continue;
    }
    const auto encoding = shared_.messages.find(member.key);
    if (encoding == shared_.messages.end() || encoding->second.compressor == nullptr) continue;
    if (encoding->second.compressor->lossy() && stream->payload == Payload::state &&
        !stream->lossy_state_allowed) {
      faults.add(member.value, where,
                 fmt::format("the stream carries a state, which the lossy {} would damage for good",
                             encoding->second.compressor->kind()),
                 "a lossless encoding", "encode a stream of deltas or gradients instead");
    }
  }
}

VariantMakers<AlgorithmBlock> algorithm_block_makers(const Registry& registry) {
  VariantMakers<AlgorithmBlock> makers;
  for (const auto& entry : registry.algorithms) {
    makers.emplace(entry.first, [kind = entry.first, maker = entry.second] {
      return std::make_unique<AlgorithmBlock>(kind, maker);
    });
  }
  return makers;
}

EffectiveTraining effective_training(const TrainingOptions& common, const AlgorithmBlock& block) {
  const TrainingOptions& own = block.shared().training;
  return {.optimizer = own.optimizer ? own.optimizer.get() : common.optimizer.get(),
          .schedule = own.schedule ? own.schedule.get() : common.schedule.get(),
          .clip = block.writes_clip() ? own.clip : common.clip};
}

}  // namespace convoy
