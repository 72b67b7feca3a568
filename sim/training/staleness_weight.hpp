// How much a server trusts a stale contribution: one policy value that every algorithm shares.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/options.hpp"

namespace convoy {

/// Weight of a contribution that is `staleness` versions old.
struct StalenessWeight {
  enum class Kind {
    none,        ///< 1
    polynomial,  ///< (1 + s)^-exponent (FedAsync, Xie et al. 2019; FedBuff uses exponent 1/2)
    inverse,     ///< 1 / max(1, s) (staleness-aware SGD, Zhang et al. 2016)
  };
  Kind kind = Kind::none;
  double exponent = 0.5;

  void declare(Options& options) {
    options
        .add("kind", kind,
             {{"none", Kind::none}, {"polynomial", Kind::polynomial}, {"inverse", Kind::inverse}})
        .help(
            "weight of a contribution s versions old: none 1; polynomial (1+s)^-exponent; inverse 1/max(1,s)")
        .source("arXiv 1903.03934 (polynomial), arXiv 1511.05950 (inverse)");
    options.add("exponent", exponent)
        .at_least(0)
        .help("exponent of the polynomial weight")
        .source("arXiv 2106.06639");
  }

  [[nodiscard]] double operator()(std::int64_t staleness) const {
    const auto s = static_cast<double>(staleness);
    switch (kind) {
      case Kind::none:
        return 1;
      case Kind::polynomial:
        return std::pow(1 + s, -exponent);
      case Kind::inverse:
        return s > 1 ? 1 / s : 1;
    }
    return 1;
  }
};

}  // namespace convoy
