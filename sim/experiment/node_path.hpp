// Paths into a config, as --set and "sweep" use them:
//
//   /algorithms/halos/local_steps      the item of the list whose "label" is halos, else "name", else "kind"
//   algorithms[0].local_steps          the same with dots and an index; algorithms["halos K=32"] names a
//   label /algorithms/*/local_steps          every item
//
// In the form with slashes, "~1" is a slash inside of a name and "~0" a tilde, as in JSON Pointer (RFC 6901).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/node.hpp"

namespace convoy {

/// A parsed path: one name, index or "*" a step.
class NodePath {
 public:
  struct Step {
    std::string name;          ///< as written, without brackets and quotes
    bool is_index = false;     ///< written as a bare number: an index if the node is a list
    std::size_t index = 0;     ///< valid for an index
    bool is_wildcard = false;  ///< "*" without quotes
  };

  /// Throws ConfigError if it is empty or malformed.
  explicit NodePath(std::string_view text);
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  [[nodiscard]] const std::string& text() const { return text_; }

  /// The nodes it names in `root`, in order; more than one only with "*". Objects on the way that do not
  /// exist are made (a text on the way is taken as the short form of {"kind": text}); a last member that does
  /// not exist is made as null. What is made gets the origin `made`. Throws ConfigError, with the nearest
  /// names, if a step of a list has no or several matches or a node has no members.
  [[nodiscard]] std::vector<Node*> select(Node& root, const Origin& made = {}) const;
  /// Whether select() would succeed, without making anything.
  [[nodiscard]] bool selects(const Node& root) const;

 private:
  std::string text_;
  std::vector<Step> steps_;
};

/// Sets `value` at every node that the path names.
void set_at(Node& root, const NodePath& path, const Node& value, const Origin& made = {});
/// Carries out "PATH=VALUE" of --set. VALUE is taken as JSON if it is that ("16", "[1, 2]", "true"), else as
/// a text ("2 h"). The first "=" that leaves a path that exists separates them, so that a label may hold one.
/// The new nodes' origin is the file name "--set PATH=VALUE". Throws ConfigError.
void apply_override(Node& root, std::string_view assignment);

}  // namespace convoy
