// Which calls does strace's output show, in which order did they begin, and when? Puts the two halves of interrupted
// lines together and makes times that begin with 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "stats/strace_line.h"
#include "stats/text.h"
#include "stats/trace_import.h"

namespace ahead {

// A call that is over. What it points at lasts until the next line.
struct StraceDone {
  int32_t tid = 0;
  std::string_view name;
  StraceCall call;
  Nanos begin;
  Nanos end;
};

// Counts in `out` what could not be understood.
class StraceLines {
 public:
  StraceLines(std::string_view text, TraceImport& out) : text_(text), out_(out) {}

  // Calls `on_call(const StraceDone&)` for each call that is over and `on_exit(tid)` for each thread that is gone.
  template <typename OnCall, typename OnExit>
  void ForEach(OnCall on_call, OnExit on_exit) {
    out_.lines = out_.misread_lines = out_.first_misread_line = 0;
    started_.clear();
    ForEachLine(text_, [&](std::string_view line) { Take(line, on_call, on_exit); });
  }

  // Of the first line: since the epoch, or since midnight.
  Nanos first() const { return first_; }

 private:
  static constexpr int32_t kOnlyThread = 1;  // where lines name none
  // Half of what a trace may hold, so that a duration can be added.
  static constexpr Nanos kLongest{int64_t{1} << 59};
  static constexpr Nanos kDay{int64_t{86400} * 1'000'000'000};

  struct Started {
    std::string name;
    std::string text;
    Nanos begin;
  };

  template <typename OnCall, typename OnExit>
  void Take(std::string_view text, OnCall& on_call, OnExit& on_exit) {
    ++out_.lines;
    StraceLine line = ParseStraceLine(text);
    const int32_t tid = line.tid == 0 ? kOnlyThread : line.tid;
    const Nanos now = TimeOf(line);
    switch (line.kind) {
      case StraceLine::Kind::kMisread:
        return Misread();
      case StraceLine::Kind::kOther:
        return;
      case StraceLine::Kind::kExit:
        started_.erase(tid);
        return on_exit(tid);
      case StraceLine::Kind::kUnfinished:
        started_[tid] = {std::string(line.name), std::string(line.text), now};
        return;
      case StraceLine::Kind::kResumed: {
        const auto begun = started_.find(tid);
        // One that began before strace looked has no arguments.
        if (begun == started_.end() || begun->second.name != line.name) return;
        const Started started = std::move(begun->second);
        started_.erase(begun);
        const std::string whole = started.text + std::string(line.text);
        return Finish(tid, started.name, whole, started.begin, now, on_call);
      }
      case StraceLine::Kind::kCall:
        return Finish(tid, line.name, line.text, now, now, on_call);
    }
  }

  template <typename OnCall>
  void Finish(int32_t tid, std::string_view name, std::string_view text, Nanos begin, Nanos end, OnCall& on_call) {
    std::optional<StraceCall> call = ParseStraceCall(text);
    if (!call) return Misread();
    if (call->duration) end = begin + std::min(*call->duration, kLongest);
    on_call(StraceDone{tid, name, std::move(*call), begin, end});
  }

  void Misread() {
    if (out_.misread_lines++ == 0) out_.first_misread_line = out_.lines;
  }

  // Returns the time since the first line; without times, as if a line took a microsecond.
  Nanos TimeOf(const StraceLine& line) {
    if (!line.time) return {static_cast<int64_t>(out_.lines) * 1000};
    Nanos time = *line.time;
    if (line.is_time_of_day) {
      if (has_first_ && time + days_ + kDay / 2 < last_ && days_ < kLongest) days_ = days_ + kDay;
      time = time + days_;
    }
    if (!has_first_) first_ = time;
    has_first_ = true;
    last_ = time;
    return time < first_ ? Nanos{} : std::min(time - first_, kLongest);
  }

  std::string_view text_;
  TraceImport& out_;
  std::unordered_map<int32_t, Started> started_;
  Nanos first_{};
  Nanos last_{};
  Nanos days_{};
  bool has_first_ = false;
};

}  // namespace ahead
