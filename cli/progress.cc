#include "cli/progress.h"

#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/clock.h"

namespace ahead::cli {
namespace {

constexpr Nanos kOnTerminal{200'000'000};
constexpr Nanos kElsewhere{5'000'000'000};
constexpr const char* kEraseLine = "\r\033[K";

void Put(const std::string& text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

}  // namespace

std::string DescribeProgress(const std::string& what, size_t done, size_t all, Nanos elapsed) {
  std::string text = absl::StrCat(done, "/", all, " ", what);
  if (done == 0 || done >= all) return text;
  const double left =
      static_cast<double>(elapsed.value) / 1e9 * static_cast<double>(all - done) / static_cast<double>(done);
  return absl::StrCat(text, ", about ",
                      left < 100 ? absl::StrFormat("%.0f s", left) : absl::StrFormat("%.0f min", left / 60), " left");
}

Progress::Progress(std::string what, size_t all, Wanted wanted)
    : what_(std::move(what)),
      all_(all),
      is_terminal_(isatty(STDERR_FILENO) == 1),
      is_shown_(is_terminal_ || wanted == Wanted::kAlways),
      begin_(MonotonicNow()),
      last_(begin_) {}

Progress::~Progress() {
  if (is_shown_ && is_terminal_) Put(kEraseLine);
}

void Progress::Step() {
  ++done_;
  if (!is_shown_) return;
  const Nanos now = MonotonicNow();
  if (now - last_ < (is_terminal_ ? kOnTerminal : kElsewhere) && done_ != 1 && done_ != all_) return;
  last_ = now;
  const std::string text = DescribeProgress(what_, done_, all_, now - begin_);
  Put(is_terminal_ ? kEraseLine + text : text + "\n");
}

}  // namespace ahead::cli
