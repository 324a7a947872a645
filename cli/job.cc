#include "cli/job.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "cli/clock.h"

namespace ahead::cli {
namespace {

// Stops this process by `number` until it is continued. Nothing happens, as for the command itself, when the process
// group is orphaned and the signal is one of the terminal's.
void StopBy(int number) {
  struct sigaction plain = {};
  plain.sa_handler = SIG_DFL;
  struct sigaction inherited;
  if (number != SIGSTOP) sigaction(number, &plain, &inherited);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  kill(getpid(), number);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  sigprocmask(SIG_BLOCK, &only, nullptr);
  if (number != SIGSTOP) sigaction(number, &inherited, nullptr);
}

// The terminal across a stop. A shell under us has a process group of its own, which the shell above us knows nothing
// of: it brings our group to the foreground, and we hand the terminal on to whom it belonged when all stopped.
class TerminalOwner {
 public:
  TerminalOwner() : tty_(open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)), owner_(tty_ < 0 ? -1 : tcgetpgrp(tty_)) {}
  TerminalOwner(const TerminalOwner&) = delete;
  TerminalOwner& operator=(const TerminalOwner&) = delete;
  ~TerminalOwner() {
    if (tty_ >= 0) close(tty_);
  }

  // REQUIRES: SIGTTOU is blocked.
  void RestoreTo(pid_t child) const {
    if (owner_ > 0 && owner_ == getpgid(child) && owner_ != getpgrp() && tcgetpgrp(tty_) == getpgrp())
      tcsetpgrp(tty_, owner_);
  }

 private:
  int tty_;
  pid_t owner_;
};

// True when somebody continued the command after the stop that was just reported.
bool WasContinued(pid_t child) {
  siginfo_t info = {};
  return waitid(P_PID, static_cast<id_t>(child), &info, WCONTINUED | WNOHANG) == 0 && info.si_pid == child;
}

// Reports stops and the end of the command. Returns true at its end.
bool TakeChildEvents(pid_t child, int& wait_status) {
  pid_t changed;
  while ((changed = waitpid(child, &wait_status, WNOHANG | WUNTRACED)) == child) {
    if (!WIFSTOPPED(wait_status)) return true;
    if (WasContinued(child)) continue;
    const TerminalOwner terminal;
    StopBy(WSTOPSIG(wait_status));
    terminal.RestoreTo(child);
  }
  return changed < 0 && errno != EINTR;
}

bool IsSentByProcess(const siginfo_t& info) { return info.si_code <= 0; }

int64_t MillisecondsNow() { return MonotonicNow().value / 1'000'000; }

// Waits for signals, and does the chore meanwhile.
class Waiter {
 public:
  Waiter(const sigset_t& signals, Chore* chore)
      : signals_(signals), chore_(chore), next_(chore == nullptr ? Chore::kNever : MillisecondsNow() + kFirstChore) {}
  ~Waiter() {
    if (signal_fd_ >= 0) close(signal_fd_);
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  // As sigwaitinfo.
  int Wait(siginfo_t& info) {
    while (next_ != Chore::kNever) {
      const int64_t left = std::max<int64_t>(0, next_ - MillisecondsNow());
      const bool has_alarm = can_hear() && WaitForAlarm(left);
      const int64_t rest = can_hear() ? 0 : left;
      const timespec timeout = {rest / 1000, rest % 1000 * 1'000'000};
      const int number = sigtimedwait(&signals_, &info, &timeout);
      if (number >= 0 || errno != EAGAIN) return number;
      if (has_alarm || MillisecondsNow() >= next_) DoChore();
    }
    return sigwaitinfo(&signals_, &info);
  }

 private:
  bool can_hear() const { return alarm_ >= 0 && signal_fd_ >= 0; }

  // Waits until a signal is there, the chore's alarm, or the time is over. Returns whether it was the alarm.
  bool WaitForAlarm(int64_t milliseconds) {
    // An alarm is not heard sooner than the chore may be done again.
    const int64_t deaf = std::min(milliseconds, std::max<int64_t>(0, last_ + kFirstChore - MillisecondsNow()));
    pollfd fds[] = {{signal_fd_, POLLIN, 0}, {alarm_, POLLPRI, 0}};
    if (deaf > 0 && poll(fds, 1, static_cast<int>(deaf)) != 0) return false;
    if (poll(fds, 2, static_cast<int>(milliseconds - deaf)) <= 0) return false;
    // What is watched has gone: a descriptor in that state would wake us for ever.
    if ((fds[1].revents & ~POLLPRI) != 0) alarm_ = -1;
    return fds[1].revents == POLLPRI;
  }

  void DoChore() {
    const int64_t interval = chore_->Do();
    last_ = MillisecondsNow();
    next_ = interval == Chore::kNever ? Chore::kNever : last_ + std::max(interval, kFirstChore);
    if (is_first_) {
      alarm_ = chore_->alarm_fd();
      if (alarm_ >= 0) signal_fd_ = signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK);
    }
    is_first_ = false;
  }

  const sigset_t& signals_;
  Chore* const chore_;
  int64_t next_;  // when the chore is to be done
  int64_t last_ = 0;
  int signal_fd_ = -1;
  int alarm_ = -1;
  bool is_first_ = true;
};

}  // namespace

JobEnd FollowJob(pid_t child, const SignalScope& signals, Chore* chore) {
  JobEnd end;
  Waiter waiter(signals.signals(), chore);
  for (;;) {
    siginfo_t info = {};
    const int number = waiter.Wait(info);
    switch (number) {
      case -1:  // EINTR: a stop and continue
        break;
      case SIGCHLD:
        if (TakeChildEvents(child, end.wait_status)) return end;
        break;
      case SIGINT:
        end.was_interrupted |= !IsSentByProcess(info);
        break;
      case SIGQUIT:
        break;
      case SIGTSTP:
      case SIGTTIN:
      case SIGTTOU:
        if (IsSentByProcess(info) && info.si_pid != child) kill(child, number);
        break;
      default:
        if (!IsCommandsOwn(info, child) && info.si_pid != child) kill(child, number);
    }
  }
}

bool IsCommandsOwn(const siginfo_t& info, pid_t child) { return !IsSentByProcess(info) && getpgid(child) == getpgrp(); }

void DieBy(int number) {
  struct sigaction plain = {};
  plain.sa_handler = SIG_DFL;
  sigaction(number, &plain, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  raise(number);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
}

int ShellStatusOf(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

}  // namespace ahead::cli
