#include "cli/physical_graph.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <vector>

#include "cli/topology_views.hpp"
#include "core/error.hpp"
#include "core/node.hpp"
#include "core/units.hpp"

extern char** environ;

namespace convoy::cli {
namespace {

[[noreturn]] void refuse_svg(std::string message, std::string hint = {}) {
  ConfigFault fault;
  fault.path = "--svg";
  fault.message = std::move(message);
  fault.hint = std::move(hint);
  throw ConfigError(std::move(fault));
}

/// A file that is gone when the object is.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content)
      : name_((std::filesystem::temp_directory_path() / "convoy-XXXXXX").string()) {
    const int file = ::mkstemp(name_.data());
    bool whole = file >= 0;
    for (std::size_t done = 0; whole && done < content.size();) {
      const ssize_t written = ::write(file, content.data() + done, content.size() - done);
      whole = written > 0;
      if (whole) done += static_cast<std::size_t>(written);
    }
    if (file >= 0) ::close(file);
    if (!whole) refuse_svg("cannot write to " + name_);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { ::unlink(name_.c_str()); }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
};

}  // namespace

std::string to_dot(const PhysicalNetwork& machines) {
  const NetworkGraph& graph = machines.graph;
  std::string text = "graph cluster {\n";
  std::map<std::string, std::vector<std::string>> devices;
  std::map<NodeId, bool> is_device;
  for (const PhysicalNetwork::Device& device : machines.devices) {
    devices[device.host].push_back(device.name);
    is_device[device.node] = true;
  }
  for (std::size_t i = 0; i < graph.nodes(); ++i) {
    const NodeId node{static_cast<std::int32_t>(i)};
    text += fmt::format("  {}{};\n", in_quotes(graph.node(node).name),
                        is_device.contains(node) ? " [shape=box]" : "");
  }
  for (const auto& [host, names] : devices) {
    if (names.size() < 2) continue;
    text += fmt::format("  subgraph {} {{ label={};", in_quotes("cluster_" + host), in_quotes(host));
    for (const std::string& name : names) text += " " + in_quotes(name) + ";";
    text += " }\n";
  }
  for (std::size_t i = 0; i < graph.links(); ++i) {
    const LinkId link{static_cast<std::int32_t>(i)};
    const LinkSpec& spec = graph.link(link);
    text +=
        fmt::format("  {} -- {} [label=\"{}\"{}];\n", in_quotes(graph.node(graph.tail(forward(link))).name),
                    in_quotes(graph.node(graph.head(forward(link))).name),
                    format_quantity(spec.bandwidth, Dimension::bandwidth),
                    spec.sharing == Sharing::one_way ? ", dir=forward" : "");
  }
  return text + "}\n";
}

void write_svg(const std::string& dot, const std::string& file) {
  const TemporaryFile input(dot);
  std::vector<std::string> words = {"dot", "-Tsvg", "-o", file, input.name()};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, "dot", nullptr, nullptr, arguments.data(), environ);
  const char* hint =
      "install Debian's package graphviz (scripts/setup.sh --full does), or print its input with --dot";
  if (error == ENOENT) refuse_svg("is drawn by Graphviz's program dot, which is not installed", hint);
  if (error != 0) refuse_svg("cannot start dot", hint);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    refuse_svg("dot cannot draw " + file +
                   (WIFEXITED(status) && WEXITSTATUS(status) == 127 ? ": it is not installed" : ""),
               hint);
  }
}

}  // namespace convoy::cli
