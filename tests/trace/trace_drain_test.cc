#include "stats/trace_drain.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "tests/trace/scratch.h"

namespace ahead {
namespace {

using test::AddFile;
using test::BytesOfChunks;
using test::MemoryTrace;
using test::ReadOf;
using test::Scratch;

// Waits until `is_so` or a long time has passed. Returns whether it is so.
template <typename Condition>
bool Until(Condition is_so) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

class TraceDrainTest : public testing::Test {
 protected:
  std::unique_ptr<TraceDrain> Start(int memfd, ByteCount most = 64_MiB) {
    auto drain = TraceDrain::Start(memfd, path(), most);
    EXPECT_TRUE(drain.ok()) << drain.status();
    return drain.ok() ? std::move(*drain) : nullptr;
  }
  std::string path() const { return scratch_ / "trace"; }
  TraceContents Read() const {
    const auto contents = ReadTrace(path());
    EXPECT_TRUE(contents.ok()) << contents.status();
    return contents.ok() ? *contents : TraceContents{};
  }

  Scratch scratch_;
};

uint64_t ClaimedChunks(const MemoryTrace& trace) {
  return __atomic_load_n(&trace.get()->header->claimed_chunks, __ATOMIC_RELAXED);
}

TEST_F(TraceDrainTest, SmallMemoryCarriesALongTrace) {
  constexpr int64_t kReads = 100'000;
  MemoryTrace trace(20);
  const auto drain = Start(trace.fd());
  ASSERT_NE(drain, nullptr);
  const TraceId file = AddFile(trace.get(), trace.fd(), 1000);
  for (int64_t i = 0; i < kReads; ++i) {
    // Nobody waits for the drain but this test.
    ASSERT_TRUE(Until([&] { return ClaimedChunks(trace) < 15; }));
    TraceRead(trace.get(), ReadOf(trace.get(), file, i, 1));
  }
  const auto done = drain->Finish();
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_EQ(done->dropped, 0u);
  const TraceContents contents = Read();
  EXPECT_EQ(contents.reads.size(), size_t{kReads});
  EXPECT_EQ(contents.records, done->records);
  EXPECT_EQ(contents.broken_records, 0u);
  for (int64_t i = 0; i < kReads; ++i) ASSERT_EQ(contents.reads[static_cast<size_t>(i)].range.begin.value, i);
  struct stat status;
  ASSERT_EQ(stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, mode_t{0600});
  EXPECT_EQ(status.st_size, done->bytes.value);
}

// Processes that read a little each leave a chunk behind that is hardly used.
TEST_F(TraceDrainTest, ChunksOfTheDeadAreFreeAgain) {
  constexpr int kProcesses = 60;
  MemoryTrace trace(8);
  const auto drain = Start(trace.fd());
  ASSERT_NE(drain, nullptr);
  for (int process = 0; process < kProcesses; ++process) {
    ASSERT_TRUE(Until([&] { return ClaimedChunks(trace) < 8; })) << process;
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      TraceProcess(trace.get(), Options{}, 1_ms);
      TraceRead(trace.get(), ReadOf(trace.get(), AddFile(trace.get(), trace.fd(), 10), process, 1));
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }
  const auto done = drain->Finish();
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_EQ(done->dropped, 0u);
  const TraceContents contents = Read();
  EXPECT_EQ(contents.processes.size(), size_t{kProcesses} + 1);
  std::set<int64_t> offsets;
  for (const TracedRead& read : contents.reads) offsets.insert(read.range.begin.value);
  EXPECT_EQ(offsets.size(), size_t{kProcesses});
}

TEST_F(TraceDrainTest, ChunksOfThreadsThatEndedAreFreeAgain) {
  constexpr int kThreads = 60;
  MemoryTrace trace(8);
  const auto drain = Start(trace.fd());
  ASSERT_NE(drain, nullptr);
  const TraceId file = AddFile(trace.get(), trace.fd(), 10);
  for (int i = 0; i < kThreads; ++i) {
    ASSERT_TRUE(Until([&] { return ClaimedChunks(trace) < 8; })) << i;
    std::thread([&] { TraceRead(trace.get(), ReadOf(trace.get(), file, i, 1)); }).join();
  }
  ASSERT_TRUE(drain->Finish().ok());
  EXPECT_EQ(Read().reads.size(), size_t{kThreads});
}

// A thread that becomes another program lives on, and knows nothing of the chunk it had.
TEST_F(TraceDrainTest, ChunksOfProgramsThatBecameOthersAreFreeAgain) {
  constexpr int kPrograms = 60;
  MemoryTrace trace(8);
  const auto drain = Start(trace.fd());
  ASSERT_NE(drain, nullptr);
  for (int program = 0; program < kPrograms; ++program) {
    ASSERT_TRUE(Until([&] { return ClaimedChunks(trace) < 8; })) << program;
    TraceProcess(trace.get(), Options{}, 1_ms);
    TraceRead(trace.get(), ReadOf(trace.get(), AddFile(trace.get(), trace.fd(), 10), program, 1));
  }
  const auto done = drain->Finish();
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_EQ(done->dropped, 0u);
  EXPECT_EQ(Read().reads.size(), size_t{kPrograms});
}

// A writer in another namespace of process numbers is never taken for dead.
TEST_F(TraceDrainTest, ForeignersAreNotTakenForDead) {
  MemoryTrace trace(8);
  trace.get()->chunk_flags = TraceChunk::kForeign;
  const auto drain = Start(trace.fd());
  ASSERT_NE(drain, nullptr);
  const TraceId file = AddFile(trace.get(), trace.fd(), 10);
  std::thread([&] { TraceRead(trace.get(), ReadOf(trace.get(), file, 7, 1)); }).join();
  trace.get()->chunk_flags = 0;
  // One of our own that comes later goes earlier.
  const uint64_t before = ClaimedChunks(trace);
  std::thread([&] { TraceRead(trace.get(), ReadOf(trace.get(), file, 8, 1)); }).join();
  EXPECT_TRUE(Until([&] { return ClaimedChunks(trace) <= before; }));
  EXPECT_EQ(ClaimedChunks(trace), before);
  ASSERT_TRUE(drain->Finish().ok());
  EXPECT_EQ(Read().reads.size(), 2u);
}

TEST_F(TraceDrainTest, FileIsNoLargerThanAllowedAndHasNoGaps) {
  constexpr int64_t kReads = 50'000;
  MemoryTrace trace(400);
  const auto drain = Start(trace.fd(), 64_KiB);
  ASSERT_NE(drain, nullptr);
  const TraceId file = AddFile(trace.get(), trace.fd(), 1000);
  uint64_t chance = 1;
  for (int64_t i = 0; i < kReads; ++i) {
    // Numbers that do not pack well.
    chance = chance * 6364136223846793005 + 1442695040888963407;
    TraceReadFacts read = ReadOf(trace.get(), file, static_cast<int64_t>(chance >> 8), 1);
    read.asked = i;
    TraceRead(trace.get(), read);
  }
  const auto done = drain->Finish();
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_LE(done->bytes, 64_KiB);
  EXPECT_GT(done->dropped, 0u);
  const TraceContents contents = Read();
  EXPECT_EQ(contents.dropped_records, done->dropped);
  EXPECT_GT(contents.reads.size(), 1000u);
  for (size_t i = 0; i < contents.reads.size(); ++i)
    ASSERT_EQ(contents.reads[i].range.size().value, static_cast<int64_t>(i));
}

TEST_F(TraceDrainTest, FileIsReadableWhenItsWriterIsKilled) {
  MemoryTrace trace(64);
  const pid_t recorder = fork();
  ASSERT_GE(recorder, 0);
  if (recorder == 0) {
    const auto drain = TraceDrain::Start(trace.fd(), path(), 64_MiB);
    for (;;) pause();
  }
  const TraceId file = AddFile(trace.get(), trace.fd(), 1000);
  int64_t i = 0;
  // Several frames: reads that no longer fit are dropped meanwhile.
  const bool has_grown = Until([&] {
    for (int burst = 0; burst < 1000; ++burst) TraceRead(trace.get(), ReadOf(trace.get(), file, i++, 1));
    struct stat status;
    return stat(path().c_str(), &status) == 0 && status.st_size > 100'000;
  });
  kill(recorder, SIGKILL);
  waitpid(recorder, nullptr, 0);
  ASSERT_TRUE(has_grown);
  const TraceContents contents = Read();
  EXPECT_GT(contents.reads.size(), 1000u);
  EXPECT_LE(contents.broken_records, 1u) << "the frame that was being written";
}

TEST_F(TraceDrainTest, FileCutAnywhereIsReadableUpToThere) {
  MemoryTrace trace(400);
  const auto drain = Start(trace.fd());
  ASSERT_NE(drain, nullptr);
  const TraceId file = AddFile(trace.get(), trace.fd(), 1000);
  for (int64_t i = 0; i < 30'000; ++i) TraceRead(trace.get(), ReadOf(trace.get(), file, i, 1));
  ASSERT_TRUE(drain->Finish().ok());
  const std::string whole = test::Content(path());
  size_t last = 0;
  for (size_t cut = sizeof(TraceHeader); cut < whole.size(); cut += whole.size() / 50) {
    const auto contents = ParseTrace("T", whole.data(), cut);
    ASSERT_TRUE(contents.ok()) << contents.status();
    EXPECT_GE(contents->reads.size(), last);
    EXPECT_LE(contents->broken_records, 1u);
    last = contents->reads.size();
  }
  EXPECT_GT(last, 0u);
}

TEST_F(TraceDrainTest, OldFileStaysUntilSomebodyTakesPart) {
  scratch_.Write("trace", "old");
  const int memfd = CreateTraceMemfd({BytesOfChunks(4)}, 4_KiB);
  Start(memfd).reset();
  EXPECT_EQ(test::Content(path()), "old");
  const auto drain = Start(memfd);
  ASSERT_TRUE(drain->Finish().ok());
  EXPECT_EQ(Read().records, 0u);
  close(memfd);
}

TEST_F(TraceDrainTest, FolderThatIsNotThereIsRefused) {
  const int memfd = CreateTraceMemfd({BytesOfChunks(4)}, 4_KiB);
  EXPECT_EQ(TraceDrain::Start(memfd, scratch_ / "missing/trace", 1_MiB).status().code(), absl::StatusCode::kNotFound);
  close(memfd);
}

}  // namespace
}  // namespace ahead
