// Whatever is read, by whomever, on whatever device: the run ends, and its account adds up.
#include <gtest/gtest.h>

#include <random>

#include "sim/lab.h"

namespace ahead::sim {
namespace {

class Dice {
 public:
  explicit Dice(uint64_t seed) : random_(seed) {}
  // Not a distribution of the library: the sequence must be the same everywhere.
  int64_t operator()(int64_t sides) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(sides)); }
  bool OneIn(int64_t sides) { return (*this)(sides) == 0; }

 private:
  std::mt19937_64 random_;
};

ByteRange RangeIn(ByteCount size, Dice& dice, int64_t previous_end) {
  const int64_t length = dice.OneIn(10) ? dice(2 << 20) : dice.OneIn(3) ? 4096 : 1 + dice(100'000);
  int64_t begin = dice.OneIn(4) ? dice(size.value + 100'000) : previous_end;
  if (dice.OneIn(5)) begin = std::max<int64_t>(0, previous_end - 2 * length);
  return {{begin}, {begin + length}};
}

StepKind KindBy(Dice& dice) {
  const int64_t roll = dice(40);
  if (roll == 0) return StepKind::kAdvise;
  if (roll == 1) return StepKind::kMap;
  if (roll < 8) return StepKind::kTouch;
  return StepKind::kRead;
}

Workload AnyWork(Dice& dice) {
  constexpr HostAdvice kAdvice[] = {HostAdvice::kNormal,  HostAdvice::kSequential, HostAdvice::kRandom,
                                    HostAdvice::kNoReuse, HostAdvice::kWillNeed,   HostAdvice::kDontNeed};
  Workload work;
  const int64_t files = 1 + dice(5);
  for (int64_t file = 0; file < files; ++file)
    work.files.push_back({"file",
                          static_cast<uint64_t>(dice(2)),
                          static_cast<uint64_t>(dice(100)),
                          {dice.OneIn(8) ? 0 : dice(9 << 20)}});
  work.threads = static_cast<uint32_t>(1 + dice(8));
  work.processes = static_cast<uint32_t>(1 + dice(2));
  for (uint32_t thread = 0; thread < work.threads; ++thread) work.process_of.push_back(thread % work.processes);
  // A reader is of one file and one process.
  work.readers = work.processes * static_cast<uint32_t>(files);
  std::vector<int64_t> ends(work.readers);
  std::vector<bool> was_read(work.readers);
  std::vector<HostAdvice> standing(work.readers, HostAdvice::kNormal);
  std::vector<int64_t> free_at(work.threads);
  int64_t now = 0;
  for (int64_t i = dice(400); i >= 0; --i) {
    WorkStep step;
    step.thread = static_cast<uint32_t>(dice(work.threads));
    step.file = static_cast<uint32_t>(dice(files));
    step.reader = step.file * work.processes + work.ProcessOf(step.thread);
    step.kind = KindBy(dice);
    step.range = RangeIn(work.files[step.file].size, dice, ends[step.reader]);
    if (Reads(step)) ends[step.reader] = step.range.end.value;
    if (step.kind == StepKind::kAdvise) step.advice = kAdvice[dice(6)];
    if (step.kind == StepKind::kAdvise && step.advice < HostAdvice::kWillNeed) standing[step.reader] = step.advice;
    if (step.kind == StepKind::kRead) {
      step.advice = standing[step.reader];
      step.fresh = !was_read[step.reader];
      was_read[step.reader] = true;
    }
    now = std::max(now, free_at[step.thread]) + (dice.OneIn(10) ? dice(5'000'000) : 0);
    step.begin = {now};
    step.end = {now + dice(1'000'000)};
    free_at[step.thread] = step.end.value;
    work.steps.push_back(step);
  }
  for (uint32_t reader = 0; reader < work.readers; ++reader) {
    if (!was_read[reader] || dice.OneIn(3)) continue;
    WorkStep close;
    close.kind = StepKind::kClose;
    close.reader = reader;
    close.file = reader / work.processes;
    close.thread = reader % work.processes;
    close.begin = close.end = {now + 10'000'000};
    if (close.thread < work.threads) work.steps.push_back(close);
  }
  return work;
}

LabDevice AnyDevice(Dice& dice) {
  LabDevice device = LabDevices()[static_cast<size_t>(dice(static_cast<int64_t>(LabDevices().size())))];
  device.in_flight = static_cast<int32_t>(1 + dice(16));
  device.drops_silently = !dice.OneIn(4);
  device.is_local = dice.OneIn(4);
  device.memory = dice.OneIn(2) ? ByteCount{} : ByteCount{(256 << 10) + dice(4 << 20)};
  if (dice.OneIn(3)) device.kernel_window = {dice(300) * 4096};
  if (dice.OneIn(3)) device.max_request = {(1 + dice(64)) * 4096};
  return device;
}

uint64_t Pages(const Ledger& ledger, Event event) {
  uint64_t pages = 0;
  for (size_t cls = 0; cls < kClassCount; ++cls)
    if (static_cast<Class>(cls) != Class::none && static_cast<Class>(cls) != Class::mapped)
      pages += ledger.pages(event, static_cast<Class>(cls));
  return pages;
}

TEST(RandomWorkloadsTest, EveryRunEndsAndItsAccountAddsUp) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Dice dice(seed);
    const Workload work = AnyWork(dice);
    const LabDevice device = AnyDevice(dice);
    int64_t reads = 0;
    ByteCount read_bytes;
    for (const WorkStep& step : work.steps) {
      if (!Reads(step)) continue;
      ++reads;
      read_bytes += Clipped(work, step).size();
    }
    for (const LabPolicy& policy : LabPolicies()) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", policy " << policy.name);
      const LabScore score = RunCell(work, device, policy);
      ASSERT_EQ(score.reads, reads);
      EXPECT_EQ(score.read_bytes, read_bytes);
      EXPECT_GE(score.bytes, LeastBytes(work, {}));
      EXPECT_LE(score.wasted_bytes, ByteCount{score.requests * (int64_t{1} << 20)});
      EXPECT_LE(score.wasted_bytes.value, score.bytes.value + 4096 * 5);  // files end inside a page
      if (policy.kind != LabPolicyKind::kAdaptive) continue;
      EXPECT_EQ(Pages(score.ledger, Event::readahead),
                Pages(score.ledger, Event::readahead_hit) + Pages(score.ledger, Event::readahead_waste));
      EXPECT_EQ(RunCell(work, device, policy).digest, score.digest);
    }
  }
}

}  // namespace
}  // namespace ahead::sim
