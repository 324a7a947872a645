// Children, temporary folders and segments in shared memory for the tests of stats.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "stats/segment.h"

namespace ahead {

// Runs `body` in a child, whose exit status is what it returns.
inline pid_t Spawn(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  return child;
}

// Replaces this process by a program; returns only where that fails.
inline void Become(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
}

// Runs a program in a child.
inline pid_t SpawnProgram(const std::vector<std::string>& words) {
  return Spawn([&] {
    Become(words);
    return 127;
  });
}

// Waits for a child; returns its exit status, or 128+N when signal N ended it.
inline int Wait(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// A pipe whose ends close with it and do not reach programs. Forked children hold copies, so they close what they do
// not use.
struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() { EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0); }
  ~Pipe() { CloseRead(), CloseWrite(); }
  void CloseRead() { Close(ends[0]); }
  void CloseWrite() { Close(ends[1]); }
  void Put() const { EXPECT_EQ(write(ends[1], "x", 1), 1); }
  // Waits for a byte, or for the end; false at the end.
  bool Get() const {
    char byte;
    return read(ends[0], &byte, 1) == 1;
  }

 private:
  static void Close(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
};

class TemporaryFolder {
 public:
  TemporaryFolder() {
    char name[] = "/tmp/ahead-stats-test-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// A segment that children of the test share with it.
class SharedSegment {
 public:
  explicit SharedSegment(uint32_t block_count) : bytes_(SegmentBytes(block_count)) {
    void* base = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    segment_ = InitSegment(base, bytes_, block_count, 0, nullptr);
  }
  ~SharedSegment() { munmap(segment_.get(), bytes_); }
  Segment* operator->() const { return segment_.get(); }
  Segment* get() const { return segment_.get(); }
  operator SegmentView() const { return segment_; }
  Block* blocks() const { return segment_.blocks(); }
  uint64_t* owners() const { return segment_.owners(); }
  Owner owner(uint32_t index) const { return segment_.owner(index); }

 private:
  size_t bytes_;
  SegmentView segment_;
};

// Returns the number of a process that has ended.
inline pid_t EndedProcess() {
  const pid_t child = Spawn([] { return 0; });
  Wait(child);
  return child;
}

}  // namespace ahead
