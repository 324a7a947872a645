#include "shim/message.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

#include "core/options.h"

namespace ahead {
namespace {

// A set of signals as the kernel has it.
using SignalSet = uint64_t;
constexpr SignalSet SetOf(int signal) { return SignalSet{1} << (signal - 1); }

// Keeps from the host, which wrote nothing, the signals that a write can be answered with: nobody reads standard error
// any more, or it is a file that may not grow. Both are sent to the thread that writes.
class WriteSignalsHeld {
 public:
  WriteSignalsHeld() noexcept {
    syscall(SYS_rt_sigpending, &pending_before_, sizeof(SignalSet));
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &kHeld, &mask_before_, sizeof(SignalSet));
  }
  ~WriteSignalsHeld() {
    const SignalSet ours = kHeld & ~pending_before_;
    const timespec at_once{};
    if (ours != 0) syscall(SYS_rt_sigtimedwait, &ours, nullptr, &at_once, sizeof(SignalSet));
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask_before_, nullptr, sizeof(SignalSet));
  }
  WriteSignalsHeld(const WriteSignalsHeld&) = delete;
  WriteSignalsHeld& operator=(const WriteSignalsHeld&) = delete;

 private:
  static constexpr SignalSet kHeld = SetOf(SIGPIPE) | SetOf(SIGXFSZ);
  SignalSet pending_before_ = 0;
  SignalSet mask_before_ = 0;
};

// What standard error was at the start.
struct StandardError {
  bool is_known = false;
  dev_t device = 0;
  ino_t inode = 0;

  bool operator==(const StandardError&) const = default;
};

constinit StandardError at_start;

StandardError Now() {
  struct stat now;
  if (syscall(SYS_fstat, STDERR_FILENO, &now) != 0) return {};
  return {true, now.st_dev, now.st_ino};
}

// One line, written by one call, so that lines of several processes do not mix.
class Line {
 public:
  Line() noexcept { Add("ahead: "); }
  ~Line() {
    text_[size_++] = '\n';
    if (!at_start.is_known || !(Now() == at_start)) return;
    const WriteSignalsHeld held;
    syscall(SYS_write, STDERR_FILENO, text_, size_);
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  Line& Add(const char* text) noexcept { return Add(text, strlen(text)); }
  // Values come from outside: what a terminal might obey is shown as '?'.
  Line& Add(const char* text, size_t count) noexcept {
    for (size_t i = 0; i < count && size_ + 1 < sizeof(text_); ++i)
      text_[size_++] = text[i] < ' ' || text[i] == 127 ? '?' : text[i];
    return *this;
  }
  Line& Add(int number) noexcept {
    char digits[12];
    size_t count = 0;
    do digits[sizeof(digits) - ++count] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    return Add(digits + sizeof(digits) - count, count);
  }

 private:
  char text_[480];
  size_t size_ = 0;
};

constexpr size_t kShownBytes = 200;

size_t Shown(const char* text) {
  const size_t bytes = strlen(text);
  return bytes < kShownBytes ? bytes : kShownBytes;
}

}  // namespace

void RememberStandardError() noexcept { at_start = Now(); }

void ReportBadOption(size_t row, const char* entry) noexcept {
  char accepted[120];
  Line()
      .Add(entry, Shown(entry))
      .Add(": not accepted, the default is kept; expected ")
      .Add(DescribeAccepted(row, accepted, sizeof(accepted)));
}

void ReportBadFile(const char* variable, const char* path) noexcept {
  const int error = errno;
  Line().Add(variable).Add("=").Add(path, Shown(path)).Add(": cannot be used, error ").Add(error);
}

}  // namespace ahead
