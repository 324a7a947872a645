#include "shim/issuer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/shim/host.h"

namespace ahead {
namespace {

using State = PieceOutcome::State;

constexpr int64_t kPiece = 128 << 10;
constexpr int32_t kPiecePages = kPiece / 4096;
constexpr int64_t kFileBytes = 4 << 20;

class IssuerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!folder_.IsOnDisk()) GTEST_SKIP() << "files of the temporary folder cannot be dropped from the cache";
    struct {
      uint64_t offset, length;
    } const range{0, 4096};
    uint64_t answer[5];
    if (syscall(451, fd_, &range, answer, 0) != 0) GTEST_SKIP() << "the kernel has no cachestat";
    posix_fadvise(fd_, 0, 0, POSIX_FADV_DONTNEED);
    facts_.file_size = {kFileBytes};
  }
  ~IssuerTest() override { close(fd_); }

  static Decision Forward(int64_t first, int32_t pieces) {
    Decision decision;
    decision.first = decision.floor = {first};
    decision.length = decision.step = {kPiece};
    decision.pieces = pieces;
    decision.limit = {kFileBytes};
    return decision;
  }

  Batch Issue(int fd, const Decision& decision, int32_t allowed) {
    Batch batch;
    batch.count = decision.pieces;
    IssueBatch(fd, SlotOf(fd), decision, facts_, allowed, source_, batch);
    return batch;
  }

  shim_test::TemporaryFolder folder_;
  const std::string path_ = folder_.WriteText("file", kFileBytes);
  const int fd_ = open(path_.c_str(), O_RDONLY);
  Facts facts_;
  ResidencySource source_ = ResidencySource::kCachestat;
};

TEST_F(IssuerTest, ColdPiecesAreIssuedAndConfirmed) {
  const Batch batch = Issue(fd_, Forward(0, 4), 100);
  EXPECT_EQ(batch.refused, 0);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(batch.outcomes[i].state, State::kIssued) << i;
    EXPECT_EQ(batch.outcomes[i].fresh_pages, kPiecePages) << i;
    EXPECT_TRUE(batch.outcomes[i].sure) << i;
  }
}

TEST_F(IssuerTest, PiecesThatAreThereAreNotAskedFor) {
  Issue(fd_, Forward(kPiece, 2), 100);
  const Batch batch = Issue(fd_, Forward(0, 4), 100);
  EXPECT_EQ(batch.outcomes[0].state, State::kIssued);
  EXPECT_EQ(batch.outcomes[1].state, State::kResident);
  EXPECT_EQ(batch.outcomes[2].state, State::kResident);
  EXPECT_EQ(batch.outcomes[3].state, State::kIssued);
}

TEST_F(IssuerTest, PartlyCachedPieceCountsItsNewPagesOnly) {
  Decision part = Forward(0, 1);
  part.limit = {kPiece / 2};
  Issue(fd_, part, 100);
  const Batch batch = Issue(fd_, Forward(0, 1), 100);
  EXPECT_EQ(batch.outcomes[0].state, State::kIssued);
  EXPECT_EQ(batch.outcomes[0].fresh_pages, kPiecePages / 2);
}

TEST_F(IssuerTest, PiecesBeyondTheLimitArePutOff) {
  const Batch batch = Issue(fd_, Forward(0, 4), 1);
  EXPECT_EQ(batch.outcomes[0].state, State::kIssued);
  for (int i = 1; i < 4; ++i) EXPECT_EQ(batch.outcomes[i].state, State::kPutOff) << i;
  EXPECT_EQ(batch.outcomes[1].fresh_pages, 0);
}

TEST_F(IssuerTest, BackwardPiecesAreClippedToTheFile) {
  Decision decision = Forward(kPiece, 3);
  decision.step = {-kPiece};
  decision.floor = {0};
  const Batch batch = Issue(fd_, decision, 100);
  EXPECT_EQ(batch.outcomes[0].fresh_pages, kPiecePages);
  EXPECT_EQ(batch.outcomes[1].fresh_pages, kPiecePages);
  EXPECT_EQ(batch.outcomes[2].fresh_pages, 0);
}

TEST_F(IssuerTest, StridedPiecesAreLookedAtOneByOne) {
  Decision decision = Forward(0, 4);
  decision.length = {4096};
  decision.step = {kPiece};
  Issue(fd_, Forward(0, 1), 100);
  const Batch batch = Issue(fd_, decision, 100);
  EXPECT_EQ(batch.outcomes[0].state, State::kResident);
  for (int i = 1; i < 4; ++i) EXPECT_EQ(batch.outcomes[i].fresh_pages, 1) << i;
}

TEST_F(IssuerTest, LookingOnlyAsksForNothing) {
  Decision decision = Forward(0, 4);
  decision.look_only = true;
  const Batch batch = Issue(fd_, decision, 100);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(batch.outcomes[i].state, State::kPutOff) << i;
  EXPECT_EQ(Issue(fd_, Forward(0, 1), 100).outcomes[0].state, State::kIssued);
}

TEST_F(IssuerTest, RefusalIsReportedAndEndsTheBatch) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Batch batch = Issue(ends[0], Forward(0, 4), 100);
  EXPECT_NE(batch.refused, 0);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(batch.outcomes[i].state, State::kPutOff) << i;
  close(ends[0]);
  close(ends[1]);
}

TEST_F(IssuerTest, NothingIsAskedOfADescriptorThatIsBeingClosed) {
  Batch batch;
  batch.count = 4;
  Decision decision = Forward(0, 4);
  decision.required = 1;
  IssueBatch(fd_, Slot::Fresh(1), decision, facts_, 100, source_, batch);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(batch.outcomes[i].state, State::kPutOff) << i;
  EXPECT_EQ(Issue(fd_, Forward(0, 1), 100).outcomes[0].fresh_pages, kPiecePages) << "none was";
}

TEST_F(IssuerTest, RefusalOfADescriptorThatBecameAnotherOneIsNotTheFiles) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Batch batch;
  batch.count = 1;
  IssueBatch(ends[0], Slot::Fresh(1), Forward(0, 1), facts_, 100, source_, batch);
  EXPECT_EQ(batch.refused, 0);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(IssuerTest, WithTimingAloneEverythingIsAskedForAndNothingSure) {
  Issue(fd_, Forward(0, 4), 100);
  source_ = ResidencySource::kTiming;
  const Batch batch = Issue(fd_, Forward(0, 4), 100);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(batch.outcomes[i].state, State::kIssued) << i;
    EXPECT_FALSE(batch.outcomes[i].sure) << i;
  }
}

}  // namespace
}  // namespace ahead
