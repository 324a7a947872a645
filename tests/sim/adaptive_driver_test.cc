// The engine's driver outside a host: what the shim would observe, and in which order.
#include "sim/adaptive_driver.h"

#include <gtest/gtest.h>

namespace ahead::sim {
namespace {

class AdaptiveDriverTest : public testing::Test {
 protected:
  AdaptiveDriverTest() {
    for (uint64_t file = 0; file < 40; ++file) work_.files.push_back({"file", 1, file, 16_MiB});
    work_.readers = work_.threads = 100;
  }
  static WorkStep Step(StepKind kind, uint32_t reader, uint32_t file = 0) {
    WorkStep step;
    step.kind = kind;
    step.file = file;
    step.reader = step.thread = reader;
    step.fresh = true;
    if (kind == StepKind::kRead) step.range = {{0}, {4096}};
    return step;
  }
  // Takes all pieces as fetched.
  static void TakePieces(AdaptiveDriver& driver, AdaptiveDriver::Pending& pending) {
    PieceOrder order;
    while (driver.NextPiece(pending, {}, order))
      driver.TookPiece(pending, {}, {PieceOutcome::State::kIssued, true, 32, {}});
  }
  void ReadAndClose(AdaptiveDriver& driver, uint32_t reader, uint32_t file) {
    AdaptiveDriver::Pending pending;
    driver.Plan(Step(StepKind::kRead, reader, file), {}, pending);
    TakePieces(driver, pending);
    driver.After(Step(StepKind::kRead, reader, file), pending, {{{0}, {4096}}, 3_ms, 2_ms});
    driver.Close(Step(StepKind::kClose, reader, file));
  }

  Workload work_;
};

TEST_F(AdaptiveDriverTest, WhileAThreadAsksForPiecesOthersOfItsStreamLeaveTheAskingToIt) {
  AdaptiveDriver driver(work_, {}, {});
  AdaptiveDriver::Pending first, second;
  driver.Plan(Step(StepKind::kRead, 0), {}, first);
  driver.Plan(Step(StepKind::kRead, 1), {}, second);
  PieceOrder order;
  EXPECT_FALSE(driver.NextPiece(second, {}, order));
  driver.After(Step(StepKind::kRead, 1), second, {{{0}, {4096}}, 3_ms, 2_ms});
  EXPECT_EQ(driver.planned(), 2);
  EXPECT_EQ(driver.decisions(), 1u);
  TakePieces(driver, first);
}

TEST_F(AdaptiveDriverTest, OtherFilesAreAskedForAtTheSameTime) {
  AdaptiveDriver driver(work_, {}, {});
  AdaptiveDriver::Pending first, second;
  driver.Plan(Step(StepKind::kRead, 0, 0), {}, first);
  driver.Plan(Step(StepKind::kRead, 1, 1), {}, second);
  EXPECT_EQ(driver.decisions(), 2u);
}

TEST_F(AdaptiveDriverTest, WhatIsSafeFollowsTheMemoryWithinASecondAndRecoversSlowly) {
  DriverFacts facts;
  facts.memory = 64_MiB;
  const auto step = [](Nanos at, ByteCount left, int64_t pressure) {
    return MemoryStep{at, 64_MiB, {128_MiB, left, 16_GiB, 8_GiB, pressure, true}};
  };
  facts.steps = {step(1500_ms, 16_MiB, 0), step(3500_ms, 16_MiB, 300), step(4500_ms, 64_MiB, 0)};
  AdaptiveDriver driver(work_, {}, facts);
  const auto safe_at = [&](Nanos now) {
    AdaptiveDriver::Pending pending;
    driver.Plan(Step(StepKind::kRead, 0), now, pending);
    return pending.facts.safe;
  };
  EXPECT_EQ(safe_at(1_s), 64_MiB);
  EXPECT_EQ(safe_at(1900_ms), 64_MiB) << "nobody has looked";
  EXPECT_EQ(safe_at(2_s), 16_MiB);
  EXPECT_EQ(safe_at(4_s), 8_MiB) << "pressure";
  EXPECT_EQ(safe_at(5_s), 36_MiB);
  EXPECT_EQ(safe_at(11_s), 60_MiB);
  EXPECT_EQ(safe_at(12_s), 64_MiB);
}

TEST_F(AdaptiveDriverTest, FirstWindowsShrinkWhenClosedFilesWereNotReadOn) {
  AdaptiveDriver driver(work_, {}, {});
  ReadAndClose(driver, 0, 0);
  const uint64_t asked = driver.ledger().pages(Event::readahead_asked, Class::initial);
  EXPECT_EQ(asked, 32u);
  EXPECT_EQ(driver.ledger().pages(Event::readahead_waste, Class::initial), 31u);
  ReadAndClose(driver, 1, 1);
  // Half as far beyond the page that is read.
  EXPECT_EQ(driver.ledger().pages(Event::readahead_asked, Class::initial) - asked, 17u);
}

TEST_F(AdaptiveDriverTest, AccountBalancesAfterManyFilesAreClosed) {
  AdaptiveDriver driver(work_, {}, {});
  for (uint32_t reader = 0; reader < 100; ++reader) ReadAndClose(driver, reader, reader % 40);
  const Ledger ledger = driver.ledger();
  EXPECT_EQ(ledger.pages(Event::readahead, Class::initial),
            ledger.pages(Event::readahead_hit, Class::initial) + ledger.pages(Event::readahead_waste, Class::initial));
  EXPECT_GE(driver.decisions(), 40u);
}

TEST_F(AdaptiveDriverTest, CloseOfOneOfTwoReadersForgetsNothing) {
  AdaptiveDriver driver(work_, {}, {});
  driver.Open(Step(StepKind::kOpen, 1));
  ReadAndClose(driver, 0, 0);
  EXPECT_EQ(driver.ledger().pages(Event::readahead_waste, Class::initial), 0u);
  driver.CloseAll();
  EXPECT_EQ(driver.ledger().pages(Event::readahead_waste, Class::initial), 31u);
}

}  // namespace
}  // namespace ahead::sim
