// One run of a command: how long it took, as `time` would say, and what it printed.
#pragma once

#include <signal.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>

#include "cli/launch.h"

namespace ahead::cli {

// What a command wrote to a stream: all of it as length and hash, the start of it as text.
struct Output {
  uint64_t bytes = 0;
  uint64_t hash = 0;
  std::string start;  // at most kStartBytes

  static constexpr size_t kStartBytes = size_t{1} << 16;
  bool operator==(const Output& other) const { return bytes == other.bytes && hash == other.hash; }
};

struct TimedRun {
  int launch_error = 0;  // errno; nothing else is set then
  double real_s = 0;     // from before the program is started until its end is known
  double user_s = 0;     // of the command and the children it waited for
  double sys_s = 0;
  int wait_status = 0;
  Output output;
  std::string errors;      // the start of what it wrote to stderr
  int interrupted_by = 0;  // the last signal that asked this process to end; it was passed on to the command
};

// Every signal RunTimed takes.
inline constexpr std::initializer_list<int> kTimedRunSignals = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};

// Starts a process through `start`, which gets the streams to give to it: no input, a pipe that is read here, and a
// file in memory for stderr. Waits for its end; INT, TERM and HUP that come to this process meanwhile are passed on to
// it. Takes: `signals`, which must block kTimedRunSignals. Children that run on with the output open are not waited
// for.
TimedRun RunTimed(const std::function<Launched(const Streams&)>& start, const SignalScope& signals);

// Says in words where two outputs differ: the line and both texts if they are in the start, else the lengths or sums.
std::string DescribeDifference(const Output& a, const std::string& a_name, const Output& b, const std::string& b_name);

}  // namespace ahead::cli
