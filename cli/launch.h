// How a program is started: one vfork and one execve, no shell, and in the child exactly the signal mask and
// dispositions the caller of `ahead` had.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "cli/environment.h"

namespace ahead::cli {

// Opens those of the descriptors 0 to 2 that the caller left closed, until execve: nothing that we open may get one of
// these numbers, or what we say on stderr would be written into it. A program that is started finds them closed.
void HoldStandardDescriptors();

// Blocks `taken`, and lets children be waited for even when the caller ignores SIGCHLD, for as long as it lives. Thread
// safety: one at a time, in a process with one thread.
class SignalScope {
 public:
  SignalScope(std::initializer_list<int> taken);
  ~SignalScope() { RestoreInherited(); }
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;

  const sigset_t& signals() const { return signals_; }
  // Puts back mask and dispositions as ahead was started with. Async-signal-safe.
  void RestoreInherited() const;

 private:
  sigset_t signals_;
  sigset_t inherited_mask_;
  struct sigaction inherited_child_action_;
};

// The standard streams of the child; -1 leaves one as it is. `prepare`, if any, runs in the child before the program:
// it shares our memory until then, so system calls only.
struct Streams {
  int input = -1;
  int output = -1;
  int error = -1;
  void (*prepare)() = nullptr;
};

// Who said no: the system to another process, or to this program.
enum class LaunchFault : uint8_t { kNone, kNoProcess, kNotExecuted };

struct Launched {
  pid_t pid = -1;
  LaunchFault fault = LaunchFault::kNone;
  int error = 0;       // errno; pid is -1 then
  pid_t command = -1;  // whom signals are for, where that is not `pid` itself
};

// Starts the program at `path` with the arguments `words` (the first is its own name). A file that execve does not
// recognise is run by /bin/sh if it is a text, as shells do.
Launched Launch(const std::string& path, const std::vector<std::string>& words, Environment& environment,
                const SignalScope& signals, const Streams& streams = {});

}  // namespace ahead::cli
