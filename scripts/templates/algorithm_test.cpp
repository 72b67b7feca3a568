#include <doctest/doctest.h>

#include "support/run_json.hpp"

namespace convoy {
namespace {

using test::find;

TEST_CASE("@NAME@ does what @FROM@ does") {
  // It started as a copy, and a digest hashes all that an algorithm sees and the final parameters: equal digests, the same
  // run. Once the two differ, state here what the paper says instead: a closed form, a reduction to @FROM@ at some option's
  // value, or a golden iterate, with its derivation.
  const auto runs = test::run_config_file("@NAME@.json", {"task.path=" CONVOY_SOURCE_DIR "/configs/data/digits"});
  CHECK(find(runs, "@NAME@").steps > 0);
  CHECK(find(runs, "@NAME@").digest == find(runs, "@FROM@").digest);
}

}  // namespace
}  // namespace convoy
