// The counters of `ahead trace`, on traces made by hand.
#include "stats/trace_summary.h"

#include <gmock/gmock.h>

#include "stats/byte_set.h"
#include "tests/cli/contents.h"

namespace ahead {
namespace {

using test::ContentsBuilder;
using testing::ElementsAre;

constexpr ByteRange Range(int64_t begin, int64_t end) { return {{begin}, {end}}; }

std::array<uint64_t, kStepCount> StepsOf(const ContentsBuilder& built) { return Summarize(built.contents).all.steps; }

TEST(ByteSetTest, OnlyBytesThatWereNotThereAreFresh) {
  ByteSet set;
  EXPECT_EQ(set.Add(Range(10, 20)), 10_B);
  EXPECT_EQ(set.Add(Range(10, 20)), 0_B);
  EXPECT_EQ(set.Add(Range(15, 25)), 5_B);
  EXPECT_EQ(set.Add(Range(40, 50)), 10_B);
  EXPECT_EQ(set.Add(Range(5, 60)), 5_B + 15_B + 10_B);
  EXPECT_EQ(set.Add(Range(0, 100)), 5_B + 40_B);
  EXPECT_EQ(set.Add(Range(7, 7)), 0_B);
}

TEST(QuantilesTest, AreValuesThatOccurred) {
  const Quantiles quantiles = QuantilesOf({50, 10, 40, 20, 30});
  EXPECT_EQ(quantiles.count, 5u);
  EXPECT_EQ(quantiles.total, 150);
  EXPECT_EQ(quantiles.least, 10);
  EXPECT_EQ(quantiles.median, 30);
  EXPECT_EQ(quantiles.p90, 50);
  EXPECT_EQ(quantiles.most, 50);
  EXPECT_EQ(QuantilesOf({7, 8}).median, 7);
  EXPECT_EQ(QuantilesOf({}).most, 0);
}

TEST(TraceSummaryTest, SequentialReaderIsOneRunAndItsFirstReadIsNoStep) {
  ContentsBuilder built;
  const uint32_t file = built.File("/f", 40960);
  for (int64_t i = 0; i < 10; ++i) built.Read(file, i * 4096, 4096);
  const TraceSummary summary = Summarize(built.contents);
  EXPECT_THAT(summary.all.steps, ElementsAre(1, 9, 0, 0, 0, 0));
  EXPECT_EQ(summary.all.forward_reads, 9u);
  EXPECT_EQ(summary.all.run_bytes.count, 1u);
  EXPECT_EQ(summary.all.run_bytes.median, 40960);
  EXPECT_EQ(summary.all.again_bytes, 0_B);
  EXPECT_TRUE(summary.all.common_strides.empty());
  EXPECT_THAT(summary.all.common_sizes, ElementsAre(CommonValue{4096, 10}));
  EXPECT_THAT(summary.all.sizes, ElementsAre(0, 0, 10, 0, 0, 0, 0, 0, 0, 0));
}

TEST(TraceSummaryTest, BackwardReaderIsNotStrided) {
  ContentsBuilder built;
  const uint32_t file = built.File("/f", 40960);
  for (int64_t i = 9; i >= 0; --i) built.Read(file, i * 4096, 4096);
  EXPECT_THAT(StepsOf(built), ElementsAre(1, 0, 0, 0, 9, 0));
  EXPECT_THAT(Summarize(built.contents).all.common_strides, ElementsAre(CommonValue{-4096, 9}));
}

TEST(TraceSummaryTest, SecondEqualDistanceMakesAStride) {
  ContentsBuilder built;
  const uint32_t file = built.File("/f", 100 << 20);
  for (int64_t i = 0; i < 5; ++i) built.Read(file, i << 20, 4096);
  for (int64_t i = 3; i >= 0; --i) built.Read(file, i << 20, 4096);
  // Forwards: the first step is far, so random. Then the same the other way.
  EXPECT_THAT(StepsOf(built), ElementsAre(1, 0, 0, 3 + 3, 0, 1 + 1));
}

TEST(TraceSummaryTest, GapForwardsIsSequentialUpToWhatOneRequestBrings) {
  ContentsBuilder built;
  const uint32_t file = built.File("/f", 100 << 20);
  built.Read(file, 0, 4096);
  built.Read(file, 4096 + (128 << 10), 4096);
  built.Read(file, 8192 + (256 << 10) + 1, 4096);
  EXPECT_THAT(StepsOf(built), ElementsAre(1, 0, 1, 0, 0, 1));
}

TEST(TraceSummaryTest, ReadersOfOneFileAreToldApartByDescriptionAndItsUse) {
  ContentsBuilder built;
  const uint32_t file = built.File("/f", 1 << 20);
  for (int64_t i = 0; i < 4; ++i) {
    built.Read(file, i * 4096, 4096, 1);
    built.Read(file, (1 << 19) + i * 4096, 4096, 2);
  }
  EXPECT_THAT(StepsOf(built), ElementsAre(2, 6, 0, 0, 0, 0));
  built.Event(TraceKind::kClose, file, 1);
  built.now = built.now + 1_ns;
  built.Event(TraceKind::kOpen, file, 1);
  built.now = built.now + 1_ns;
  built.Read(file, 0, 4096, 1);
  EXPECT_THAT(StepsOf(built), ElementsAre(3, 6, 0, 0, 0, 0));
  const TraceSummary summary = Summarize(built.contents);
  EXPECT_EQ(summary.all.readers, 3u);
  EXPECT_EQ(summary.all.again_bytes, 4_KiB);
  EXPECT_EQ(summary.all.opens, 1u);
  EXPECT_EQ(summary.all.closes, 1u);
}

TEST(TraceSummaryTest, FileOfTwoProcessesIsOneFileAndItsSecondReadingIsAgain) {
  ContentsBuilder built;
  built.Read(built.File("/f", 4096, 100), 0, 4096);
  built.Read(built.File("/f", 4096, 200), 1000, 3096);
  const TraceSummary summary = Summarize(built.contents);
  ASSERT_EQ(summary.files.size(), 1u);
  EXPECT_EQ(summary.processes, 2u);
  EXPECT_EQ(summary.files[0].access.bytes, 7192_B);
  EXPECT_EQ(summary.files[0].access.again_bytes, 3096_B);
}

TEST(TraceSummaryTest, FilesComeByBytesAndTheSlowestReadNamesItsFile) {
  ContentsBuilder built;
  const uint32_t small = built.File("/small", 100);
  const uint32_t large = built.File("/large", 1 << 20);
  built.duration = 500_ns;
  built.Read(small, 0, 100);
  built.duration = 10_ns;
  built.Read(large, 0, 4096);
  const TraceSummary summary = Summarize(built.contents);
  ASSERT_EQ(summary.files.size(), 2u);
  EXPECT_EQ(summary.files[0].path, "/large");
  EXPECT_EQ(summary.all.slowest.file, 1u);
  EXPECT_EQ(summary.all.slowest.duration, 500_ns);
  EXPECT_EQ(summary.all.read_time, 510_ns);
}

TEST(TraceSummaryTest, FailedUnfinishedAndEmptyReadsAreCountedApart) {
  ContentsBuilder built;
  const uint32_t file = built.File("/f", 4096);
  built.Read(file, 0, 4096);
  built.Read(file, 4096, 4096).returned = {0};
  built.Read(file, 0, 4096).error = 5;
  built.Read(file, 0, 4096).completed = false;
  const AccessSummary all = Summarize(built.contents).all;
  EXPECT_EQ(all.reads, 2u);
  EXPECT_EQ(all.empty_reads, 1u);
  EXPECT_EQ(all.failed_reads, 1u);
  EXPECT_EQ(all.unfinished_reads, 1u);
  EXPECT_EQ(all.bytes, 4096_B);
}

TEST(TraceSummaryTest, EventsAreCountedByKind) {
  ContentsBuilder built;
  const uint32_t file = built.File("/f", 4096);
  for (const TraceKind kind : {TraceKind::kOpen, TraceKind::kSeek, TraceKind::kSeek, TraceKind::kAdvice,
                               TraceKind::kMapping, TraceKind::kUnmapping, TraceKind::kEntry, TraceKind::kClose})
    built.Event(kind, file);
  built.Read(file, 0, 10).unseen = true;
  const AccessSummary all = Summarize(built.contents).all;
  EXPECT_EQ(all.opens + 10 * all.closes + 100 * all.advice + 1000 * all.entries, 1111u);
  EXPECT_EQ(all.mappings + 10 * all.unmappings + 100 * all.seeks, 211u);
  EXPECT_EQ(all.other_events, 0u);
  EXPECT_EQ(all.unseen_reads, 1u);
}

TEST(TraceSummaryTest, MappingThatWasDecidedAboutIsNoUnfinishedRead) {
  ContentsBuilder built;
  TracedRead& mapping = built.Read(built.File("/f", 4096), 0, 4096);
  mapping.kind = TraceAccessKind::kMapped;
  mapping.completed = false;
  const AccessSummary all = Summarize(built.contents).all;
  EXPECT_EQ(all.reads, 0u);
  EXPECT_EQ(all.unfinished_reads, 0u);
  EXPECT_EQ(all.kinds[static_cast<size_t>(TraceAccessKind::kMapped)], 1u);
}

TEST(TraceSummaryTest, ThinkTimeIsBetweenReadsOfAThread) {
  ContentsBuilder built;
  const uint32_t file = built.File("/f", 1 << 20);
  built.Read(file, 0, 4096);
  built.now = built.now + 70_ns;
  built.Read(file, 4096, 4096);
  built.now = built.now + 30_ns;
  // Another thread's first read has none.
  built.Read(file, 8192, 4096).tid = 999;
  const TraceSummary summary = Summarize(built.contents);
  EXPECT_EQ(summary.think.count, 1u);
  EXPECT_EQ(summary.think.most, 70);
  EXPECT_EQ(summary.threads, 2u);
  EXPECT_EQ(summary.end - summary.begin, 130_ns);
}

TEST(TraceSummaryTest, ConcurrencyIsTheTimeReadsOverlap) {
  ContentsBuilder built;
  const uint32_t file = built.File("/f", 1 << 20);
  // [0, 100), [40, 140), [60, 80) and, alone, [200, 210).
  for (const auto& [begin, duration] : {std::pair{0_ns, 100_ns}, {40_ns, 100_ns}, {60_ns, 20_ns}, {200_ns, 10_ns}}) {
    built.now = begin;
    built.duration = duration;
    built.Read(file, 0, 1).tid = static_cast<int32_t>(begin.value);
  }
  const Concurrency concurrency = Summarize(built.contents).concurrency;
  EXPECT_EQ(concurrency.most, 3u);
  EXPECT_EQ(concurrency.busy, 150_ns);
  EXPECT_EQ(concurrency.concurrent, 60_ns);
}

TEST(TraceSummaryTest, FourMostFrequentValuesAreKeptTheSmallerFirst) {
  ContentsBuilder built;
  const uint32_t file = built.File("/f", 1 << 20);
  for (const int64_t size : {5, 3, 3, 4, 1, 2}) built.Read(file, 0, size);
  EXPECT_THAT(Summarize(built.contents).all.common_sizes,
              ElementsAre(CommonValue{3, 2}, CommonValue{1, 1}, CommonValue{2, 1}, CommonValue{4, 1}));
}

TEST(TraceSummaryTest, EmptyTraceComesToNothing) {
  const TraceSummary summary = Summarize({});
  EXPECT_EQ(summary.all.reads, 0u);
  EXPECT_EQ(summary.threads, 0u);
  EXPECT_TRUE(summary.files.empty());
}

}  // namespace
}  // namespace ahead
