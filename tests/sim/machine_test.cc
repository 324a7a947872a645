#include "sim/machine.h"

#include <gtest/gtest.h>

namespace ahead::sim {
namespace {

// The host's work takes no time, so that times are those of the disk: 2 ms, and 100 MB/s or 0.04 ms a page.
constexpr HostCosts kNoCosts{{}, {}, {}, {}, {}};
constexpr Nanos kPageTime{40'960};

class MachineTest : public testing::Test {
 protected:
  MachineTest() {
    work_.files.push_back({"file", 1, 1, 1_MiB});
    work_.readers = work_.threads = 1;
  }
  static WorkStep At(int64_t page, int64_t pages) {
    WorkStep read;
    read.range = {{page * 4096}, {(page + pages) * 4096}};
    return read;
  }
  static ByteRange Piece(int64_t page, int64_t pages) { return At(page, pages).range; }

  Workload work_;
  SlottedNetParameters disk_{2_ms, 100'000'000, 2, 128_KiB};
};

TEST_F(MachineTest, AbsentReadWaitsAndPresentReadDoesNot) {
  Machine machine(work_, disk_, kNoCosts);
  EXPECT_EQ(machine.Read(At(0, 1)).duration, 2_ms + kPageTime);
  EXPECT_EQ(machine.Read(At(0, 1)).duration, Nanos{});
  EXPECT_EQ(machine.score().waits, 1);
  EXPECT_EQ(machine.score().requests, 1);
}

TEST_F(MachineTest, ReadWaitsForWhatIsOnItsWay) {
  Machine machine(work_, disk_, kNoCosts);
  const PieceOutcome outcome = machine.Advise(0, Piece(0, 2), true);
  EXPECT_EQ(outcome.state, PieceOutcome::State::kIssued);
  EXPECT_EQ(outcome.fresh_pages, 2);
  machine.WaitUntil(1_ms);
  EXPECT_EQ(machine.Read(At(0, 1)).time, 2_ms + kPageTime * 2);
  EXPECT_EQ(machine.score().requests, 1);
}

TEST_F(MachineTest, PieceThatIsThereIsNotAskedForAgain) {
  Machine machine(work_, disk_, kNoCosts);
  machine.Read(At(0, 4));
  EXPECT_EQ(machine.Advise(0, Piece(1, 2), true).state, PieceOutcome::State::kResident);
  const PieceOutcome unlooked = machine.Advise(0, Piece(2, 4), false);
  EXPECT_EQ(unlooked.state, PieceOutcome::State::kIssued);
  EXPECT_EQ(unlooked.fresh_pages, 2);
  EXPECT_EQ(machine.score().bytes, 24_KiB);
}

TEST_F(MachineTest, FullDiskBlocksTheCaller) {
  Machine machine(work_, disk_, kNoCosts);
  machine.Advise(0, Piece(0, 1), true);
  machine.Advise(0, Piece(1, 1), true);
  EXPECT_EQ(machine.now(), Nanos{});
  const PieceOutcome third = machine.Advise(0, Piece(2, 1), true);
  EXPECT_EQ(third.blocked, 2_ms + kPageTime);
  EXPECT_EQ(machine.now(), 2_ms + kPageTime);
}

TEST_F(MachineTest, PagesFetchedAndNotReadAreWasted) {
  Machine machine(work_, disk_, kNoCosts);
  machine.Advise(0, Piece(0, 8), true);
  machine.Read(At(2, 3));
  EXPECT_EQ(machine.score().wasted_bytes, 20_KiB);
}

TEST_F(MachineTest, ReadEndsAtTheEndOfTheFile) {
  Machine machine(work_, disk_, kNoCosts);
  EXPECT_EQ(machine.Read(At(255, 10)).range.size(), 4_KiB);
  EXPECT_TRUE(machine.Read(At(256, 1)).range.empty());
  EXPECT_EQ(machine.Advise(0, Piece(254, 10), true).fresh_pages, 1);
}

}  // namespace
}  // namespace ahead::sim
