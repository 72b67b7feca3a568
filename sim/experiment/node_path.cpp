#include "experiment/node_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.hpp"
#include "core/nearest_word.hpp"
#include "experiment/json_reader.hpp"

namespace convoy {

namespace {

[[noreturn]] void refuse(std::string path, std::string message, std::string allowed = {},
                         std::string hint = {}) {
  throw ConfigError(ConfigFault{.path = std::move(path),
                                .message = std::move(message),
                                .found = {},
                                .allowed = std::move(allowed),
                                .hint = std::move(hint),
                                .file = {}});
}

NodePath::Step step_of(std::string name) {
  NodePath::Step step;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, step.index);
  step.is_index = !name.empty() && error == std::errc() && stop == end;
  step.is_wildcard = name == "*";
  step.name = std::move(name);
  return step;
}

std::vector<NodePath::Step> split_slashes(std::string_view text) {
  std::vector<NodePath::Step> steps;
  std::string name;
  for (std::size_t at = 1; at <= text.size(); ++at) {
    if (at == text.size() || text[at] == '/') {
      if (name.empty()) refuse({}, fmt::format("the path {} has an empty step", in_quotes(text)));
      steps.push_back(step_of(std::exchange(name, {})));
    } else if (text[at] == '~' && at + 1 < text.size() && (text[at + 1] == '0' || text[at + 1] == '1')) {
      name += text[++at] == '0' ? '~' : '/';
    } else {
      name += text[at];
    }
  }
  return steps;
}

/// The step in brackets at `at`, which moves behind the closing bracket.
NodePath::Step bracketed(std::string_view text, std::size_t& at) {
  const bool in_quotes_too = at + 1 < text.size() && text[at + 1] == '"';
  const std::string_view closing = in_quotes_too ? "\"]" : "]";
  const std::size_t first = at + (in_quotes_too ? 2 : 1);
  const std::size_t close = text.find(closing, first);
  if (close == std::string_view::npos) {
    refuse({}, fmt::format("a bracket of the path {} is not closed", in_quotes(text)), {},
           "write name[0] or name[\"label\"]");
  }
  std::string name(text.substr(first, close - first));
  if (name.empty()) refuse({}, fmt::format("the path {} has an empty step", in_quotes(text)));
  at = close + closing.size();
  NodePath::Step step;
  if (!in_quotes_too) return step_of(std::move(name));
  step.name = std::move(name);
  return step;
}

std::vector<NodePath::Step> split_dots(std::string_view text) {
  std::vector<NodePath::Step> steps;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '[') {
      steps.push_back(bracketed(text, at));
    } else {
      const std::size_t end = std::min(text.find_first_of(".[", at), text.size());
      if (end == at) refuse({}, fmt::format("the path {} has an empty step", in_quotes(text)));
      steps.push_back(step_of(std::string(text.substr(at, end - at))));
      at = end;
    }
    if (at < text.size() && text[at] == '.') {
      if (++at == text.size()) refuse({}, fmt::format("the path {} ends in a dot", in_quotes(text)));
    }
  }
  return steps;
}

/// What a list's item is called: its label, its kind, or itself if it is the short form of a kind.
std::string_view text_member(const Node& item, std::string_view key) {
  const Node* member = item.find(key);
  if (member != nullptr && member->is_text()) return member->text;
  return key == "kind" && item.is_text() ? std::string_view(item.text) : std::string_view();
}

/// A text that names a file has no members until the file has been read.
bool is_file_name(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".json") || text.ends_with(".jsonc");
}

/// Walks a path. What is missing is made with the origin `made`; without one it is only found to be possible.
class Selection {
 public:
  Selection(const NodePath& path, const Origin* made) : path_(path), made_(made) {}

  std::vector<Node*> from(Node& root) {
    visit(root, 0, {});
    if (found_.empty() && made_ != nullptr)
      refuse({}, fmt::format("nothing matches {}", in_quotes(path_.text())));
    return found_;
  }

 private:
  void visit(Node& node, std::size_t at, const std::string& path) {
    if (at == path_.steps().size()) return found_.push_back(&node);
    const NodePath::Step& step = path_.steps()[at];
    if (node.is_list()) return visit_list(node, step, at, path);
    if (step.is_wildcard) return visit_members(node, at, path);
    if (Node* member = node.find(step.name)) return visit(*member, at + 1, member_path(path, step.name));
    if (node.is_text() && !is_file_name(node.text)) {
      if (made_ != nullptr) {
        Node object = Node::object();
        object.origin = node.origin;
        object.set("kind", node);
        node = std::move(object);
      }
    } else if (!node.is_object() && !node.is_null()) {
      refuse(path, fmt::format("{} has no member {}", node.describe(), in_quotes(step.name)), {},
             node.is_text() ? "override it in that file" : "");
    }
    make_member(node, step, at, path);
  }

  void make_member(Node& node, const NodePath::Step& step, std::size_t at, const std::string& path) {
    const auto& steps = path_.steps();
    const bool possible = std::none_of(steps.begin() + static_cast<std::ptrdiff_t>(at), steps.end(),
                                       [](const NodePath::Step& s) { return s.is_index || s.is_wildcard; });
    if (!possible) {
      std::vector<std::string> names;
      for (const Node::Member& member : node.members) names.push_back(member.key);
      refuse(member_path(path, step.name), "there is no such member", names.empty() ? "" : joined(names),
             nearest_hint(step.name, names));
    }
    if (made_ == nullptr) return;
    if (!node.is_object()) {
      const Origin origin = node.origin;
      node = Node::object();
      node.origin = origin;
    }
    Node member;
    member.origin = *made_;
    visit(node.set(step.name, std::move(member)), at + 1, member_path(path, step.name));
  }

  void visit_members(Node& node, std::size_t at, const std::string& path) {
    for (Node::Member& member : node.members) visit(member.value, at + 1, member_path(path, member.key));
  }

  void visit_list(Node& node, const NodePath::Step& step, std::size_t at, const std::string& path) {
    if (step.is_wildcard) {
      for (std::size_t i = 0; i < node.items.size(); ++i) visit(node.items[i], at + 1, item_path(path, i));
      return;
    }
    for (const std::string_view key : {"label", "name", "kind"}) {
      std::vector<std::size_t> matches;
      for (std::size_t i = 0; i < node.items.size(); ++i) {
        if (text_member(node.items[i], key) == step.name) matches.push_back(i);
      }
      if (matches.size() > 1) refuse_several(path, step, matches);
      if (matches.size() == 1) return visit(node.items[matches[0]], at + 1, item_path(path, matches[0]));
    }
    if (!step.is_index) refuse_none(node, path, step);
    if (step.index >= node.items.size()) {
      refuse(path, fmt::format("there is no item [{}] in a list of {}", step.index, node.items.size()), {},
             node.items.empty() ? "" : fmt::format("the last is [{}]", node.items.size() - 1));
    }
    visit(node.items[step.index], at + 1, item_path(path, step.index));
  }

  [[noreturn]] static void refuse_several(const std::string& path, const NodePath::Step& step,
                                          const std::vector<std::size_t>& matches) {
    std::string which;
    for (const std::size_t index : matches) which += fmt::format("{}[{}]", which.empty() ? "" : ", ", index);
    refuse(path, fmt::format("{} items match {}: {}", matches.size(), in_quotes(step.name), which), {},
           "give the index or a label, or * for all of them");
  }

  [[noreturn]] static void refuse_none(const Node& node, const std::string& path,
                                       const NodePath::Step& step) {
    std::vector<std::string> names;
    for (const Node& item : node.items) {
      for (const std::string_view key : {"label", "name", "kind"}) {
        const std::string name(text_member(item, key));
        if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
          names.push_back(name);
      }
    }
    refuse(path, fmt::format("no item has the label, name or kind {}", in_quotes(step.name)),
           names.empty() ? fmt::format("an index below {}", node.items.size()) : joined(names),
           nearest_hint(step.name, names));
  }

  static std::string joined(const std::vector<std::string>& names) {
    constexpr std::size_t most = 20;
    std::string result;
    for (std::size_t i = 0; i < names.size() && i < most; ++i) result += (i == 0 ? "" : ", ") + names[i];
    return names.size() > most ? result + ", ..." : result;
  }

  const NodePath& path_;
  const Origin* made_;
  std::vector<Node*> found_;
};

void set_origin(Node& node, const Origin& origin) {
  node.origin = origin;
  for (Node& item : node.items) set_origin(item, origin);
  for (Node::Member& member : node.members) {
    member.key_origin = origin;
    set_origin(member.value, origin);
  }
}

Node parse_value(std::string_view text, const std::string& name) {
  const std::size_t first = text.find_first_not_of(" \t");
  const bool means_json =
      first != std::string_view::npos && std::string_view("[{\"").find(text[first]) != text.npos;
  try {
    return read_json_text(text, name);
  } catch (const ConfigError&) {
    if (means_json) throw;
    return Node::of(std::string(text));
  }
}

/// Where PATH ends: the first "=" that leaves a path to something that exists; if none does, the first after
/// the last slash, or the first.
std::size_t separator_of(const Node& root, std::string_view assignment) {
  const std::size_t first = assignment.find('=');
  for (std::size_t at = first; at != std::string_view::npos; at = assignment.find('=', at + 1)) {
    try {
      if (NodePath(assignment.substr(0, at)).selects(root)) return at;
    } catch (const ConfigError&) {  // malformed so far: the "=" stands inside of a name
    }
  }
  const std::size_t last_slash = assignment.starts_with('/') ? assignment.rfind('/') : 0;
  const std::size_t behind = assignment.find('=', last_slash);
  return behind == std::string_view::npos ? first : behind;
}

}  // namespace

NodePath::NodePath(std::string_view text) : text_(text) {
  if (text.empty())
    refuse({}, "the path is empty", {}, "write \"/algorithms/halos/local_steps\", for instance");
  steps_ = text.front() == '/' ? split_slashes(text) : split_dots(text);
}

std::vector<Node*> NodePath::select(Node& root, const Origin& made) const {
  // Look before making anything, so that a fault leaves the tree as it was.
  Selection(*this, nullptr).from(root);
  return Selection(*this, &made).from(root);
}

bool NodePath::selects(const Node& root) const {
  try {
    Selection(*this, nullptr).from(const_cast<Node&>(root));  // makes nothing
    return true;
  } catch (const ConfigError&) {
    return false;
  }
}

void set_at(Node& root, const NodePath& path, const Node& value, const Origin& made) {
  for (Node* node : path.select(root, made)) *node = value;
}

void apply_override(Node& root, std::string_view assignment) {
  constexpr std::size_t longest = 4096;
  const std::string name = "--set " + std::string(assignment.substr(0, 200));
  try {
    const std::size_t separator =
        assignment.size() > longest ? assignment.find('=') : separator_of(root, assignment);
    if (separator == std::string_view::npos || separator == 0) {
      refuse({}, "PATH=VALUE is needed", {}, "write --set /algorithms/halos/local_steps=16, for instance");
    }
    const NodePath path(assignment.substr(0, separator));
    const Origin origin{.file = std::make_shared<const std::string>(name)};
    Node value = parse_value(assignment.substr(separator + 1), name);
    set_origin(value, origin);
    set_at(root, path, value, origin);
  } catch (const ConfigError& error) {
    std::vector<ConfigFault> faults = error.faults();
    for (ConfigFault& fault : faults) {
      fault.file = name;
      fault.line = fault.column = 0;
    }
    throw ConfigError(std::move(faults));
  }
}

}  // namespace convoy
