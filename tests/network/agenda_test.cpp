#include "network/agenda.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "core/random.hpp"

using namespace convoy;

TEST_CASE("entries come out by time, then by order, however often they are moved or erased") {
  // Against a plain map from slot to (time, order), over 20,000 random operations.
  Agenda agenda;
  std::map<std::uint32_t, std::pair<std::int64_t, std::uint64_t>> model;
  RandomStream random(1, "agenda test");
  for (int i = 0; i < 20000; ++i) {
    const auto slot = static_cast<std::uint32_t>(random.below(200));
    if (random.below(3) == 0) {
      agenda.erase(slot);
      model.erase(slot);
    } else {
      const auto time = static_cast<std::int64_t>(random.below(50));
      agenda.set({Time::at_nanoseconds(time), slot, slot});
      model[slot] = {time, slot};
    }
    REQUIRE(agenda.size() == model.size());
    REQUIRE(agenda.contains(slot) == model.contains(slot));
    if (model.empty()) continue;
    const auto first = std::min_element(model.begin(), model.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
    REQUIRE(agenda.top().slot == first->first);
    REQUIRE(agenda.top().time.count() == first->second.first);
  }
}
