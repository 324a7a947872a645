#include "cli/job.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

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

}  // namespace

JobEnd FollowJob(pid_t child, const SignalScope& signals) {
  JobEnd end;
  for (;;) {
    siginfo_t info = {};
    const int number = sigwaitinfo(&signals.signals(), &info);
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
