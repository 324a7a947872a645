#include "shim/message.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/options.h"

namespace ahead {
namespace {

// One line, written by one call, so that lines of several processes do not mix.
class Line {
 public:
  Line() noexcept { Add("ahead: "); }
  ~Line() {
    text_[size_++] = '\n';
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
