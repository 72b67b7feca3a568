// Regions on switches of their own, joined in pairs by wide-area links: a matrix of bandwidths and round-trip
// times, or a published one. A region is a site: its workers are "<region>.h0.g0", ..., and servers attach to
// its switch. A direct link is used even where a detour has less latency, since the numbers are those of the
// direct way.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "topologies/fabric.hpp"
#include "topologies/fabrics.hpp"
#include "topologies/wan_tables.hpp"

namespace convoy {

namespace {

class Regions final : public Fabric {
 public:
  Regions() : Fabric(Routing::fewest_hops) {}
  [[nodiscard]] std::string_view kind() const override { return "regions"; }
  [[nodiscard]] std::string_view about() const override {
    return "regions joined by a matrix of wide-area links";
  }
  void declare(Options& options) override {
    options
        .add("preset", preset_,
             {{"none", WanPreset::none},
              {"aws", WanPreset::aws},
              {"aws_us", WanPreset::aws_us},
              {"halos", WanPreset::halos}})
        .help(
            "published matrix: aws, ten regions, and aws_us, four, measured with one TCP stream; the delays "
            "of that "
            "table are round trips, half of which is charged a way; halos: four regions, no latency")
        .source("DT-FM, NeurIPS 2022, generate_sim_com_matrices.py; HALoS, ICML 2025, env.yaml");
    options.add("regions", regions_)
        .default_text("all of the preset")
        .help("names; with a preset some of its own");
    options.add("hosts_per_region", hosts_)
        .or_single()
        .between(1, 1e5)
        .help("one number for all, or one a region");
    matrix(options, "bandwidth_matrix", bandwidths_, Dimension::bandwidth, "\"0.5 Gbit/s\"")
        .help(
            "without a preset: wide-area bandwidth from row to column, the diagonal is not used; 0: no link");
    matrix(options, "rtt_matrix", round_trips_, Dimension::time, "\"92 ms\"")
        .help("without a preset: round-trip times; half is charged a way");
    declare_link(options);
    declare_hosts(options);
  }

 protected:
  [[nodiscard]] FabricCounts count() const override {
    const std::vector<std::string> names = this->names();
    FabricCounts counts{.switches = static_cast<std::int64_t>(names.size())};
    for (std::size_t r = 0; r < names.size(); ++r) counts.hosts += hosts_of(r, names.size());
    counts.links = counts.hosts + static_cast<std::int64_t>(links(names).size());
    return counts;
  }
  void lay_out(Plan& plan) const override {
    const std::vector<std::string> names = this->names();
    std::vector<NodeId> switches;
    for (std::size_t r = 0; r < names.size(); ++r) {
      switches.push_back(plan.add_switch(names[r], names[r]));
      // Hosts are numbered anew in each region.
      plan.devices.clear();
      for (std::int64_t i = 0; i < hosts_of(r, names.size()); ++i) {
        plan.join(add_host(plan, names[r], names[r] + "."), switches.back(), link());
      }
      set_site(plan, switches.back(), names[r]);
    }
    for (const WanEntry& entry : links(names)) {
      plan.machines.graph.add_link(
          switches[entry.from], switches[entry.to],
          LinkSpec{.bandwidth = entry.bandwidth,
                   .latency = entry.latency,
                   .sharing = entry.both_ways ? Sharing::full_duplex : Sharing::one_way,
                   .name = {}});
    }
  }

 private:
  struct WanEntry {
    std::size_t from = 0, to = 0;
    double bandwidth = 0;
    Duration latency;
    bool both_ways = true;
  };

  /// Of a round trip in seconds.
  static Duration half(double round_trip) { return Duration::seconds(round_trip / 2); }
  static Option& matrix(Options& options, const char* name, std::vector<std::vector<double>>& field,
                        Dimension dimension, const char* example) {
    return options.custom(
        name, fmt::format("list of rows of quantities, e.g. [[0, {0}], [{0}, 0]]", example),
        [&field, dimension](const Node& node, const std::string& path, FaultSink& faults) {
          if (!node.is_list()) return faults.add(node, path, "must be a list of rows");
          for (std::size_t i = 0; i < node.items.size(); ++i) {
            const Node& row = node.items[i];
            if (!row.is_list()) {
              faults.add(row, item_path(path, i), "must be a list of quantities");
              continue;
            }
            std::vector<double>& values = field.emplace_back();
            for (std::size_t j = 0; j < row.items.size(); ++j) {
              values.push_back(0);
              const bool zero = row.items[j].kind == Node::Kind::integer && row.items[j].integer == 0;
              if (!zero) {
                (void)read_value(row.items[j], item_path(item_path(path, i), j), values.back(), dimension,
                                 faults, Option().at_least(0));
              }
            }
          }
        },
        [&field, dimension] {
          Node rows = Node::list();
          for (const std::vector<double>& row : field) {
            Node values = Node::list();
            for (const double value : row) values.items.push_back(Node::of(format_exact(value, dimension)));
            rows.items.push_back(std::move(values));
          }
          return rows.items.empty() ? Node() : rows;
        });
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names = regions_;
    const std::vector<std::string> known = wan_regions(preset_);
    if (names.empty()) names = known;
    if (names.empty()) refuse_fabric("regions", "is missing", "names of regions, or a preset");
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (std::count(names.begin(), names.end(), names[i]) > 1) {
        refuse_fabric(item_path("regions", i), "repeats the region name \"" + names[i] + "\"");
      }
      if (preset_ == WanPreset::none || std::find(known.begin(), known.end(), names[i]) != known.end())
        continue;
      const std::string near = nearest_word(names[i], known);
      refuse_fabric(item_path("regions", i), "the preset has no region \"" + names[i] + "\"",
                    fmt::format("{}", fmt::join(known, ", ")),
                    near.empty() ? std::string() : "did you mean \"" + near + "\"?");
    }
    return names;
  }
  [[nodiscard]] std::int64_t hosts_of(std::size_t region, std::size_t regions) const {
    if (hosts_.size() != 1 && hosts_.size() != regions) {
      refuse_fabric("hosts_per_region", fmt::format("has {} entries for {} regions", hosts_.size(), regions),
                    "one number for all, or one a region");
    }
    return hosts_[hosts_.size() == 1 ? 0 : region];
  }
  [[nodiscard]] std::vector<WanEntry> links(const std::vector<std::string>& names) const {
    std::vector<WanEntry> links;
    if (preset_ != WanPreset::none) {
      if (!bandwidths_.empty() || !round_trips_.empty()) {
        refuse_fabric("preset", "states the matrices, and they are written too", "one of them");
      }
      for (std::size_t i = 0; i < names.size(); ++i) {
        for (std::size_t j = i + 1; j < names.size(); ++j) {
          const WanPair pair = wan_pair(preset_, names[i], names[j]);
          links.push_back({i, j, pair.bandwidth, half(pair.round_trip.to_seconds()), true});
        }
      }
      return links;
    }
    check_square("bandwidth_matrix", bandwidths_, names.size(), names.size() > 1);
    check_square("rtt_matrix", round_trips_, names.size(), false);
    const auto latency = [&](std::size_t i, std::size_t j) {
      return round_trips_.empty() ? Duration::zero() : half(round_trips_[i][j]);
    };
    for (std::size_t i = 0; i < names.size(); ++i) {
      for (std::size_t j = i + 1; j < names.size(); ++j) {
        const double there = bandwidths_[i][j], back = bandwidths_[j][i];
        if (there == back && latency(i, j) == latency(j, i)) {
          if (there > 0) links.push_back({i, j, there, latency(i, j), true});
          continue;
        }
        if (there > 0) links.push_back({i, j, there, latency(i, j), false});
        if (back > 0) links.push_back({j, i, back, latency(j, i), false});
      }
    }
    check_connected(names, links);
    return links;
  }
  static void check_square(const char* option, const std::vector<std::vector<double>>& rows, std::size_t size,
                           bool needed) {
    if (rows.empty() && !needed) return;
    if (rows.empty()) refuse_fabric(option, "is missing", "a row of bandwidths for each region, or a preset");
    if (rows.size() != size) {
      refuse_fabric(option, fmt::format("has {} rows for {} regions", rows.size(), size));
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].size() == size) continue;
      refuse_fabric(item_path(option, i), fmt::format("has {} entries for {} regions", rows[i].size(), size));
    }
  }
  static void check_connected(const std::vector<std::string>& names, const std::vector<WanEntry>& links) {
    for (const bool outwards : {true, false}) {
      std::vector<bool> seen(names.size(), false);
      seen[0] = true;
      for (bool grew = true; grew;) {
        grew = false;
        for (const WanEntry& link : links) {
          const std::size_t from = outwards ? link.from : link.to, to = outwards ? link.to : link.from;
          for (const auto& [a, b] : {std::pair(from, to), std::pair(to, from)}) {
            if ((a == from || link.both_ways) && seen[a] && !seen[b]) seen[b] = grew = true;
          }
        }
      }
      for (std::size_t r = 0; r < names.size(); ++r) {
        if (seen[r]) continue;
        refuse_fabric("bandwidth_matrix", fmt::format("leaves no way from region \"{}\" to \"{}\"",
                                                      names[outwards ? 0 : r], names[outwards ? r : 0]));
      }
    }
  }

  WanPreset preset_ = WanPreset::none;
  std::vector<std::string> regions_;
  std::vector<std::int64_t> hosts_{1};
  std::vector<std::vector<double>> bandwidths_, round_trips_;
};

}  // namespace

std::unique_ptr<FabricBuilder> make_regions() {
  return std::make_unique<Regions>();
}

}  // namespace convoy
