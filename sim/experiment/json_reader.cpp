#include "experiment/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <vector>

#include "core/error.hpp"
#include "core/nearest_word.hpp"
#include "experiment/json_syntax.hpp"

namespace convoy {

namespace {

/// A pointer that tells how far it has been read, which is where the parser's present token ends.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* consumed) : at_(at), consumed_(consumed) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*consumed_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* consumed_;
};

/// Builds the tree from the parser's events.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const std::string& file, const JsonLimits& limits)
      : text_(text), limits_(limits), file_(std::make_shared<const std::string>(file)) {}

  std::size_t* consumed() { return &consumed_; }
  std::vector<ConfigFault>& faults() { return faults_; }
  Node take() { return std::move(root_); }

  bool null() { return add(Node(), consumed_); }
  bool boolean(bool value) { return add(Node::of(value), consumed_); }
  bool number_integer(std::int64_t value) { return add(Node::of(value), end_of_number()); }
  bool number_unsigned(std::uint64_t value) {
    if (!std::in_range<std::int64_t>(value)) return refuse_long_integer();
    return add(Node::of(static_cast<std::int64_t>(value)), end_of_number());
  }
  bool number_float(double value, const std::string& written) {
    if (written.find_first_of(".eE") == std::string::npos) return refuse_long_integer();
    // strtod underflows to zero without a word.
    const std::string_view digits = std::string_view(written).substr(0, written.find_first_of("eE"));
    if (value == 0 && digits.find_first_of("123456789") != std::string_view::npos) {
      return refuse("the number is too close to zero for a double", "write 0 if zero is meant");
    }
    return add(Node::of(value), end_of_number());
  }
  bool string(std::string& value) { return add(Node::of(std::move(value)), consumed_); }
  bool binary(nlohmann::json::binary_t&) { return refuse("binary data", {}); }

  bool start_object(std::size_t) { return open(Node::object()); }
  bool start_array(std::size_t) { return open(Node::list()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    Frame& frame = frames_.back();
    frame.key_origin = origin_of_next();
    frame.key = std::move(name);
    finish_token(consumed_);
    frame.duplicate = check_duplicate(frame);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) {
    const bool open = !frames_.empty();
    const std::size_t start = start_of_next();
    ConfigFault fault = detail::explain_syntax({.text = text_,
                                                .previous = previous_,
                                                .start = start,
                                                .consumed = consumed_,
                                                .report = error.what(),
                                                .opener = open ? frames_.back().opener : '\0',
                                                .opened = open ? frames_.back().offset : 0,
                                                .finished = finished_});
    fault.file = *file_;
    faults_.push_back(std::move(fault));
    return false;
  }

 private:
  struct Frame {
    Node node;
    char opener = '{';
    std::size_t offset = 0;
    std::string key;
    Origin key_origin;
    bool duplicate = false;
    std::unordered_map<std::string, int> lines;  ///< of each key
  };

  /// Where the token that the parser has just read begins. A comma or a colon before it is no event.
  std::size_t start_of_next() {
    std::size_t at = detail::skip_blanks(text_, end_, consumed_);
    if (at + 1 < consumed_ && (text_[at] == ',' || text_[at] == ':')) {
      previous_ = at;
      at = detail::skip_blanks(text_, at + 1, consumed_);
    }
    return at;
  }

  Origin origin_of_next() {
    start_ = start_of_next();
    const std::string_view passed = text_.substr(counted_, start_ - counted_);
    const std::size_t line_break = passed.rfind('\n');
    if (line_break != std::string_view::npos) {
      line_ += static_cast<int>(std::count(passed.begin(), passed.end(), '\n'));
      line_start_ = counted_ + line_break + 1;
    }
    counted_ = start_;
    return {.file = file_, .line = line_, .column = static_cast<int>(start_ - line_start_) + 1};
  }

  void finish_token(std::size_t end) {
    previous_ = start_;
    end_ = end;
  }

  /// The parser reads one byte past a number to know that it has ended, unless the text ends there.
  std::size_t end_of_number() const {
    const bool ends_text = consumed_ == text_.size() && text_.back() >= '0' && text_.back() <= '9';
    return ends_text ? consumed_ : consumed_ - 1;
  }

  bool add(Node node, std::size_t end) {
    node.origin = origin_of_next();
    finish_token(end);
    if (++values_ > limits_.values) {
      return refuse_at(node.origin, fmt::format("the file holds more than {} values", limits_.values),
                       "is this the right file?");
    }
    attach(std::move(node));
    return true;
  }

  bool open(Node node) {
    node.origin = origin_of_next();
    finish_token(consumed_);
    ++values_;
    if (frames_.size() >= limits_.depth) {
      return refuse_at(node.origin,
                       fmt::format("objects and lists are nested more than {} deep", limits_.depth),
                       "a bracket may be missing far above");
    }
    Frame& frame = frames_.emplace_back();
    frame.opener = node.is_object() ? '{' : '[';
    frame.offset = start_;
    frame.node = std::move(node);
    return true;
  }

  bool close() {
    Node node = std::move(frames_.back().node);
    frames_.pop_back();
    start_ = consumed_ > 0 ? consumed_ - 1 : 0;
    finish_token(consumed_);
    attach(std::move(node));
    return true;
  }

  void attach(Node node) {
    if (frames_.empty()) {
      root_ = std::move(node);
      finished_ = true;
      return;
    }
    Frame& frame = frames_.back();
    if (frame.opener == '[') {
      frame.node.items.push_back(std::move(node));
    } else if (!frame.duplicate) {
      frame.node.members.push_back({std::move(frame.key), std::move(node), std::move(frame.key_origin)});
    }
  }

  bool check_duplicate(const Frame& frame) {
    const auto [first, is_new] = frames_.back().lines.emplace(frame.key, frame.key_origin.line);
    if (is_new) return false;
    faults_.push_back(
        {.path = member_path(path(), frame.key),
         .message = fmt::format("the key {} is written twice in one object, first in line {}, again in "
                                "line {}",
                                in_quotes(frame.key, 40), first->second, frame.key_origin.line),
         .found = {},
         .allowed = {},
         .hint = "remove or rename one of them",
         .file = *file_,
         .line = frame.key_origin.line,
         .column = frame.key_origin.column});
    return true;
  }

  /// Path of the innermost open container.
  [[nodiscard]] std::string path() const {
    std::string result;
    for (std::size_t i = 0; i + 1 < frames_.size(); ++i) {
      const Frame& frame = frames_[i];
      result =
          frame.opener == '[' ? item_path(result, frame.node.items.size()) : member_path(result, frame.key);
    }
    return result;
  }

  bool refuse_long_integer() {
    return refuse(
        "the integer is beyond 64 bits",
        "the largest is 9223372036854775807; write a large number as 1.5e20, a quantity with its unit");
  }

  bool refuse(std::string message, std::string hint) {
    return refuse_at(origin_of_next(), std::move(message), std::move(hint));
  }

  bool refuse_at(const Origin& origin, std::string message, std::string hint) {
    faults_.push_back({.path = {},
                       .message = std::move(message),
                       .found = {},
                       .allowed = {},
                       .hint = std::move(hint),
                       .file = *file_,
                       .line = origin.line,
                       .column = origin.column});
    return false;
  }

  std::string_view text_;
  JsonLimits limits_;
  std::shared_ptr<const std::string> file_;
  std::vector<ConfigFault> faults_;
  std::vector<Frame> frames_;
  Node root_;
  bool finished_ = false;
  std::size_t values_ = 0;
  std::size_t consumed_ = 0;    // bytes that the parser has read
  std::size_t previous_ = 0;    // start of the token before
  std::size_t start_ = 0;       // start of the present token
  std::size_t end_ = 0;         // end of the last token
  std::size_t counted_ = 0;     // offset up to which lines are counted
  std::size_t line_start_ = 0;  // offset of the present line
  int line_ = 1;
};

[[noreturn]] void refuse_file(const std::string& file, std::string message, std::string hint = {}) {
  throw ConfigError(ConfigFault{.path = {},
                                .message = std::move(message),
                                .found = {},
                                .allowed = {},
                                .hint = std::move(hint),
                                .file = file});
}

std::string too_large(std::size_t limit) {
  return fmt::format("the file is larger than {} MB", limit / 1'000'000);
}

/// Faults of the bytes themselves, before any parsing.
void check_bytes(std::string_view text, const std::string& file, const JsonLimits& limits) {
  if (text.size() > limits.bytes) refuse_file(file, too_large(limits.bytes), "is this the right file?");
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    refuse_file(file, "the file is UTF-16", "save it as UTF-8");
  }
  if (text.starts_with("\x1F\x8B"))
    refuse_file(file, "the file is compressed with gzip", "unpack it with gunzip");
  const std::size_t nul = text.find('\0');
  if (nul == std::string_view::npos) return;
  const detail::TextPosition at = detail::position_of(text, nul);
  throw ConfigError(ConfigFault{.path = {},
                                .message = "the file holds a zero byte",
                                .found = {},
                                .allowed = {},
                                .hint = "is this a text file, in UTF-8?",
                                .file = file,
                                .line = at.line,
                                .column = at.column});
}

/// The nearest name beside a file that does not exist.
std::string nearest_file_hint(const std::filesystem::path& path) {
  constexpr std::size_t most_files = 1000;
  std::error_code error;
  const std::filesystem::path folder =
      path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::is_directory(folder, error)) {
    return folder.empty() ? std::string()
                          : fmt::format("there is no folder {} either", in_quotes(folder.string()));
  }
  std::vector<std::string> names;
  for (auto entry = std::filesystem::directory_iterator(folder, error);
       !error && entry != std::filesystem::directory_iterator() && names.size() < most_files;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return nearest_hint(path.filename().string(), names);
}

}  // namespace

Node read_json_text(std::string_view text, const std::string& file, const JsonLimits& limits) {
  check_bytes(text, file, limits);
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  // The parser would skip one more.
  if (text.starts_with(byte_order_mark))
    refuse_file(file, "the file begins with two byte order marks", "remove both");
  TreeBuilder builder(text, file, limits);
  try {
    nlohmann::json::sax_parse(CountingIterator(text.data(), builder.consumed()),
                              CountingIterator(text.data() + text.size(), builder.consumed()), &builder,
                              nlohmann::json::input_format_t::json, true, true);
  } catch (const nlohmann::json::exception& error) {
    refuse_file(file, fmt::format("is no JSON: {}", error.what()));
  }
  if (!builder.faults().empty()) throw ConfigError(std::move(builder.faults()));
  return builder.take();
}

std::string read_text_file(const std::string& path, std::size_t limit) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (path.empty()) refuse_file(path, "a file is needed, its name is empty");
  if (status.type() == std::filesystem::file_type::not_found) {
    refuse_file(path, "no such file", nearest_file_hint(path));
  }
  if (std::filesystem::is_directory(status)) refuse_file(path, "is a folder, a file is needed");
  if (std::filesystem::is_regular_file(status) && std::filesystem::file_size(path, error) > limit && !error) {
    refuse_file(path, too_large(limit), "is this the right file?");
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) refuse_file(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  // Pipes have no size: read to the end, but no further than the limit.
  std::string text;
  std::vector<char> block(1 << 16);
  while (stream && text.size() <= limit) {
    stream.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) refuse_file(path, "cannot be read to its end");
  if (text.size() > limit) refuse_file(path, too_large(limit), "is this the right file?");
  return text;
}

Node read_json_file(const std::string& path, const JsonLimits& limits) {
  return read_json_text(read_text_file(path, limits.bytes), path, limits);
}

}  // namespace convoy
