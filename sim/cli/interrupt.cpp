#include "cli/interrupt.hpp"

#include <signal.h>

#include <cerrno>

namespace convoy::cli {
namespace {

std::atomic<bool> interrupted_flag = false;  // a signal handler reaches nothing else
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int) {
  const int kept = errno;
  interrupted_flag.store(true, std::memory_order_relaxed);
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  errno = kept;
}

}  // namespace

InterruptFlag::InterruptFlag() {
  interrupted_flag = false;
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  // A file beyond the limit of its size is an error of the write, not the end of the process.
  ::signal(SIGXFSZ, SIG_IGN);
}

InterruptFlag::~InterruptFlag() {
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
}

const std::atomic<bool>& InterruptFlag::flag() const {
  return interrupted_flag;
}

}  // namespace convoy::cli
