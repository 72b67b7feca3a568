#include "learning/detail/input_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace convoy::detail {
namespace {

constexpr std::size_t chunk = 1 << 20;

gzFile handle(void* file) {
  return static_cast<gzFile>(file);
}

}  // namespace

void InputFile::Close::operator()(void* file) const {
  gzclose_r(handle(file));
}

InputFile::InputFile(const std::filesystem::path& path) : name_(path.string()) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::none)
    fail("the data file cannot be opened: " + error.message());
  if (!std::filesystem::exists(status)) fail("the data file does not exist");
  if (std::filesystem::is_directory(status)) fail("a data file is needed, this is a directory");
  if (!std::filesystem::is_regular_file(status)) fail("a data file is needed, this is not a regular file");
  if (std::filesystem::file_size(path, error) == 0 && !error) fail("the data file is empty");
  errno = 0;
  file_.reset(gzopen(name_.c_str(), "rb"));
  if (!file_) fail(std::string("the data file cannot be opened: ") + std::strerror(errno));
  gzbuffer(handle(file_.get()), 1 << 17);
}

std::size_t InputFile::read(void* out, std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    const auto piece = static_cast<unsigned>(std::min(count - done, chunk));
    const int got = gzread(handle(file_.get()), static_cast<std::uint8_t*>(out) + done, piece);
    int code = Z_OK;
    const char* const text = gzerror(handle(file_.get()), &code);
    if (code == Z_BUF_ERROR) fail("the gzip data are cut off");
    if (code == Z_ERRNO) fail(std::string("the data file cannot be read: ") + std::strerror(errno));
    if (got < 0 || code != Z_OK) {
      // zlib puts the file name in front of its text.
      std::string reason = text ? text : "unknown fault";
      if (reason.starts_with(name_ + ": ")) reason.erase(0, name_.size() + 2);
      fail("the gzip data are corrupt: " + reason);
    }
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::vector<std::uint8_t> InputFile::read_exactly(std::size_t count, std::string_view what) {
  std::vector<std::uint8_t> result;
  while (result.size() < count) {
    const std::size_t piece = std::min(count - result.size(), std::max(chunk, result.size()));
    const std::size_t before = result.size();
    result.resize(before + piece);
    const std::size_t got = read(result.data() + before, piece);
    if (got < piece) {
      fail("the data file is cut off: " + std::to_string(count) + " bytes of " + std::string(what) +
               " are declared",
           "only " + std::to_string(before + got));
    }
  }
  return result;
}

std::string InputFile::read_all(std::size_t limit) {
  std::string result;
  while (true) {
    const std::size_t before = result.size();
    result.resize(before + (1 << 16));
    const std::size_t got = read(result.data() + before, 1 << 16);
    result.resize(before + got);
    if (got < (1 << 16)) return result;
    if (result.size() > limit) fail("the data file holds more than " + std::to_string(limit) + " bytes");
  }
}

void InputFile::require_end() {
  std::uint8_t byte = 0;
  if (read(&byte, 1) != 0) fail("the data file is longer than its header declares");
}

void InputFile::fail(std::string message, std::string found, std::string allowed, int line) const {
  throw DataError(ConfigFault{.path = {},
                              .message = std::move(message),
                              .found = std::move(found),
                              .allowed = std::move(allowed),
                              .hint = {},
                              .file = name_,
                              .line = line,
                              .column = 0});
}

}  // namespace convoy::detail
