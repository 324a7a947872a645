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

// A memfd of `records` slots, opened for appending as a host opens it.
class MemoryTrace {
 public:
  explicit MemoryTrace(int64_t records) {
    fd_ = CreateTraceMemfd({static_cast<int64_t>(kTraceHeaderBytes) + records * 64}, 4_KiB);
    path_ = "/proc/self/fd/" + std::to_string(fd_);
    TraceError error;
    trace_ = OpenTrace(path_.c_str(), getpid(), 4_KiB, error);
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

// Names the open file `fd` in `trace`.
inline TraceId AddFile(Trace* trace, int fd, int64_t size, Nanos now = {}) {
  TraceFileFacts facts;
  facts.fd = fd;
  facts.device = 7;
  facts.inode = 11;
  facts.size = {size};
  return TraceFile(trace, facts, now);
}

inline TraceAccess ReadOf(TraceId file, int64_t offset, int64_t length, Nanos time) {
  TraceAccess access;
  access.file = file;
  access.access.range = {{offset}, {offset + length}};
  access.access.time = time;
  return access;
}

}  // namespace ahead::test
