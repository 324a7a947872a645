// Several threads read one file: what is under way at the same time, who asks, and whose blocks that come out of order
// are.
#include <gtest/gtest.h>

#include "core/concurrency.h"
#include "core/overtaking.h"
#include "tests/core/host.h"

namespace ahead::test {
namespace {

constexpr int64_t kBlock = 64 << 10;
constexpr int64_t kBlockSlots = kBlock / 4096;

TEST(OvertakingTest, ReadersThatNeverMeetAreOneWhateverTheyRead) {
  Overtaking overtaking;
  for (int i = 0; i < 20; ++i) {
    overtaking.OnBegin();
    overtaking.OnBehind(16, 100);
    overtaking.OnEnd();
  }
  EXPECT_FALSE(overtaking.is_shared());
  EXPECT_EQ(overtaking.reach(), 0);
  EXPECT_TRUE(overtaking.OnAhead(1, 1000)) << "it is where its only reader is";
}

Overtaking Shared() {
  Overtaking overtaking;
  overtaking.OnBegin();
  overtaking.OnBegin();
  return overtaking;
}

TEST(OvertakingTest, ReachIsAsFarAsBlocksWereSeenBehind) {
  Overtaking overtaking = Shared();
  EXPECT_TRUE(overtaking.is_shared());
  EXPECT_EQ(overtaking.reach(), 0);
  overtaking.OnInOrder(16);
  overtaking.OnBehind(16, 48);
  EXPECT_EQ(overtaking.reach(), 48);
  overtaking.OnBehind(16, 32);
  EXPECT_EQ(overtaking.reach(), 48);
  overtaking.OnBehind(16, int64_t{1} << 40);
  EXPECT_EQ(overtaking.reach(), 1024);
}

TEST(OvertakingTest, OneBlockBehindInManyIsNoSequenceOutOfOrder) {
  Overtaking overtaking = Shared();
  for (int i = 0; i < 100; ++i) {
    for (int block = 0; block < 10; ++block) overtaking.OnInOrder(16);
    overtaking.OnBehind(1, 200);
    EXPECT_EQ(overtaking.reach(), 0) << i;
  }
}

TEST(OvertakingTest, ForemostReaderPassesAHoleOfWhichAQuarterWasRead) {
  Overtaking overtaking = Shared();
  EXPECT_FALSE(overtaking.OnAhead(16, 96));
  EXPECT_TRUE(overtaking.OnAhead(16, 112));
  EXPECT_FALSE(overtaking.OnAhead(16, 96)) << "what was read before the last hole counts no more";
  overtaking.OnInOrder(16);
  EXPECT_FALSE(overtaking.OnAhead(16, 112)) << "nor what the others have come to";
}

TEST(ConcurrencyTest, ReadIsAloneUnlessAnotherIsUnderWayOrEndsMeanwhile) {
  Concurrency concurrency;
  concurrency.OnBegin(10_ms);
  EXPECT_TRUE(concurrency.OnEnd(12_ms, 2_ms));
  concurrency.OnBegin(20_ms);
  concurrency.OnBegin(21_ms);
  EXPECT_FALSE(concurrency.OnEnd(22_ms, 2_ms));
  EXPECT_FALSE(concurrency.OnEnd(23_ms, 2_ms)) << "the other ended meanwhile";
  concurrency.OnBegin(23_ms);
  EXPECT_TRUE(concurrency.OnEnd(25_ms, 2_ms));
}

TEST(ConcurrencyTest, ReadThatNeverEndsIsForgottenAfterASecondOfSilence) {
  Concurrency concurrency;
  concurrency.OnBegin(10_ms);
  concurrency.OnBegin(500_ms);
  EXPECT_FALSE(concurrency.OnEnd(502_ms, 2_ms));
  concurrency.OnBegin(1600_ms);
  EXPECT_TRUE(concurrency.OnEnd(1602_ms, 2_ms));
}

TEST(ConcurrencyTest, ReadThatNeverEndsIsForgottenAlsoWhereOthersFollowAtOnce) {
  Concurrency concurrency;
  concurrency.OnBegin(10_ms);
  bool was_alone = false;
  for (Nanos now = 20_ms; now < 2500_ms; now = now + 5_ms) {
    concurrency.OnBegin(now);
    was_alone = concurrency.OnEnd(now + 4_ms, 4_ms);
    if (now < 1000_ms) {
      EXPECT_FALSE(was_alone);
    }
  }
  EXPECT_TRUE(was_alone);
}

TEST(ConcurrencyTest, ReadThatTakesLongerThanASecondIsCompany) {
  Concurrency concurrency;
  concurrency.OnBegin(900_ms);
  for (Nanos now = 950_ms; now < 1950_ms; now = now + 50_ms) {
    concurrency.OnBegin(now);
    EXPECT_FALSE(concurrency.OnEnd(now + 4_ms, 4_ms));
  }
  EXPECT_FALSE(concurrency.OnEnd(1960_ms, 1060_ms)) << "others ended meanwhile";
  concurrency.OnBegin(1970_ms);
  EXPECT_TRUE(concurrency.OnEnd(1974_ms, 4_ms));
}

// A host of which several reads are under way at a time, each in a thread of its own.
class ThreadsTest : public testing::Test {
 protected:
  struct UnderWay {
    ByteRange range;
    Nanos began;
    Decision decision;
  };

  // A read of a block begins: it is planned, and nothing is asked for yet.
  UnderWay Begin(int64_t block) {
    host_.now_ = host_.now_ + 500_us;
    const ByteRange range{{block * kBlock}, {(block + 1) * kBlock}};
    Access access;
    access.range = range;
    access.time = host_.now_;
    access.fresh = host_.reads_++ == 0;
    return {range, host_.now_, host_.policy_.Plan(access, host_.facts_, host_.filter_, host_.Around())};
  }
  // Its pieces are asked for, and come.
  void Ask(const UnderWay& read) { host_.Issue(read.decision); }
  // It ends, having waited if what it read was absent.
  void End(const UnderWay& read) {
    const bool is_present = host_.Present(read.range);
    host_.Touch(read.range);
    if (!is_present) host_.now_ = read.began + 2_ms > host_.now_ ? read.began + 2_ms : host_.now_;
    host_.policy_.Finish(read.decision, {read.range, host_.now_, is_present ? 1_us : host_.now_ - read.began},
                         host_.facts_, host_.filter_, host_.Around());
    host_.filter_.Reset();  // threads that share a description seldom find it where they are
  }
  void Read(int64_t block) {
    const UnderWay read = Begin(block);
    Ask(read);
    End(read);
  }
  // The reads of the blocks overlap: each ends when the next has begun.
  void ReadSideBySide(std::initializer_list<int64_t> blocks) {
    UnderWay before;
    for (const int64_t block : blocks) {
      const UnderWay read = Begin(block);
      EXPECT_EQ(read.decision.stream.index, 0) << block;
      Ask(read);
      if (!before.range.empty()) End(before);
      before = read;
    }
    End(before);
  }
  // Reads on from `block` until a read asks for something; that one is not over.
  UnderWay BeginOneThatAsks(int64_t block) {
    for (;; ++block) {
      const UnderWay read = Begin(block);
      if (!read.decision.empty()) return read;
      End(read);
    }
  }
  // Of blocks; where its next window begins.
  static int64_t First(const Decision& decision) { return decision.first.value / kBlock; }

  Host host_{128_MiB};
};

TEST_F(ThreadsTest, WhileOneAsksOthersOfItsStreamAreObservedAndLeaveTheAskingToIt) {
  for (int64_t block = 0; block < 4; ++block) Read(block);
  UnderWay asking = BeginOneThatAsks(4);
  const int64_t at = asking.range.begin.value / kBlock;
  const UnderWay other = Begin(at + 1);
  EXPECT_TRUE(other.decision.empty());
  EXPECT_EQ(other.decision.stream.index, asking.decision.stream.index);
  End(other);
  Ask(asking);
  End(asking);
  EXPECT_EQ(host_.policy_.ActiveStreams(), 1);
  // The other's read was observed: its block is where the next one is expected, and what was asked for is not asked for
  // again.
  const ByteOffset end = asking.decision.Piece(asking.decision.pieces - 1).end;
  const UnderWay next = BeginOneThatAsks(at + 2);
  EXPECT_EQ(next.decision.first, end);
}

TEST_F(ThreadsTest, OneThatNeverComesBackFromAskingIsForgottenAfterASecond) {
  for (int64_t block = 0; block < 4; ++block) Read(block);
  UnderWay asking = BeginOneThatAsks(4);
  const int64_t at = asking.range.begin.value / kBlock;
  EXPECT_TRUE(Begin(at + 1).decision.empty());
  host_.now_ = host_.now_ + 1_s;
  EXPECT_EQ(Begin(at + 2).decision.first, asking.decision.first);
}

TEST_F(ThreadsTest, TwoThatAskAtTheSameTimeKeepTheirBooksApart) {
  Read(100);
  Read(1000);
  // Each of these proves a stream, and asks for its first window.
  const UnderWay first = Begin(101);
  const UnderWay second = Begin(1001);
  ASSERT_NE(first.decision.stream.index, second.decision.stream.index);
  ASSERT_GE(first.decision.pieces, 2);
  ASSERT_GE(second.decision.pieces, 2);
  const auto issue = [&](const UnderWay& read, int32_t piece) {
    const auto pages = static_cast<int32_t>(read.decision.Piece(piece).size() / host_.facts_.page);
    host_.policy_.Issued(read.decision, piece, {PieceOutcome::State::kIssued, true, pages, {}}, host_.now_,
                         host_.facts_, host_.Around());
    return pages;
  };
  const int64_t asked = host_.Sum(Event::readahead_asked);
  int64_t pages = 0;
  for (int32_t piece = 0; piece < 64; ++piece) {
    if (piece < second.decision.pieces) pages += issue(second, piece);
    if (piece < first.decision.pieces) pages += issue(first, piece);
  }
  EXPECT_EQ(host_.Sum(Event::readahead_asked) - asked, pages);
  EXPECT_EQ(host_.policy_.OutstandingPages(), pages);
}

// Four threads take the blocks of one sequence in turn.
TEST_F(ThreadsTest, BlocksThatComeOutOfOrderAreOneStreamWithoutAJumpOrWaste) {
  for (int64_t block = 0; block < 4; ++block) Read(block);
  for (int64_t block = 4; block < 1000; block += 4) ReadSideBySide({block + 2, block, block + 3, block + 1});
  EXPECT_EQ(host_.policy_.ActiveStreams(), 1);
  EXPECT_EQ(host_.Sum(Event::readahead_waste), 0);
  EXPECT_EQ(host_.Sum(Event::readahead, Class::onseek), 0);
  EXPECT_EQ(host_.Sum(Event::readahead, Class::backward), 0);
  EXPECT_EQ(host_.Sum(Event::readahead, Class::stride), 0);
  EXPECT_LE(host_.Sum(Event::cache_miss), 8 * kBlockSlots) << "only the first blocks waited";
}

TEST_F(ThreadsTest, WindowsOfAStreamOutOfOrderFollowEachOther) {
  for (int64_t block = 0; block < 4; ++block) Read(block);
  ReadSideBySide({4, 5, 6, 7});
  ByteOffset end{0};
  UnderWay before = Begin(8);
  for (int64_t block = 9; block < 400; block += 4) {
    for (const int64_t each : {block + 2, block, block + 3, block + 1}) {
      const UnderWay read = Begin(each);
      if (!read.decision.empty()) {
        if (end.value != 0) {
          EXPECT_EQ(read.decision.first, end) << each;
        }
        end = read.decision.Piece(read.decision.pieces - 1).end;
        EXPECT_LE(end.value - read.range.end.value, 2 << 20) << each;
      }
      Ask(read);
      End(before);
      before = read;
    }
  }
  EXPECT_GT(end.value, 400 * kBlock);
}

// A thread that waits in the kernel comes to its blocks when the others are far ahead.
TEST_F(ThreadsTest, BlockThatWasFetchedForTheStreamIsItsHoweverFarBehind) {
  for (int64_t block = 0; block < 8; ++block) Read(block);
  ReadSideBySide({9, 8});
  int64_t behind = 10;
  for (int64_t block = 11; block < 24; ++block) ReadSideBySide({block, block + 1});
  const UnderWay late = Begin(behind);
  EXPECT_EQ(late.decision.stream.index, 0);
  EXPECT_TRUE(late.decision.empty());
  End(late);
  EXPECT_EQ(host_.policy_.ActiveStreams(), 1);
}

// Look-ups beside a scan.
TEST_F(ThreadsTest, ReadFarAheadDoesNotDragAlongAScanBesideIt) {
  for (int64_t block = 0; block < 32; ++block) ReadSideBySide({block, block});
  const UnderWay scan = Begin(32);
  const UnderWay lookup = Begin(40);
  Ask(scan);
  Ask(lookup);
  End(lookup);
  End(scan);
  // Its next blocks are expected as ever, and the window goes on from where it was.
  ByteOffset end{0};
  for (int64_t block = 33; block < 64; ++block) {
    const UnderWay read = Begin(block);
    if (!read.decision.empty()) {
      EXPECT_LE(read.decision.Piece(read.decision.pieces - 1).end.value - read.range.end.value, 2 << 20);
      if (end.value != 0) {
        EXPECT_EQ(read.decision.first, end);
      }
      end = read.decision.Piece(read.decision.pieces - 1).end;
    }
    Ask(read);
    EXPECT_TRUE(host_.Present(read.range)) << block;
    End(read);
  }
  EXPECT_EQ(host_.policy_.ActiveStreams(), 1);
}

TEST_F(ThreadsTest, ShortReadBesideAnotherIsNotBelievedToBeTheDevicesLatency) {
  const UnderWay first = Begin(500);
  const UnderWay second = Begin(900);
  Ask(first);
  host_.policy_.Finish(first.decision, {first.range, host_.now_ + 2_ms, 2_ms}, host_.facts_, host_.filter_,
                       host_.Around());
  host_.policy_.Finish(second.decision, {second.range, host_.now_ + 2_ms, 100_us}, host_.facts_, host_.filter_,
                       host_.Around());
  EXPECT_EQ(host_.congestion_.latency(), 2_ms);
}

}  // namespace
}  // namespace ahead::test
