// The built command as a child process: its exit code and what it says.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace convoy::test {

/// What a finished process left.
struct Finished {
  int code = -1;    ///< exit code; 128 + signal where a signal ended it
  std::string out;  ///< standard output
  std::string err;  ///< standard error
  [[nodiscard]] bool says(std::string_view text) const { return err.find(text) != std::string::npos; }
};

/// A child process whose output is collected; killed if it outlives this.
class Process {
 public:
  explicit Process(const std::vector<std::string>& command, const std::filesystem::path& folder = {}) {
    std::array<int, 2> out{}, err{};
    if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0)
      throw std::runtime_error("no pipe");
    std::vector<char*> arguments;
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    child_ = ::fork();
    if (child_ < 0) throw std::runtime_error("no process");
    if (child_ == 0) {
      ::dup2(out[1], STDOUT_FILENO);
      ::dup2(err[1], STDERR_FILENO);
      if (!folder.empty() && ::chdir(folder.c_str()) != 0) ::_exit(126);
      ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
    ::close(out[1]);
    ::close(err[1]);
    out_ = out[0];
    err_ = err[0];
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
    ::close(out_);
    ::close(err_);
  }

  void interrupt() const { ::kill(child_, SIGINT); }
  [[nodiscard]] pid_t id() const { return child_; }

  /// Waits for the end; after `limit` the process is killed, which shows as 128 + SIGKILL.
  Finished wait(std::chrono::seconds limit = std::chrono::seconds(120)) {
    Finished result;
    const auto deadline = std::chrono::steady_clock::now() + limit;
    std::array<pollfd, 2> ends = {pollfd{out_, POLLIN, 0}, pollfd{err_, POLLIN, 0}};
    while (ends[0].fd >= 0 || ends[1].fd >= 0) {
      if (std::chrono::steady_clock::now() > deadline) ::kill(child_, SIGKILL);
      if (::poll(ends.data(), ends.size(), 100) <= 0) continue;
      drain(ends[0], result.out);
      drain(ends[1], result.err);
    }
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = -1;
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
  }

 private:
  static void drain(pollfd& end, std::string& text) {
    if (end.fd < 0 || end.revents == 0) return;
    std::array<char, 65536> buffer;
    const ssize_t count = ::read(end.fd, buffer.data(), buffer.size());
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
    } else {
      end.fd = -1;
    }
  }
  pid_t child_ = -1;
  int out_ = -1, err_ = -1;
};

/// The built `sim` with these arguments.
inline Finished sim(std::vector<std::string> arguments, const std::filesystem::path& folder = {}) {
  arguments.insert(arguments.begin(), CONVOY_SIM);
  return Process(arguments, folder).wait();
}

/// A folder of its own that ends with the test.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "convoy_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { std::filesystem::remove_all(path_); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string at(const std::string& name) const { return (path_ / name).string(); }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, std::string_view content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
    return at(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace convoy::test
