#include "training/run_options.hpp"

namespace convoy {

void TrainingOptions::declare(Options& options) {
  options.add("optimizer", optimizer, optimizer_makers()).help("inner optimizer of every replica");
  options.add("schedule", schedule, schedule_makers())
      .help("learning-rate schedule of the inner optimizer")
      .default_text("constant");
  options.add("clip", clip)
      .more_than(0)
      .help("largest global norm of a gradient")
      .source("Pascanu et al. 2013");
}

void TargetOptions::declare(Options& options) {
  options.add("metric", metric)
      .required()
      .help("validation_accuracy, validation_loss, train_loss, or a metric that the task reports");
  const auto ladder = [&options](const char* name, std::vector<double>& values, const char* help) {
    options
        .custom(
            name, "number, or a list of numbers (a ladder)",
            [&values](const Node& node, const std::string& path, FaultSink& faults) {
              std::vector<double> read;
              const std::vector<Node> items = node.is_list() ? node.items : std::vector<Node>{node};
              for (std::size_t i = 0; i < items.size(); ++i) {
                const std::string where = node.is_list() ? path + "[" + std::to_string(i) + "]" : path;
                if (!items[i].is_number()) {
                  faults.add(items[i], where, "must be a number");
                } else {
                  read.push_back(items[i].number);
                }
              }
              if (node.is_list() && items.empty())
                faults.add(node, path, "is an empty ladder", "at least one number");
              values = std::move(read);
            },
            [&values] {
              if (values.empty()) return Node();
              Node list = Node::list();
              for (const double value : values) list.items.push_back(Node::of(value));
              return list;
            })
        .help(help);
  };
  ladder("at_least", at_least, "values to reach from below (accuracies)");
  ladder("at_most", at_most, "values to reach from above (losses, distances)");
  options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
    if (at_least.empty() == at_most.empty()) {
      faults.add(whole, path, "needs exactly one of at_least and at_most",
                 "\"at_least\" for accuracies, \"at_most\" for losses");
    }
  });
}

void StopOptions::declare(Options& options) {
  options.add("time", time).more_than(0).help("virtual time, inclusive");
  options.add("local_steps", local_steps)
      .at_least(1)
      .help("local steps reported to the owner of the deployed model");
  options.add("samples", samples).at_least(1).help("samples of those steps");
  options.add("rounds", rounds).at_least(1).help("synchronisations");
  options.add("events", events).at_least(1).help("events of the simulation");
  options.add("no_progress", no_progress)
      .more_than(0)
      .default_text("100 x the longest gap between reports so far")
      .help("a run without a reported step for this virtual time ends as stalled");
}

void EvaluateOptions::declare(Options& options) {
  options.add("from", from).more_than(0).help("first instant of a geometric grid");
  options.add("ratio", ratio).more_than(1).help("ratio of a geometric grid");
  options.add("every", every).more_than(0).help("spacing of a regular grid");
  options.add("every_steps", every_steps)
      .at_least(1)
      .help("reported local steps between evaluations; not with a time target");
  options.add("every_worker", every_worker)
      .help(
          "evaluate each worker's own model as well: least, mean and largest loss and accuracy in the "
          "metrics");
  options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
    const int grids = (from || ratio ? 1 : 0) + (every ? 1 : 0) + (every_steps ? 1 : 0);
    const char* forms =
        "{\"from\": \"20 s\", \"ratio\": 1.02}, {\"every\": \"30 s\"} or {\"every_steps\": 64}";
    if (grids != 1) faults.add(whole, path, grids == 0 ? "names no grid" : "mixes several grids", forms);
    if (from.has_value() != ratio.has_value())
      faults.add(whole, path, "needs from and ratio together", forms);
  });
}

}  // namespace convoy
