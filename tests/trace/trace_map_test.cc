#include "stats/trace_map.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/trace/scratch.h"

namespace ahead {
namespace {

using test::AddFile;
using test::Content;
using test::ReadOf;
using test::Scratch;

Trace* Open(const std::string& path, TraceError& error) { return OpenTrace(path.c_str(), getpid(), 4_KiB, error); }

// Takes part in `trace` with one read at `offset`.
void Take(Trace* trace, int64_t offset) {
  TraceProcess(trace, Options{}, {offset});
  TraceRead(trace, ReadOf(trace, AddFile(trace, 0, 10), offset, 1));
}

TEST(TraceMapTest, NewFileIsPrivateReservedAndReadable) {
  Scratch scratch;
  const std::string path = scratch / "trace";
  TraceError error;
  Trace* trace = Open(path, error);
  ASSERT_NE(trace, nullptr);
  struct stat status;
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, mode_t{0600});
  EXPECT_EQ(status.st_size, kTraceFileSize.value);
  EXPECT_GE(status.st_blocks * 512, kTraceFileSize.value);
  const auto contents = ReadTrace(path);
  ASSERT_TRUE(contents.ok()) << contents.status();
  EXPECT_EQ(contents->records, 0u);
  EXPECT_EQ(contents->page, 4_KiB);
}

TEST(TraceMapTest, LaterProcessesAppendToTheSameFile) {
  Scratch scratch;
  const std::string path = scratch / "trace";
  for (int round = 0; round < 2; ++round) {
    TraceError error;
    Trace* trace = Open(path, error);
    ASSERT_NE(trace, nullptr);
    Take(trace, round);
  }
  const auto contents = ReadTrace(path);
  ASSERT_TRUE(contents.ok()) << contents.status();
  EXPECT_EQ(contents->reads.size(), 2u);
}

TEST(TraceMapTest, ProcessesThatStartAtOnceShareOneTrace) {
  Scratch scratch;
  const std::string path = scratch / "trace";
  constexpr int kProcesses = 6;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child > 0) continue;
    TraceError error;
    Trace* trace = Open(path, error);
    if (trace == nullptr) _exit(1);
    Take(trace, process);
    _exit(0);
  }
  for (int process = 0; process < kProcesses; ++process) {
    int status;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  const auto contents = ReadTrace(path);
  ASSERT_TRUE(contents.ok()) << contents.status();
  EXPECT_EQ(contents->reads.size(), size_t{kProcesses});
}

TEST(TraceMapTest, ProcessPatternMakesASmallerFileForEach) {
  Scratch scratch;
  TraceError error;
  ASSERT_NE(OpenTrace((scratch / "trace.%p").c_str(), 4711, 4_KiB, error), nullptr);
  struct stat status;
  ASSERT_EQ(stat((scratch / "trace.4711").c_str(), &status), 0);
  EXPECT_EQ(status.st_size, kTraceProcessFileSize.value);
}

TEST(TraceMapTest, ForeignFileIsRefusedAndLeftAlone) {
  Scratch scratch;
  const std::string words(5000, 'w');
  const std::string path = scratch.Write("letter", words);
  TraceError error;
  EXPECT_EQ(Open(path, error), nullptr);
  EXPECT_EQ(error, TraceError::kNotATrace);
  EXPECT_EQ(Content(path), words);
}

TEST(TraceMapTest, TraceOfAnotherVersionIsRefusedAndLeftAlone) {
  Scratch scratch;
  const std::string path = scratch / "trace";
  TraceError error;
  Trace* trace = Open(path, error);
  ASSERT_NE(trace, nullptr);
  trace->header->version = kTraceVersion + 1;
  EXPECT_EQ(Open(path, error), nullptr);
  EXPECT_EQ(error, TraceError::kNotATrace);
}

TEST(TraceMapTest, HeaderThatSomebodyElseIsWritingIsNoStranger) {
  Scratch scratch;
  const std::string path = scratch / "trace";
  TraceError error;
  Trace* trace = Open(path, error);
  ASSERT_NE(trace, nullptr);
  // As it is before the last two steps.
  for (char& c : trace->header->magic) c = 0;
  trace->header->realtime_ns = 0;
  ASSERT_NE(Open(path, error), nullptr);
  EXPECT_TRUE(ReadTrace(path).ok());
}

TEST(TraceMapTest, CapacityBeyondTheFileIsRefused) {
  Scratch scratch;
  const std::string path = scratch / "trace";
  TraceError error;
  Trace* trace = Open(path, error);
  ASSERT_NE(trace, nullptr);
  trace->header->chunk_count += 1000;
  EXPECT_EQ(Open(path, error), nullptr);
  EXPECT_EQ(error, TraceError::kNotATrace);
}

TEST(TraceMapTest, WhatIsNoFileIsRefused) {
  Scratch scratch;
  TraceError error;
  EXPECT_EQ(Open(scratch / "missing/trace", error), nullptr);
  EXPECT_EQ(error, TraceError::kCannotOpen);
  EXPECT_EQ(Open(scratch / ".", error), nullptr);
  EXPECT_EQ(error, TraceError::kCannotOpen);
  ASSERT_EQ(mkfifo((scratch / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(Open(scratch / "pipe", error), nullptr);
  EXPECT_EQ(error, TraceError::kNotATrace);
  EXPECT_EQ(Open("/dev/null", error), nullptr);
  EXPECT_EQ(error, TraceError::kNotATrace);
}

TEST(TraceMapTest, FileSizeLimitIsReportedAndDoesNotKill) {
  Scratch scratch;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit limit{1 << 20, 1 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    TraceError error;
    const bool refused = Open(scratch / "trace", error) == nullptr && error == TraceError::kNoSpace;
    _exit(refused ? 0 : 1);
  }
  int status;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(TraceMapTest, FullDiskIsReportedAndDoesNotKill) {
  Scratch scratch;
  const std::string disk = scratch / "disk";
  std::filesystem::create_directory(disk);
  if (mount("ahead-test", disk.c_str(), "tmpfs", 0, "size=1m") != 0) GTEST_SKIP() << "mounting a small disk needs root";
  TraceError error;
  Trace* trace = Open(disk + "/trace", error);
  umount2(disk.c_str(), MNT_DETACH);
  EXPECT_EQ(trace, nullptr);
  EXPECT_EQ(error, TraceError::kNoSpace);
}

TEST(TraceMapTest, MemfdCannotBeShortenedUnderItsWriters) {
  const int fd = CreateTraceMemfd(1_MiB, 4_KiB);
  ASSERT_GE(fd, 0);
  EXPECT_NE(ftruncate(fd, 0), 0);
  EXPECT_NE(ftruncate(fd, 2 << 20), 0);
  EXPECT_NE(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
  close(fd);
}

TEST(TraceMapTest, MemfdNeedsRoomForAChunk) { EXPECT_EQ(CreateTraceMemfd(8_KiB, 4_KiB), -1); }

TEST(TraceMapTest, OpeningLeavesNoDescriptorBehind) {
  Scratch scratch;
  const int before = open("/dev/null", O_RDONLY);
  close(before);
  TraceError error;
  ASSERT_NE(Open(scratch / "trace", error), nullptr);
  ASSERT_EQ(Open(scratch / "missing/trace", error), nullptr);
  const int after = open("/dev/null", O_RDONLY);
  close(after);
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace ahead
