// What does one line of strace's output say? Takes lines apart into calls, arguments and results; what the calls did is
// followed by strace_import.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"

namespace ahead {

struct StraceLine {
  enum class Kind : uint8_t {
    kMisread,     // not understood
    kOther,       // a signal, or what strace says about itself
    kCall,        // NAME(ARGUMENTS) = RESULT
    kUnfinished,  // NAME(ARGUMENTS <unfinished ...>
    kResumed,     // <... NAME resumed>ARGUMENTS) = RESULT
    kExit,        // the thread is gone
  };
  Kind kind = Kind::kMisread;
  int32_t tid = 0;              // 0: not given
  std::optional<Nanos> time;    // since the epoch, or since midnight
  bool is_time_of_day = false;  // since midnight
  std::string_view name;        // of the call
  std::string_view text;        // kCall, kUnfinished: from behind the '(' on; kResumed: from behind the '>' on
};

// `line` without its newline must outlive the result.
StraceLine ParseStraceLine(std::string_view line);

// A call that is over.
struct StraceCall {
  std::vector<std::string_view> arguments;
  std::optional<int64_t> result;  // empty: '?', which is a call that did not return
  std::string_view error;         // e.g. ENOENT, of a result -1
  std::string_view result_path;   // what -y says of a descriptor returned
  std::optional<Nanos> duration;  // of -T
};

// Takes what follows the '(' of a call: ARGUMENTS) = RESULT. Returns nothing when it has another form. `text` must
// outlive the result.
std::optional<StraceCall> ParseStraceCall(std::string_view text);

// An argument that is a descriptor: 3, AT_FDCWD, or with -y 3</path>.
struct StraceDescriptor {
  int32_t number = -1;
  bool is_folder = false;  // AT_FDCWD
  std::string_view path;   // as strace wrote it; empty: not said
};
std::optional<StraceDescriptor> ParseStraceDescriptor(std::string_view argument);

// Returns a whole number, decimal, octal or hexadecimal, that begins `argument`.
std::optional<int64_t> ParseStraceNumber(std::string_view argument);

// Returns the text of "..." without the escapes; nothing when it is none or was cut.
std::optional<std::string> ParseStraceString(std::string_view argument);

// Takes the escapes out of what stands between quotes or <>.
std::string UnescapeStrace(std::string_view text);

// Returns what stands behind `name=` in {name=..., ...}, up to the end of the field; empty when it is not there.
std::string_view StraceField(std::string_view structure, std::string_view name);

// Returns the number of the device makedev(MAJOR, MINOR), of the simple form that has room for 256 of each.
std::optional<uint64_t> ParseStraceDevice(std::string_view value);

}  // namespace ahead
