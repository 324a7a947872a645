// The laboratory as its users see it: bounds that hold for every policy, and the same output for the same input.
#include "sim/lab.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "core/facts.h"
#include "sim/lab_run.h"
#include "sim/patterns.h"
#include "sim/schedule.h"

namespace ahead::sim {
namespace {

const LabPolicy& PolicyNamed(const std::string& name) {
  for (const LabPolicy& policy : LabPolicies())
    if (policy.name == name) return policy;
  ADD_FAILURE() << "no policy " << name;
  return LabPolicies().front();
}

std::vector<Workload> PatternsOf(ByteCount size) {
  std::vector<Workload> works;
  for (const Pattern& pattern : Patterns()) works.push_back(pattern.make(size));
  return works;
}

std::vector<LabCell> AllCells(size_t works) {
  std::vector<LabCell> cells;
  for (uint32_t work = 0; work < works; ++work)
    for (uint32_t device = 0; device < LabDevices().size(); ++device)
      for (uint32_t policy = 0; policy < LabPolicies().size(); ++policy) cells.push_back({work, device, policy});
  return cells;
}

// Reads of `pages` pages each, one after the other.
Workload Cycles(ByteCount size, int cycles, int64_t pages = 1) {
  Workload work;
  work.files.push_back({"file", 1, 1, size});
  work.readers = work.threads = 1;
  for (int cycle = 0; cycle < cycles; ++cycle)
    for (int64_t at = 0; at < size.value; at += pages * 4096)
      work.steps.emplace_back().range = {{at}, {at + pages * 4096}};
  return work;
}

TEST(LabTest, OracleIsNoSlowerAndNothingFetchesLessThanTheLeast) {
  const std::vector<Workload> works = PatternsOf(64_MiB);
  const std::vector<LabCell> cells = AllCells(works.size());
  const std::vector<LabScore> scores = RunCells(works, LabDevices(), LabPolicies(), cells);
  const size_t oracle = LabPolicies().size() - 1;
  ASSERT_EQ(LabPolicies()[oracle].kind, LabPolicyKind::kOracle);
  for (size_t i = 0; i < cells.size(); ++i) {
    const LabDevice& device = LabDevices()[cells[i].device];
    SCOPED_TRACE(Patterns()[cells[i].workload].name + (" " + device.name) + " " + LabPolicies()[cells[i].policy].name);
    const LabScore& best = scores[i - cells[i].policy + oracle];
    EXPECT_LE(best.elapsed.value, scores[i].elapsed.value * 101 / 100);
    EXPECT_GE(scores[i].bytes, LeastBytes(works[cells[i].workload], device.memory));
    EXPECT_EQ(scores[i].read_bytes, best.read_bytes);
  }
}

TEST(LabTest, OracleFetchesInVainOnlyWhereThatSavesTime) {
  // A page in sixteen is wanted: eight times the bytes, but an eighth of the requests, of which twelve take 20 ms.
  Workload work = Cycles(16_MiB, 1, 16);
  for (WorkStep& step : work.steps) step.range.end = step.range.begin + 4_KiB;
  const LabScore far = RunCell(work, *FindLabDevice("net-20ms"), PolicyNamed("oracle"));
  EXPECT_EQ(far.requests, 128);
  EXPECT_GT(far.wasted_bytes, 7_MiB);
  LabDevice slow = *FindLabDevice("net-0.2ms");
  slow.parameters = NetParameters{200_us, 10'000'000};
  const LabScore near = RunCell(work, slow, PolicyNamed("oracle"));
  EXPECT_EQ(near.requests, 256);
  EXPECT_EQ(near.wasted_bytes, ByteCount{});
}

// Files of one page each: the oracle fetches them all at once, and one that waits for opens waits once a file.
TEST(LabTest, OpenOracleFetchesNothingOfAFileBeforeItIsOpened) {
  constexpr uint32_t kFiles = 10;
  Workload work;
  work.threads = 1;
  work.readers = kFiles;
  for (uint32_t file = 0; file < kFiles; ++file) {
    work.files.push_back({"file", 1, file, 4_KiB});
    for (const StepKind kind : {StepKind::kOpen, StepKind::kRead, StepKind::kClose}) {
      WorkStep& step = work.steps.emplace_back();
      step.kind = kind;
      step.file = step.reader = file;
      step.fresh = kind == StepKind::kRead;
      if (kind == StepKind::kRead) step.range = {{0}, {4096}};
    }
  }
  const LabDevice& device = *FindLabDevice("net-2ms");
  EXPECT_LT(RunCell(work, device, PolicyNamed("oracle")).elapsed, 4_ms);
  const LabScore open = RunCell(work, device, PolicyNamed("oracle-open"));
  EXPECT_EQ(open.waits, kFiles);
  EXPECT_GT(open.elapsed, 20_ms);
  EXPECT_LT(open.elapsed, 21_ms);
}

TEST(LabTest, OpenOracleFetchesWhatIsOpenAsTheOtherDoes) {
  const Workload work = Cycles(16_MiB, 1);
  const LabDevice& device = *FindLabDevice("net-2ms");
  EXPECT_LE(RunCell(work, device, PolicyNamed("oracle-open")).elapsed.value,
            RunCell(work, device, PolicyNamed("oracle")).elapsed.value * 101 / 100);
}

// Threads that come before the fetchers fetch for themselves, in requests as large as theirs.
TEST(LabTest, OracleIsNoSlowerWhereManyThreadsReadAtOnce) {
  Workload work;
  work.readers = work.threads = 64;
  for (uint64_t file = 0; file < 64; ++file) work.files.push_back({"file", 1, file, 2_MiB});
  for (int64_t at = 0; at < 2 << 20; at += 4096) {
    for (uint32_t file = 0; file < 64; ++file) {
      WorkStep step;
      step.file = step.reader = step.thread = file;
      step.fresh = at == 0;
      step.range = {{at}, {at + 4096}};
      step.end = 1_us;
      work.steps.push_back(step);
    }
  }
  const LabDevice& device = *FindLabDevice("net-2ms-64MiB");
  const LabScore oracle = RunCell(work, device, PolicyNamed("oracle"));
  for (const LabPolicy& policy : LabPolicies())
    EXPECT_LE(oracle.elapsed.value, RunCell(work, device, policy).elapsed.value * 101 / 100) << policy.name;
  EXPECT_EQ(oracle.requests, 1024);
}

TEST(LabTest, LeastBytesAreThoseOfDistinctPages) {
  EXPECT_EQ(LeastBytes(Cycles(1_MiB, 3), {}), 1_MiB);
  EXPECT_EQ(LeastBytes(Cycles(10'000_B, 2), {}), 10'000_B);
  EXPECT_EQ(LeastBytes(Workload{}, {}), ByteCount{});
}

// One page more than fits, in turn: the page read last leaves, so that one page is missing in each 64 reads.
TEST(LabTest, LeastBytesOfAFullMemoryAreThoseOfPerfectEviction) {
  EXPECT_EQ(LeastBytes(Cycles(260_KiB, 3), 256_KiB), 268_KiB);
  EXPECT_EQ(LeastBytes(Cycles(256_KiB, 3), 256_KiB), 256_KiB);
}

TEST(LabTest, FullMemoryMakesDataComeAgain) {
  LabDevice device = *FindLabDevice("net-2ms");
  const Workload work = Cycles(32_MiB, 2, 16);
  EXPECT_EQ(RunCell(work, device, PolicyNamed("kernel")).repeated_bytes, ByteCount{});
  device.memory = 16_MiB;
  for (const LabPolicy& policy : LabPolicies()) {
    const LabScore score = RunCell(work, device, policy);
    EXPECT_GE(score.repeated_bytes, 16_MiB) << policy.name;
    EXPECT_LE(score.peak_ahead, device.memory) << policy.name;
    EXPECT_GE(score.bytes, LeastBytes(work, device.memory)) << policy.name;
  }
}

TEST(LabTest, SameCellsGiveTheSameScoresOnAnyNumberOfThreads) {
  const std::vector<Workload> works = PatternsOf(16_MiB);
  const std::vector<LabCell> cells = AllCells(works.size());
  const std::vector<LabScore> one = RunCells(works, LabDevices(), LabPolicies(), cells, 1);
  const std::vector<LabScore> two = RunCells(works, LabDevices(), LabPolicies(), cells, 2);
  for (size_t i = 0; i < cells.size(); ++i) {
    EXPECT_EQ(one[i].elapsed, two[i].elapsed);
    EXPECT_EQ(one[i].digest, two[i].digest);
    EXPECT_EQ(one[i].bytes, two[i].bytes);
    const LabScore alone =
        RunCell(works[cells[i].workload], LabDevices()[cells[i].device], LabPolicies()[cells[i].policy]);
    EXPECT_EQ(one[i].elapsed, alone.elapsed);
    EXPECT_EQ(one[i].digest, alone.digest);
  }
}

// With plain threads: what RunCells leaves to TBB the thread sanitizer cannot see, as its library is not instrumented.
TEST(LabTest, RunsAtTheSameTimeShareNothingThatChanges) {
  const Workload work = FindPattern("seq-64k")->make(4_MiB);
  const Schedule schedule(work);
  const size_t cells = LabDevices().size() * LabPolicies().size();
  const auto run = [&](size_t cell) {
    return RunOn(work, schedule, LabDevices()[cell / LabPolicies().size()], LabPolicies()[cell % LabPolicies().size()],
                 HostCosts{})
        .lab;
  };
  std::vector<LabScore> together(cells);
  std::atomic<size_t> next = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (size_t cell = next++; cell < cells; cell = next++) together[cell] = run(cell);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t cell = 0; cell < cells; ++cell) {
    const LabScore alone = run(cell);
    EXPECT_EQ(together[cell].elapsed, alone.elapsed);
    EXPECT_EQ(together[cell].digest, alone.digest);
  }
}

TEST(LabTest, AnotherOptionGivesAnotherDigest) {
  const Workload work = FindPattern("seq-64k")->make(16_MiB);
  LabPolicy policy = PolicyNamed("adaptive");
  const LabScore usual = RunCell(work, *FindLabDevice("net-2ms"), policy);
  EXPECT_GT(usual.decisions, 0u);
  policy.engine.initial = 1 << 20;
  EXPECT_NE(RunCell(work, *FindLabDevice("net-2ms"), policy).digest, usual.digest);
  policy.engine.ratio = 0;
  EXPECT_EQ(RunCell(work, *FindLabDevice("net-2ms"), policy).decisions, 0u);
}

// copy_file_range asks for a whole file. It once took a time that grew with the square of it.
TEST(LabTest, ReadOfTwoGibibytesIsOneReadAndComesOnce) {
  const ByteCount size{int64_t{2} << 30};
  const Workload work = Cycles(size, 1, size.value / 4096);
  for (const LabPolicy& policy : LabPolicies()) {
    const LabScore score = RunCell(work, *FindLabDevice("net-2ms"), policy);
    EXPECT_EQ(score.reads, 1) << policy.name;
    EXPECT_EQ(score.bytes, size) << policy.name;
    EXPECT_EQ(score.repeated_bytes, ByteCount{}) << policy.name;
  }
}

TEST(LabTest, EachCellIsReportedOnceAndStopEndsTheRest) {
  const std::vector<Workload> works{FindPattern("head")->make(16_MiB)};
  const std::vector<LabCell> cells(20);
  std::vector<int> reported(cells.size());
  RunCells(works, LabDevices(), LabPolicies(), cells, 2, [&](size_t cell, const LabScore&) { ++reported[cell]; });
  EXPECT_THAT(reported, testing::Each(1));

  std::atomic<bool> stop = false;
  const std::vector<LabScore> scores = RunCells(
      works, LabDevices(), LabPolicies(), cells, 1, [&](size_t, const LabScore&) { stop = true; }, &stop);
  EXPECT_EQ(std::count_if(scores.begin(), scores.end(), [](const LabScore& score) { return score.reads == -1; }), 19);
}

TEST(LabTest, FilesOfAnySizeAreSimulated) {
  Workload work;
  work.files.push_back({"huge", 1, 1, kLargestFile});
  work.readers = work.threads = 1;
  for (int64_t at = 0; at < 100; ++at) work.steps.emplace_back().range = {{at << 46}, {(at << 46) + 8192}};
  work.steps.emplace_back().range = {{0}, {INT64_MAX}};
  work.steps.back().range.begin = ByteOffset{kLargestFile.value - 1};
  for (const LabDevice& device : LabDevices())
    for (const LabPolicy& policy : LabPolicies()) {
      const LabScore score = RunCell(work, device, policy);
      EXPECT_EQ(score.reads, 101) << device.name << " " << policy.name;
      EXPECT_EQ(score.read_bytes, ByteCount{100 * 8192 + 1}) << device.name << " " << policy.name;
    }
}

TEST(LabTest, ThinkTimePassesAndHidesWhatIsFetchedAhead) {
  Workload work = Cycles(4_MiB, 1, 16);
  for (size_t i = 0; i < work.steps.size(); ++i)
    work.steps[i].begin = work.steps[i].end = 10_ms * static_cast<int64_t>(i);
  const LabScore none = RunCell(work, *FindLabDevice("net-2ms"), PolicyNamed("none"));
  const LabScore kernel = RunCell(work, *FindLabDevice("net-2ms"), PolicyNamed("kernel"));
  EXPECT_GE(none.elapsed, 10_ms * 63 + 2_ms * 64);
  EXPECT_GE(kernel.elapsed, 10_ms * 63);
  EXPECT_LE(kernel.elapsed, 10_ms * 63 + 5_ms);
  EXPECT_EQ(kernel.waits, 1);
}

// A file of a process has a policy of its own, and the account of what it fetched is closed with the file.
TEST(LabTest, ProcessesAreToldApartAndFilesAreClosed) {
  Workload work;
  work.files.push_back({"file", 1, 1, 16_MiB});
  work.readers = work.threads = work.processes = 2;
  work.process_of = {0, 1};
  for (uint32_t process = 0; process < 2; ++process) {
    WorkStep step;
    step.reader = step.thread = process;
    step.begin = step.end = Nanos{process * 1000};
    for (const StepKind kind : {StepKind::kOpen, StepKind::kRead, StepKind::kClose}) {
      step.kind = kind;
      step.fresh = kind == StepKind::kRead;
      step.range = kind == StepKind::kRead ? ByteRange{{0}, {4096}} : ByteRange{};
      work.steps.push_back(step);
    }
  }
  const LabScore score = RunCell(work, *FindLabDevice("net-2ms"), PolicyNamed("adaptive"));
  EXPECT_EQ(score.decisions, 2u);
  const Ledger& ledger = score.ledger;
  EXPECT_EQ(ledger.requests(Event::readahead_asked, Class::initial), 1u);  // the second finds it there
  EXPECT_EQ(ledger.pages(Event::readahead, Class::initial),
            ledger.pages(Event::readahead_hit, Class::initial) + ledger.pages(Event::readahead_waste, Class::initial));
  EXPECT_GT(ledger.pages(Event::readahead_waste, Class::initial), 0u);
}

TEST(LabTest, MappingIsFetchedWhenItIsMadeAndReadByTouches) {
  Workload work;
  work.files.push_back({"file", 1, 1, 1_MiB});
  work.readers = work.threads = 1;
  WorkStep step;
  step.kind = StepKind::kMap;
  step.range = {{0}, {1 << 20}};
  work.steps.push_back(step);
  step.kind = StepKind::kTouch;
  for (int64_t at = 0; at < 1 << 20; at += 65536) {
    step.range = {{at}, {at + 65536}};
    work.steps.push_back(step);
  }
  const LabScore adaptive = RunCell(work, *FindLabDevice("net-2ms"), PolicyNamed("adaptive"));
  EXPECT_EQ(adaptive.decisions, 1u);
  EXPECT_EQ(adaptive.reads, 16);
  EXPECT_EQ(adaptive.bytes, 1_MiB);
  EXPECT_EQ(adaptive.wasted_bytes, ByteCount{});
}

TEST(LabTest, AdviceOfTheProgramIsCarriedOut) {
  Workload work = Cycles(1_MiB, 1);
  WorkStep advice;
  advice.kind = StepKind::kAdvise;
  advice.advice = HostAdvice::kWillNeed;
  advice.range = {{0}, {1 << 20}};
  work.steps.insert(work.steps.begin(), advice);
  EXPECT_EQ(
      RunCell(work, *FindLabDevice("net-2ms"), PolicyNamed("adaptive")).ledger.requests(Event::advice, Class::none),
      1u);
  const LabScore score = RunCell(work, *FindLabDevice("net-2ms"), PolicyNamed("kernel"));
  EXPECT_EQ(score.bytes, 1_MiB);
}

}  // namespace
}  // namespace ahead::sim
