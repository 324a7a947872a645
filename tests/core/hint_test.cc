// When is the kernel told that a file is read at random, and when no longer? The exact decisions.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/core/host.h"

namespace ahead::test {
namespace {

using Hint = Decision::Hint;

constexpr int64_t kPage = 4096;
constexpr int64_t kPages = 1 << 20;

// A program that reads one file of 4 GiB at random and in order, by one descriptor of its own.
class HintHost : public Host {
 public:
  HintHost() : Host({kPages * kPage}) { own_ = true; }

  void ReadSomewhere(int64_t count = 1) {
    for (; count > 0; --count) {
      state_ = state_ * 6364136223846793005 + 1442695040888963407;
      // The upper half of the file is the scan's.
      Note(Read(static_cast<int64_t>(state_ >> 33) % (kPages / 2) * kPage, kPage));
    }
  }
  void ReadOn(int64_t count = 1) {
    for (; count > 0; --count) Note(Read((kPages / 2 + scan_++) * kPage, kPage));
  }
  int64_t Given(Hint hint) const { return std::count(hints_.begin(), hints_.end(), hint); }

  std::vector<Hint> hints_;  // of each read

 private:
  void Note(const Decision& decision) { hints_.push_back(decision.hint); }

  uint64_t state_ = 1;
  int64_t scan_ = 0;
};

TEST(HintTest, TheThirtySecondRandomReadIsAdvisedAndNoOther) {
  HintHost host;
  host.ReadSomewhere(2000);
  EXPECT_EQ(host.hints_[31], Hint::kRandom);
  EXPECT_EQ(host.Given(Hint::kRandom), 1);
  EXPECT_EQ(host.Given(Hint::kNormal), 0);
}

TEST(HintTest, NothingIsAdvisedWhereItIsNotForUsToSay) {
  const auto hints = [](auto change) {
    HintHost host;
    change(host);
    host.ReadSomewhere(500);
    return host.Given(Hint::kRandom);
  };
  EXPECT_EQ(hints([](HintHost&) {}), 1);
  EXPECT_EQ(hints([](HintHost& host) { host.own_ = false; }), 0);
  EXPECT_EQ(hints([](HintHost& host) { host.advice_ = HostAdvice::kNoReuse; }), 0);
  EXPECT_EQ(hints([](HintHost& host) { host.advice_ = HostAdvice::kRandom; }), 0);
  EXPECT_EQ(hints([](HintHost& host) { host.options_.advice = 0; }), 0);
  EXPECT_EQ(hints([](HintHost& host) { host.options_.ratio = 0; }), 0);
}

TEST(HintTest, AScanIsNeverAdvised) {
  HintHost host;
  host.ReadOn(2000);
  EXPECT_EQ(host.Given(Hint::kRandom), 0);
}

// Also where the kernel would lead the scan: the advice stays, and the engine carries it.
TEST(HintTest, AScanThatIsATenthOfTheReadsKeepsTheAdvice) {
  for (const bool is_local : {false, true}) {
    HintHost host;
    host.facts_.kernel_leads = is_local;
    for (int64_t i = 0; i < 1000; ++i) {
      host.ReadSomewhere(9);
      host.ReadOn();
    }
    EXPECT_EQ(host.Given(Hint::kRandom), 1) << is_local;
    EXPECT_EQ(host.Given(Hint::kNormal), 0) << is_local;
    EXPECT_GT(host.Sum(Event::readahead_hit), 900) << is_local;
  }
}

TEST(HintTest, AScanAloneTakesItBackSoonAndOnce) {
  for (const bool is_local : {false, true}) {
    HintHost host;
    host.facts_.kernel_leads = is_local;
    host.ReadSomewhere(100);
    host.ReadOn(1000);
    EXPECT_EQ(host.Given(Hint::kNormal), 1) << is_local;
    host.ReadOn(1000);
    EXPECT_EQ(host.Given(Hint::kNormal), 1) << is_local;
  }
}

TEST(HintTest, AfterThatAStreamOfALocalFileIsTheKernelsAgain) {
  HintHost host;
  host.facts_.kernel_leads = true;
  host.ReadSomewhere(100);
  while (host.Given(Hint::kNormal) == 0 && host.hints_.size() < 3000) host.ReadOn();
  ASSERT_EQ(host.Given(Hint::kNormal), 1);
  // Found in memory by its reader, as the kernel would see to.
  host.Touch({{kPages / 2 * kPage}, {(kPages / 2 + 8192) * kPage}});
  const int64_t before = host.issued_pages_;
  host.ReadOn(2000);
  EXPECT_EQ(host.issued_pages_, before);
}

// Each time it takes twice as many reads to come back: 32, 64, ... 2048 in 30,000.
TEST(HintTest, PhasesInTurnDoNotFlap) {
  HintHost host;
  for (int64_t phase = 0; phase < 100; ++phase) {
    host.ReadSomewhere(300);
    host.ReadOn(1500);
  }
  EXPECT_GE(host.Given(Hint::kRandom), 1);
  EXPECT_LE(host.Given(Hint::kRandom), 7);
  EXPECT_LE(host.Given(Hint::kNormal), 7);
}

// A read that is looked at costs some microseconds.
TEST(HintTest, OfAFileReadAtRandomOneReadInManyIsLookedAt) {
  for (const bool own : {true, false}) {
    HintHost host;
    host.own_ = own;
    host.ReadSomewhere(40);
    const int64_t before = host.absorbed_;
    host.ReadSomewhere(6500);
    EXPECT_GE(host.absorbed_ - before, 6500 * 60 / 65) << own;
    EXPECT_EQ(host.Sum(Event::readahead), 0) << own;
    host.Settle();
    EXPECT_EQ(host.Sum(Event::random_read), 6540) << own;
  }
}

// Reads that begin to follow each other, in order or backward or in strides, are seen but for the first two: each gets
// its stream. Under the advice a stride takes longest, because four reads in a row could be by chance.
TEST(HintTest, AfterReadsAtRandomStreamsAreFoundAsSoon) {
  for (const int64_t step : {int64_t{1}, int64_t{-1}, int64_t{40}}) {
    HintHost host;
    host.ReadSomewhere(500);
    const int64_t start = kPages / 2 + 50'000;
    int64_t waited = 0;
    for (int64_t i = 0; i < 400; ++i) {
      const int64_t offset = (start + i * step) * kPage;
      waited += host.Present({{offset}, {offset + kPage}}) ? 0 : 1;
      host.Read(offset, kPage);
    }
    EXPECT_LE(waited, step == 40 ? 10 : 8) << step;
  }
}

}  // namespace
}  // namespace ahead::test
