// A variant of HALoS outside the tree: exchanges between regions carry only the largest coordinates of a
// Delta, what was left out is kept for the next one (error feedback), and stale pushes weigh less.
//
//   on the stream local_to_global:  e <- e + Delta;  send C(e) = top-k(e);  e <- e - C(e)
//   every server:                   weight(s) = (1 + s)^-exponent
//
// Load it with `sim run FILE --plugin libhalos_top_k.so`.
#include <stdexcept>

#include "algorithms/hierarchical/halos.hpp"

namespace {

using namespace convoy;

class HalosTopK final : public Halos {
 public:
  HalosTopK() {
    compression_.compressor = compressor_makers().at("top_k")();
    compression_.error_feedback = true;
    weight_.kind = StalenessWeight::Kind::polynomial;
  }

  [[nodiscard]] std::string_view kind() const override { return "halos_top_k"; }

  [[nodiscard]] AlgorithmCard card() const override {
    AlgorithmCard card = Halos::card();
    card.title = "HALoS with sparse exchanges and staleness weights";
    card.source = "this plug-in, after arXiv 2506.04531";
    card.certainty = "an example, no paper";
    return card;
  }

  void declare(Options& options) override {
    Halos::declare(options);
    compression_.compressor->declare(options);  // "density"
    options.add("exponent", weight_.exponent)
        .at_least(0)
        .help("weight of a push s versions old: (1 + s)^-exponent");
  }

  [[nodiscard]] std::map<std::string, const EncodingOptions*> encodings() const override {
    return {{std::string(local_to_global.name), &compression_}};
  }

  [[nodiscard]] std::optional<StalenessWeight> staleness_weight() const override { return weight_; }

 private:
  EncodingOptions compression_;
  StalenessWeight weight_;
};

}  // namespace

/// What `sim --plugin` looks for.
extern "C" void convoy_register(convoy::Registry& registry, int interface_version) {
  if (interface_version != convoy::interface_version) {
    throw std::runtime_error("it was built for interface version " +
                             std::to_string(convoy::interface_version));
  }
  registry.add_algorithm("halos_top_k", [] { return std::make_unique<HalosTopK>(); });
}
