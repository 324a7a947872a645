// Replays on real files in a temporary folder: that all is read, under every policy, and that files are checked first.
// How fast is not tested.
#include "sim/replay.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "sim/patterns.h"
#include "tests/trace/scratch.h"

namespace ahead::sim {
namespace {

constexpr ReplayPolicy kPolicies[] = {ReplayPolicy::kNone, ReplayPolicy::kFixed, ReplayPolicy::kAhead,
                                      ReplayPolicy::kOracle};

class ReplayTest : public testing::Test {
 protected:
  // A pattern on a real file of `size`.
  Workload Real(const char* pattern, ByteCount size) {
    Workload work = FindPattern(pattern)->make(size);
    work.files[0].path = scratch_ / "file";
    std::filesystem::remove(work.files[0].path);
    scratch_.Write("file", "");
    std::filesystem::resize_file(work.files[0].path, static_cast<uintmax_t>(size.value));
    return work;
  }

  test::Scratch scratch_;
};

TEST_F(ReplayTest, EveryPolicyReadsEverything) {
  for (const Pattern& pattern : Patterns()) {
    const Workload work = Real(pattern.name, 16_MiB);
    int64_t bytes = 0;
    for (const WorkStep& read : work.steps) bytes += read.range.size().value;
    for (const ReplayPolicy policy : kPolicies) {
      SCOPED_TRACE(testing::Message() << pattern.name << " policy " << static_cast<int>(policy));
      ReplayOptions options;
      options.policy = policy;
      const auto result = ReplayForReal(work, options);
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_EQ(result->reads, static_cast<int64_t>(work.steps.size()));
      EXPECT_EQ(result->bytes.value, bytes);
      EXPECT_EQ(result->short_reads + result->failed_reads, 0);
      EXPECT_EQ(result->threads, 1u);
    }
  }
}

TEST_F(ReplayTest, OracleHoldsItsBoundAndStillReadsWhatIsLargerThanThat) {
  Workload work = Real("seq-64k", 16_MiB);
  WorkStep whole;
  whole.range = {{0}, {16 << 20}};
  work.steps.push_back(whole);
  ReplayOptions options;
  options.policy = ReplayPolicy::kOracle;
  options.ahead = 256_KiB;
  options.in_flight = 3;
  const auto result = ReplayForReal(work, options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->bytes, 32_MiB);
  EXPECT_EQ(result->ahead.bytes, 16_MiB);
}

TEST_F(ReplayTest, ThreadsWaitForEachOtherAtTheirGates) {
  Workload work = Real("stride", 16_MiB);
  work.threads = work.readers = 4;
  for (size_t i = 0; i < work.steps.size(); ++i) {
    work.steps[i].thread = work.steps[i].reader = static_cast<uint32_t>(i % 4);
    work.steps[i].begin = {static_cast<int64_t>(i) * 10};
    work.steps[i].end = {static_cast<int64_t>(i) * 10 + 5};
  }
  for (const ReplayPolicy policy : kPolicies) {
    ReplayOptions options;
    options.policy = policy;
    const auto result = ReplayForReal(work, options);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->reads, static_cast<int64_t>(work.steps.size()));
    EXPECT_EQ(result->threads, 4u);
  }
}

TEST_F(ReplayTest, ThinkTimeIsKept) {
  Workload work = Real("head", 16_MiB);
  for (size_t i = 0; i < work.steps.size(); ++i) {
    work.steps[i].begin = 2_ms * static_cast<int64_t>(i);
    work.steps[i].end = work.steps[i].begin;
  }
  ReplayOptions options;
  options.think = true;
  const auto result = ReplayForReal(work, options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_GE(result->elapsed, 2_ms * static_cast<int64_t>(work.steps.size() - 1));
}

TEST_F(ReplayTest, FileOfAnotherSizeIsRefused) {
  Workload work = Real("head", 16_MiB);
  std::filesystem::resize_file(work.files[0].path, 1000);
  const auto result = ReplayForReal(work, {});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(result.status().message()), testing::HasSubstr("has 1000 bytes, the trace says 16777216"));
}

TEST_F(ReplayTest, MissingFileIsRefusedByName) {
  Workload work = Real("head", 16_MiB);
  std::filesystem::remove(work.files[0].path);
  const auto result = ReplayForReal(work, {});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(result.status().message()), testing::HasSubstr(work.files[0].path));
}

TEST_F(ReplayTest, EvictedFilesAreCold) {
  Workload work = Real("seq-64k", 4_MiB);
  scratch_.Write("file", std::string(4 << 20, 'x'));
  const auto files = RealFiles::Open(work, false);
  ASSERT_TRUE(files.ok()) << files.status();
  if (!CachedPages(files->reader(0), {})) GTEST_SKIP() << "this kernel has no cachestat";
  EXPECT_EQ(*CachedPages(files->reader(0), {}), 1024);
  const absl::Status evicted = files->Evict();
  if (!evicted.ok()) GTEST_SKIP() << "this file system keeps its pages: " << evicted;
  EXPECT_EQ(*CachedPages(files->reader(0), {}), 0);
}

}  // namespace
}  // namespace ahead::sim
