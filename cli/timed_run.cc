#include "cli/timed_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/clock.h"
#include "cli/job.h"

namespace ahead::cli {
namespace {

// Large enough that a program which prints a lot rarely waits for us to read.
constexpr int kPipeBytes = 1 << 20;
constexpr size_t kBlockBytes = size_t{1} << 16;
constexpr size_t kErrorBytes = 512;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { Close(); }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

// Hashes a stream in blocks of one size, however it is cut into reads.
class OutputReader {
 public:
  // Reads once. Returns what read returned.
  ssize_t ReadFrom(int fd) {
    const ssize_t count = read(fd, block_.data() + filled_, kBlockBytes - filled_);
    if (count <= 0) return count;
    const char* fresh = block_.data() + filled_;
    output_.start.append(fresh, std::min(static_cast<size_t>(count), Output::kStartBytes - output_.start.size()));
    output_.bytes += static_cast<uint64_t>(count);
    filled_ += static_cast<size_t>(count);
    if (filled_ == kBlockBytes) Fold();
    return count;
  }

  Output Finish() {
    Fold();
    return std::move(output_);
  }

 private:
  void Fold() {
    output_.hash = absl::HashOf(output_.hash, std::string(block_.data(), filled_));
    filled_ = 0;
  }

  std::vector<char> block_ = std::vector<char>(kBlockBytes);
  size_t filled_ = 0;
  Output output_;
};

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// Passes on what asks this process to end, and notes it.
void TakeSignals(const Launched& launched, int signal_fd, TimedRun& run) {
  const pid_t command = launched.command > 0 ? launched.command : launched.pid;
  signalfd_siginfo came;
  while (read(signal_fd, &came, sizeof came) == sizeof came) {
    const auto number = static_cast<int>(came.ssi_signo);
    if (number == SIGCHLD) continue;
    run.interrupted_by = number;
    siginfo_t info = {};
    info.si_code = came.ssi_code;
    if (!IsCommandsOwn(info, command)) kill(command, number);
  }
}

// Reads the output until the process ends; notes the end before anything else.
void Follow(const Launched& launched, int signal_fd, int output_fd, Nanos began, OutputReader& reader, TimedRun& run) {
  pollfd watched[] = {{signal_fd, POLLIN, 0}, {output_fd, POLLIN, 0}};
  for (;;) {
    if (poll(watched, 2, -1) < 0) continue;
    if (watched[0].revents != 0) {
      TakeSignals(launched, signal_fd, run);
      rusage usage;
      if (wait4(launched.pid, &run.wait_status, WNOHANG, &usage) == launched.pid) {
        run.real_s = SecondsOf(MonotonicNow() - began);
        run.user_s = Seconds(usage.ru_utime);
        run.sys_s = Seconds(usage.ru_stime);
        return;
      }
    }
    if (watched[1].revents != 0 && reader.ReadFrom(output_fd) == 0) watched[1].fd = -1;
  }
}

std::string ReadStart(int fd) {
  std::string text(kErrorBytes, 0);
  text.resize(static_cast<size_t>(std::max<ssize_t>(0, pread(fd, text.data(), text.size(), 0))));
  return text;
}

std::string LineAt(const std::string& text, size_t at) {
  constexpr size_t kLongest = 80;
  const size_t newline = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  const size_t begin = newline == std::string::npos ? 0 : newline + 1;
  std::string line = text.substr(begin, std::min(text.find('\n', begin), begin + kLongest) - begin);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return (c >= 0 && c < ' ') || c == 127; }, '?');
  return line;
}

}  // namespace

TimedRun RunTimed(const std::function<Launched(const Streams&)>& start, const SignalScope& signals) {
  TimedRun run;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return run.launch_error = errno, run;
  const Descriptor output(ends[0]);
  Descriptor output_end(ends[1]);
  fcntl(output.fd(), F_SETPIPE_SZ, kPipeBytes);
  const Descriptor input(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Descriptor errors(memfd_create("ahead-stderr", MFD_CLOEXEC));
  const Descriptor came(signalfd(-1, &signals.signals(), SFD_CLOEXEC | SFD_NONBLOCK));
  if (input.fd() < 0 || errors.fd() < 0 || came.fd() < 0) return run.launch_error = errno, run;

  OutputReader reader;
  const Nanos began = MonotonicNow();
  const Launched launched = start({input.fd(), output_end.fd(), errors.fd(), nullptr});
  if (launched.pid < 0) return run.launch_error = launched.error, run;
  output_end.Close();
  Follow(launched, came.fd(), output.fd(), began, reader, run);
  fcntl(output.fd(), F_SETFL, O_NONBLOCK);
  while (reader.ReadFrom(output.fd()) > 0) {
  }
  run.output = reader.Finish();
  run.errors = ReadStart(errors.fd());
  return run;
}

std::string DescribeDifference(const Output& a, const std::string& a_name, const Output& b, const std::string& b_name) {
  const size_t shared = std::min(a.start.size(), b.start.size());
  size_t at = 0;
  while (at < shared && a.start[at] == b.start[at]) ++at;
  if (at == shared && at == Output::kStartBytes)
    return absl::StrCat(a_name, " printed ", a.bytes, " bytes, ", b_name, " ", b.bytes, ", different after the first ",
                        at);
  const auto line = std::count(a.start.begin(), a.start.begin() + static_cast<ptrdiff_t>(at), '\n') + 1;
  return absl::StrFormat("line %d is '%s' from %s and '%s' from %s", line, LineAt(a.start, at), a_name,
                         LineAt(b.start, at), b_name);
}

}  // namespace ahead::cli
