// A folder for one test, removed afterwards, and a trace in memory to write to and read back.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "stats/trace_map.h"
#include "stats/trace_reader.h"
#include "stats/trace_writer.h"

namespace ahead::test {

class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ahead-trace-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  std::string Write(const std::string& name, const std::string& content) const {
    std::ofstream(*this / name, std::ios::binary) << content;
    return *this / name;
  }

 private:
  std::string path_;
};

inline std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline int64_t BytesOfChunks(int64_t chunks) {
  return static_cast<int64_t>(kTraceHeaderBytes) + chunks * static_cast<int64_t>(kTraceChunkBytes);
}

// A memfd of so many chunks, opened for appending as a host opens it, and a process that has begun to record.
class MemoryTrace {
 public:
  explicit MemoryTrace(int64_t chunks, const Options& options = {}) {
    fd_ = CreateTraceMemfd({BytesOfChunks(chunks)}, 4_KiB);
    path_ = "/proc/self/fd/" + std::to_string(fd_);
    TraceError error;
    trace_ = OpenTrace(path_.c_str(), getpid(), 4_KiB, error);
    TraceProcess(trace_, options, 1_ms);
  }
  ~MemoryTrace() { close(fd_); }
  MemoryTrace(const MemoryTrace&) = delete;
  MemoryTrace& operator=(const MemoryTrace&) = delete;

  Trace* get() const { return trace_; }
  int fd() const { return fd_; }
  TraceContents Read() const {
    auto contents = ReadTrace(path_);
    EXPECT_TRUE(contents.ok()) << contents.status();
    return contents.ok() ? *contents : TraceContents{};
  }

 private:
  int fd_ = -1;
  std::string path_;
  Trace* trace_ = nullptr;
};

// Names the open file `fd` in `trace`, and opens it as the description of the same number. Returns that.
inline TraceId AddFile(Trace* trace, int fd, int64_t size, Nanos now = {}) {
  TraceFileFacts facts;
  facts.number = NextTraceId(trace);
  facts.device = 7;
  facts.inode = 11;
  facts.size = {size};
  TraceFile(trace, fd, facts, now);
  TraceEventFacts open;
  open.kind = TraceKind::kOpen;
  open.description = open.file = facts.number;
  TraceEvent(trace, open, now);
  return facts.number;
}

// A read that the filter let pass, now.
inline TraceReadFacts ReadOf(const Trace* trace, TraceId file, int64_t offset, int64_t length) {
  TraceReadFacts read;
  read.description = file;
  read.offset = offset;
  read.asked = read.returned = length;
  read.begin_ticks = TraceTicks(*trace);
  read.end_ticks = TraceTicks(*trace);
  return read;
}

inline TracePlanFacts PlanOf(Trace* trace, TraceId file, int64_t offset, int64_t length, Nanos time) {
  TracePlanFacts plan;
  plan.sequence = NextSequence(trace);
  plan.description = plan.file = file;
  plan.access.range = {{offset}, {offset + length}};
  plan.access.time = time;
  return plan;
}

}  // namespace ahead::test
