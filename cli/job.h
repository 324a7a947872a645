// The part of `time` in a shell's job control: in the same process group as the command, never in its way.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <initializer_list>

#include "cli/launch.h"

namespace ahead::cli {

// Something else that this process does while the command runs, now and then, in the same thread.
class Chore {
 public:
  static constexpr int64_t kNever = -1;
  virtual ~Chore() = default;
  // Does it. Returns in how many milliseconds it is to be done again, or kNever.
  virtual int64_t Do() = 0;
  // Returns a descriptor that has POLLPRI when it is to be done sooner, or -1.
  virtual int alarm_fd() { return -1; }
};

struct JobEnd {
  int wait_status = 0;
  // The terminal's interrupt character reached the process group while the command ran.
  bool was_interrupted = false;
};

// Every signal FollowJob takes; to be blocked from before the command starts.
inline constexpr std::initializer_list<int> kJobSignals = {SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGINT,
                                                           SIGQUIT, SIGTERM, SIGHUP,  SIGUSR1, SIGUSR2};

// Waits until `child` ends. Meanwhile INT and QUIT are left to the command; TERM, HUP, USR1, USR2 and a TSTP that
// somebody sent to this process are passed on; when the command stops, this process stops itself by the same signal, so
// that a shell sees its job stopped; when this process is continued, so is the command.
//
// A signal that a process sends to the whole group reaches the command twice, directly and passed on: kill(pid) and
// kill(-pgid) leave the same siginfo (ADR 0006). Only what the kernel itself sends to the group (the terminal's HUP) is
// told apart and not passed on.
//
// The chore is done for the first time after kFirstChore, so that a command of less costs nothing for it; and never
// twice within that time.
inline constexpr int64_t kFirstChore = 1000;  // milliseconds
JobEnd FollowJob(pid_t child, const SignalScope& signals, Chore* chore = nullptr);

// Says whether the command has a copy of its own of a signal that came to this process: the kernel sends the terminal's
// signals to the whole foreground group.
bool IsCommandsOwn(const siginfo_t& info, pid_t child);

// Ends this process by `number`, so that whoever waits for it sees of what it died: a shell breaks out of a loop only
// then. Returns where the signal ends nobody.
void DieBy(int number);

// Returns the status as a shell shows it: the command's own, or 128+N when it died by signal N.
int ShellStatusOf(int wait_status);

}  // namespace ahead::cli
