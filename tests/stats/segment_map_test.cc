#include "stats/segment_map.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "stats/snapshot.h"
#include "tests/stats/processes.h"

namespace ahead {
namespace {

constexpr int kSkip = 77;

// Cross-built programs run under an emulator, and cannot be started by each other.
bool HasClaimer() { return CLAIMER[0] != 0; }

std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int CountInFile(const std::string& pattern, uint64_t pages) {
  SegmentView segment = MapStatsFile(pattern.c_str(), getpid());
  if (!segment) return 1;
  Block* block = ClaimBlock(segment, getpid());
  if (block == nullptr) return 2;
  block->ledger.Add(Event::readahead, Class::state, pages);
  return 0;
}

uint64_t PagesIn(const std::string& path) {
  SegmentView segment = MapSegmentFile(path.c_str(), MapMode::kOpen);
  if (!segment) return 0;
  const uint64_t pages = ReadSnapshot(segment).total.ledger.pages(Event::readahead, Class::state);
  UnmapSegment(segment);
  return pages;
}

// Runs `body` in a child that has a file system of its own mounted at `folder`. The mount ends with the child.
int WithMount(const std::string& folder, const char* type, const char* data, const std::function<int()>& body) {
  return Wait(Spawn([&] {
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", folder.c_str(), type, 0, data) != 0)
      return kSkip;
    return body();
  }));
}

TEST(SegmentMapTest, AFileIsMadePrivateReservedAndOfTheRightSize) {
  const TemporaryFolder folder;
  const std::string path = folder / "stats";
  const mode_t before = umask(0);
  SegmentView segment = MapStatsFile(path.c_str(), getpid());
  umask(before);
  ASSERT_TRUE(segment);
  struct stat made;
  ASSERT_EQ(stat(path.c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 07777, 0600u);
  EXPECT_EQ(static_cast<size_t>(made.st_size), SegmentBytes());
  EXPECT_GE(static_cast<size_t>(made.st_blocks) * 512, SegmentBytes())
      << "a disk that fills up must not fault the host";
  EXPECT_EQ(segment->block_count, kBlockCount);
  EXPECT_EQ(segment->session_pid, 0);
  UnmapSegment(segment);
}

TEST(SegmentMapTest, AFileOfOneProcessHasOneBlock) {
  const TemporaryFolder folder;
  SegmentView segment = MapStatsFile((folder / "%p.stats").c_str(), 1234);
  ASSERT_TRUE(segment);
  EXPECT_EQ(segment->block_count, 1u);
  EXPECT_EQ(access((folder / "1234.stats").c_str(), F_OK), 0);
  UnmapSegment(segment);
}

TEST(SegmentMapTest, NoDescriptorIsLeftOpen) {
  const TemporaryFolder folder;
  const int before = open("/dev/null", O_RDONLY);
  close(before);
  SegmentView segment = MapStatsFile((folder / "stats").c_str(), getpid());
  EXPECT_FALSE(MapStatsFile((folder / "no/such/folder").c_str(), getpid()));
  const int after = open("/dev/null", O_RDONLY);
  EXPECT_EQ(before, after);
  close(after);
  UnmapSegment(segment);
}

TEST(SegmentMapTest, ProcessesThatMakeTheFileAtOnceCountIntoOne) {
  const TemporaryFolder folder;
  const std::string path = folder / "stats";
  Pipe start;
  std::vector<pid_t> children;
  for (int i = 0; i < 40; ++i)
    children.push_back(Spawn([&] {
      start.CloseWrite();
      start.Get();
      return CountInFile(path, 10);
    }));
  start.CloseWrite();
  for (const pid_t child : children) EXPECT_EQ(Wait(child), 0);
  EXPECT_EQ(PagesIn(path), 400u);
}

TEST(SegmentMapTest, AnExistingFileIsContinuedWhateverSizeWasAskedFor) {
  const TemporaryFolder folder;
  const std::string path = folder / "stats";
  SegmentView small = MapSegmentFile(path.c_str(), MapMode::kCreate, 2);
  ASSERT_TRUE(small);
  UnmapSegment(small);
  EXPECT_EQ(CountInFile(path, 3), 0);
  EXPECT_EQ(PagesIn(path), 3u);
  EXPECT_EQ(std::filesystem::file_size(path), SegmentBytes(2));
}

TEST(SegmentMapTest, AnExecCarriesOnInTheSameBlock) {
  if (!HasClaimer()) GTEST_SKIP() << "programs of another machine cannot be started here";
  const TemporaryFolder folder;
  const std::string path = folder / "stats";
  UnmapSegment(MapStatsFile(path.c_str(), getpid()));
  EXPECT_EQ(Wait(SpawnProgram({CLAIMER, path, "5", CLAIMER, path, "6", CLAIMER, path, "7"})), 0);
  SegmentView segment = MapSegmentFile(path.c_str(), MapMode::kOpen);
  const Snapshot snapshot = ReadSnapshot(segment);
  EXPECT_EQ(snapshot.total.processes, 1u);
  ASSERT_EQ(snapshot.processes.size(), 1u);
  EXPECT_EQ(snapshot.processes[0].counts.ledger.pages(Event::readahead, Class::state), 18u);
  EXPECT_EQ(snapshot.processes[0].command, "stats_claimer");
  UnmapSegment(segment);
}

TEST(SegmentMapTest, WhatIsNotOursIsRefusedAndLeftAlone) {
  const TemporaryFolder folder;
  const std::string zeros(SegmentBytes(), '\0');
  const std::string like_ours = "AHEAD" + std::string(SegmentBytes() - 5, '\0');
  const std::string tail = std::string(100, '\0') + "data";
  for (const std::string& contents : {std::string("a text\n"), like_ours, zeros + "longer", zeros.substr(1) + "x" + "y",
                                      tail, std::string(9000, 'x')}) {
    const std::string path = folder / "file";
    std::ofstream(path, std::ios::binary) << contents;
    errno = 0;
    EXPECT_FALSE(MapStatsFile(path.c_str(), getpid())) << contents.size();
    EXPECT_EQ(errno, EBADMSG);
    EXPECT_FALSE(MapSegmentFile(path.c_str(), MapMode::kOpen));
    EXPECT_TRUE(Contents(path) == contents) << "of " << contents.size() << " bytes was changed";
  }
  EXPECT_FALSE(MapStatsFile("/dev/null", getpid()));
  EXPECT_FALSE(MapStatsFile((folder / ".").c_str(), getpid()));
  ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_FALSE(MapStatsFile((folder / "fifo").c_str(), getpid()));
}

TEST(SegmentMapTest, ASegmentThatWasCutShortIsRefused) {
  const TemporaryFolder folder;
  const std::string path = folder / "stats";
  EXPECT_EQ(CountInFile(path, 1), 0);
  for (const size_t size : {SegmentBytes() - 1, sizeof(Segment), size_t{12}}) {
    ASSERT_EQ(truncate(path.c_str(), static_cast<off_t>(size)), 0);
    EXPECT_FALSE(MapSegmentFile(path.c_str(), MapMode::kOpen)) << size;
    EXPECT_FALSE(MapStatsFile(path.c_str(), getpid())) << size;
    EXPECT_EQ(std::filesystem::file_size(path), size);
  }
}

TEST(SegmentMapTest, OpeningMakesNothing) {
  const TemporaryFolder folder;
  EXPECT_FALSE(MapSegmentFile((folder / "none").c_str(), MapMode::kOpen));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_NE(access((folder / "none").c_str(), F_OK), 0);
  std::ofstream(folder / "empty");
  EXPECT_FALSE(MapSegmentFile((folder / "empty").c_str(), MapMode::kOpen));
  EXPECT_EQ(std::filesystem::file_size(folder / "empty"), 0u);
}

TEST(SegmentMapTest, AFileSizeLimitIsNotAnsweredWithASignal) {
  const TemporaryFolder folder;
  const pid_t child = Spawn([&] {
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    const bool has_file = static_cast<bool>(MapStatsFile((folder / "stats").c_str(), getpid()));
    return has_file || errno != EFBIG || CreateSegmentMemfd(nullptr) >= 0 ? 1 : 0;
  });
  EXPECT_EQ(Wait(child), 0);
}

TEST(SegmentMapTest, AFullDiskIsSeenBeforeItCouldFault) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "full");
  const int status = WithMount(folder / "full", "tmpfs", "size=65536", [&] {
    return !MapStatsFile((folder / "full/stats").c_str(), getpid()) && errno == ENOSPC ? 0 : 1;
  });
  if (status == kSkip) GTEST_SKIP() << "cannot mount here";
  EXPECT_EQ(status, 0);
}

TEST(SegmentMapTest, WhereSpaceCannotBeReservedZerosAreWritten) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "ram");
  const std::string path = folder / "ram/stats";
  const int status = WithMount(folder / "ram", "ramfs", nullptr, [&] {
    Pipe start;
    std::vector<pid_t> children;
    for (int i = 0; i < 20; ++i)
      children.push_back(Spawn([&] {
        start.CloseWrite();
        start.Get();
        return CountInFile(path, 10);
      }));
    start.CloseWrite();
    for (const pid_t child : children)
      if (Wait(child) != 0) return 1;
    return PagesIn(path) == 200 && std::filesystem::file_size(path) == SegmentBytes() ? 0 : 2;
  });
  if (status == kSkip) GTEST_SKIP() << "cannot mount here";
  EXPECT_EQ(status, 0);
}

TEST(SegmentMapTest, AnotherUserReachesNeitherFileNorRun) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const TemporaryFolder folder;
  ASSERT_EQ(chmod((folder / ".").c_str(), 0755), 0);
  const std::string path = folder / "stats";
  ASSERT_EQ(CountInFile(path, 1), 0);
  const int fd = CreateSegmentMemfd(nullptr);
  const std::string run = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fd);
  ASSERT_TRUE(MapSegmentFile(run.c_str(), MapMode::kOpen));
  const pid_t child = Spawn([&] {
    if (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0) return 1;
    if (MapSegmentFile(path.c_str(), MapMode::kOpen) || errno != EACCES) return 2;
    if (MapStatsFile(path.c_str(), getpid())) return 3;
    return !MapSegmentFile(run.c_str(), MapMode::kOpen) ? 0 : 4;
  });
  EXPECT_EQ(Wait(child), 0);
  close(fd);
}

TEST(SegmentMapTest, TheMemfdOfARunCannotChangeItsSize) {
  const int fd = CreateSegmentMemfd("ratio=50\n", 8);
  ASSERT_GE(fd, 0);
  EXPECT_NE(ftruncate(fd, 4096), 0);
  EXPECT_NE(ftruncate(fd, 1 << 30), 0);
  EXPECT_EQ(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  struct stat made;
  ASSERT_EQ(fstat(fd, &made), 0);
  EXPECT_EQ(made.st_mode & 0777, 0600u);
  close(fd);
}

TEST(SegmentMapTest, AProgramOfTheRunCountsThroughProc) {
  if (!HasClaimer()) GTEST_SKIP() << "programs of another machine cannot be started here";
  const int fd = CreateSegmentMemfd("ratio=50\n", 8);
  const std::string path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fd);
  EXPECT_EQ(Wait(SpawnProgram({CLAIMER, path, "11"})), 0);
  SegmentView segment = MapSegmentFile(path.c_str(), MapMode::kOpen);
  ASSERT_TRUE(segment);
  close(fd);
  const Snapshot snapshot = ReadSnapshot(segment);
  EXPECT_EQ(snapshot.session_pid, getpid());
  EXPECT_EQ(snapshot.options, "ratio=50\n");
  EXPECT_EQ(snapshot.total.ledger.pages(Event::readahead, Class::state), 11u);
  UnmapSegment(segment);
}

TEST(ProcessPatternTest, ExpandsOnlyWhatItKnows) {
  const struct {
    const char* pattern;
    const char* expanded;
    bool has;
  } kCases[] = {{"/tmp/s", "/tmp/s", false}, {"%p", "42", true},    {"a%p-%p.b", "a42-42.b", true},
                {"100%%p", "100%p", false},  {"%%%p", "%42", true}, {"50%", "50%", false},
                {"%d/%s", "%d/%s", false},   {"", "", false}};
  for (const auto& each : kCases) {
    char out[64];
    EXPECT_TRUE(ExpandProcessPattern(each.pattern, 42, out, sizeof(out)));
    EXPECT_STREQ(out, each.expanded);
    EXPECT_EQ(HasProcessPattern(each.pattern), each.has) << each.pattern;
  }
}

TEST(ProcessPatternTest, RefusesWhatDoesNotFit) {
  char out[6];
  EXPECT_TRUE(ExpandProcessPattern("abc%p", 12, out, sizeof(out)));
  EXPECT_FALSE(ExpandProcessPattern("abc%p", 123, out, sizeof(out)));
}

}  // namespace
}  // namespace ahead
