#include "experiment/result_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "core/error.hpp"
#include "experiment/json_reader.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view aside_prefix = ".tmp-";
constexpr std::size_t probe_bytes = 1 << 20;
constexpr JsonLimits result_limits{.bytes = 1'000'000'000, .values = 100'000'000};

[[noreturn]] void refuse(const fs::path& folder, const std::string& why, std::string hint = {}) {
  ConfigFault fault;
  fault.path = "--out";
  fault.message = fmt::format("{} {}", folder.string(), why);
  fault.hint = std::move(hint);
  throw ConfigError(std::move(fault));
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

/// "<run id>-<host>-<process>", so that leftovers are known by their owner.
fs::path aside_name(const std::string& run_id, std::string_view what = {}) {
  return fmt::format("{}{}{}-{}-{}", aside_prefix, what, run_id, host_name(), ::getpid());
}

/// Whether the process that a leftover names is one of this host and dead.
bool is_orphan(const std::string& name) {
  const std::size_t dash = name.rfind('-');
  if (!name.starts_with(aside_prefix) || dash == std::string::npos) return false;
  const std::string host = host_name();
  const std::string_view before = std::string_view(name).substr(0, dash);
  if (!before.ends_with("-" + host)) return false;
  pid_t process = 0;
  const char* end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + dash + 1, end, process);
  if (read.ec != std::errc() || read.ptr != end || process <= 0) return false;
  return process == ::getpid() || (::kill(process, 0) != 0 && errno == ESRCH);
}

/// Throws std::runtime_error naming the file and the reason.
void write_file(const fs::path& file, std::string_view content) {
  const auto fail = [&](int error) {
    throw std::runtime_error(fmt::format("{} cannot be written: {}", file.string(), std::strerror(error)));
  };
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) fail(errno);
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      ::close(descriptor);
      fail(error);
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::close(descriptor) != 0) fail(errno);
}

}  // namespace

ResultFolder::ResultFolder(fs::path folder, Shard shard) : folder_(std::move(folder)) {
  std::error_code error;
  fs::create_directories(folder_ / "runs", error);
  if (error) refuse(folder_, "cannot be made: " + error.message(), "choose another --out");
  lock(shard);
  try {
    probe();
    sign();
    remove_leftovers();
  } catch (...) {
    ::close(lock_);
    throw;
  }
}

ResultFolder::~ResultFolder() {
  ::close(lock_);
}

void ResultFolder::lock(Shard shard) {
  const fs::path file = folder_ / (shard.whole() ? std::string(".lock")
                                                 : fmt::format(".lock-{}-of-{}", shard.index, shard.count));
  lock_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0)
    refuse(folder_, fmt::format("cannot be written: {}", std::strerror(errno)), "choose another --out");
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    std::array<char, 128> owner{};
    const ssize_t length = ::read(lock_, owner.data(), owner.size() - 1);
    ::close(lock_);
    if (reason != EWOULDBLOCK) refuse(folder_, fmt::format("cannot be locked: {}", std::strerror(reason)));
    const std::string name(owner.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
    refuse(folder_, fmt::format("is in use by another `sim run`{}", name.empty() ? "" : ", " + name),
           "wait for it, stop it, or choose another --out");
  }
}

void ResultFolder::sign() const {
  const std::string owner = fmt::format("process {} on {}", ::getpid(), host_name());
  if (::ftruncate(lock_, 0) == 0 && ::pwrite(lock_, owner.data(), owner.size(), 0) >= 0) return;
  refuse(folder_, fmt::format("cannot be written: {}", std::strerror(errno)), "choose another --out");
}

void ResultFolder::probe() const {
  const fs::path file = folder_ / "runs" / aside_name("probe");
  std::string reason;
  try {
    write_file(file, std::string(probe_bytes, '\0'));
  } catch (const std::runtime_error& error) {
    reason = error.what();
  }
  std::error_code ignored;
  fs::remove(file, ignored);
  if (!reason.empty())
    refuse(folder_, "does not take results: " + reason, "free some space or choose another --out");
}

void ResultFolder::remove_leftovers() const {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_ / "runs", error)) {
    std::error_code ignored;
    if (is_orphan(entry.path().filename().string())) fs::remove_all(entry.path(), ignored);
  }
}

void ResultFolder::publish(const std::string& run_id, const std::vector<File>& files) const {
  const fs::path aside = folder_ / "runs" / aside_name(run_id);
  const fs::path place = folder_ / "runs" / run_id;
  std::error_code error;
  fs::remove_all(aside, error);
  fs::create_directory(aside, error);
  if (error) throw std::runtime_error(fmt::format("{} cannot be made: {}", aside.string(), error.message()));
  for (const File& file : files) write_file(aside / file.first, file.second);
  if (fs::exists(place, error)) {
    const fs::path old = folder_ / "runs" / aside_name(run_id, "old-");
    fs::remove_all(old, error);
    fs::rename(place, old, error);
    fs::rename(aside, place, error);
    std::error_code ignored;
    fs::remove_all(old, ignored);
  } else {
    fs::rename(aside, place, error);
  }
  if (error)
    throw std::runtime_error(
        fmt::format("{} cannot be moved into place: {}", aside.string(), error.message()));
}

void ResultFolder::write(const std::string& name, const std::string& content) const {
  const fs::path aside = folder_ / aside_name(name);
  write_file(aside, content);
  std::error_code error;
  fs::rename(aside, folder_ / name, error);
  if (error)
    throw std::runtime_error(
        fmt::format("{} cannot be written: {}", (folder_ / name).string(), error.message()));
}

std::optional<Node> read_result(const fs::path& folder, const std::string& run_id) {
  const fs::path file = folder / "runs" / run_id / "result.json";
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return std::nullopt;
  try {
    Node result = read_json_file(file.string(), result_limits);
    const Node* id = result.find("run_id");
    const bool mine = id != nullptr && id->is_text() && id->text == run_id;
    return mine ? std::optional<Node>(std::move(result)) : std::nullopt;
  } catch (const ConfigError&) {
    return std::nullopt;  // damaged by others: the run is made again
  }
}

}  // namespace convoy
