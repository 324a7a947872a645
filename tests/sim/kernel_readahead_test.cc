// The kernel's own readahead: which requests a cold kernel makes for a list of reads. Figures are those of the kernel's
// rules worked out by hand (docs/simulator.md).
#include "sim/kernel_readahead.h"

#include <gmock/gmock.h>

#include "sim/lab.h"

namespace ahead::sim {
namespace {

using testing::ElementsAre;

class KernelReadaheadTest : public testing::Test {
 protected:
  KernelReadaheadTest() { work_.files.push_back({"file", 1, 1, 64_MiB}), work_.readers = work_.threads = 1; }

  WorkStep& Add(StepKind kind, int64_t page, int64_t pages, uint32_t reader = 0) {
    work_.readers = std::max(work_.readers, reader + 1);
    WorkStep& step = work_.steps.emplace_back();
    step.kind = kind;
    step.reader = reader;
    step.range = {{page * 4096}, {(page + pages) * 4096}};
    return step;
  }
  void Read(int64_t page, int64_t pages = 1, uint32_t reader = 0) { Add(StepKind::kRead, page, pages, reader); }
  void Touch(int64_t page, int64_t pages = 1) { Add(StepKind::kTouch, page, pages); }
  void Advise(HostAdvice advice, int64_t page = 0, int64_t pages = 1 << 14) {
    Add(StepKind::kAdvise, page, pages).advice = advice;
    standing_ = advice;
  }
  // A read under the advice that was given last.
  void ReadAdvised(int64_t page, int64_t pages = 1) { Add(StepKind::kRead, page, pages).advice = standing_; }

  // Pairs of first page and pages.
  std::vector<std::pair<int64_t, int64_t>> Requests(ByteCount window = 128_KiB, ByteCount max_request = 128_KiB) const {
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (const KernelRequest& request : KernelRequests(work_, window, max_request))
      pairs.emplace_back(request.range.begin.value / 4096, (request.range.size().value + 4095) / 4096);
    return pairs;
  }
  // Sizes in KiB of the first requests of reads of `pages` from the start.
  static std::vector<int64_t> Sizes(int64_t pages, ByteCount window, size_t count) {
    Workload work;
    work.files.push_back({"file", 1, 1, 256_MiB}), work.readers = work.threads = 1;
    for (int64_t at = 0; at < 16384; at += pages)
      work.steps.emplace_back().range = {{at * 4096}, {(at + pages) * 4096}};
    std::vector<int64_t> sizes;
    for (const KernelRequest& request : KernelRequests(work, window, 16_MiB)) {
      if (sizes.size() == count) break;
      sizes.push_back(request.range.size().value >> 10);
    }
    return sizes;
  }

  Workload work_;
  HostAdvice standing_ = HostAdvice::kNormal;
};

TEST_F(KernelReadaheadTest, WindowsGrowFromTheSizeOfTheReadToTheLargest) {
  EXPECT_THAT(Sizes(1, 128_KiB, 5), ElementsAre(16, 32, 64, 128, 128));
  EXPECT_THAT(Sizes(4, 128_KiB, 4), ElementsAre(32, 64, 128, 128));
  EXPECT_THAT(Sizes(32, 128_KiB, 3), ElementsAre(128, 128, 128));
  EXPECT_THAT(Sizes(1, 1_MiB, 7), ElementsAre(16, 64, 128, 256, 512, 1024, 1024));
  EXPECT_THAT(Sizes(4, 1_MiB, 6), ElementsAre(64, 128, 256, 512, 1024, 1024));
  EXPECT_THAT(Sizes(32, 1_MiB, 4), ElementsAre(256, 512, 1024, 1024));
  EXPECT_THAT(Sizes(1, 15_MiB, 8), ElementsAre(16, 64, 256, 1024, 2048, 4096, 8192, 15360));
  EXPECT_THAT(Sizes(32, 15_MiB, 2), ElementsAre(512, 2048));
}

TEST_F(KernelReadaheadTest, WithoutAWindowEachPageIsReadAlone) {
  Read(0, 3);
  EXPECT_THAT(Requests(ByteCount{}), ElementsAre(std::pair(0, 1), std::pair(1, 1), std::pair(2, 1)));
}

TEST_F(KernelReadaheadTest, FirstReadInTheMiddleIsExactAndTheSecondStartsAWindow) {
  Read(100), Read(101);
  EXPECT_THAT(Requests(), ElementsAre(std::pair(100, 1), std::pair(101, 4)));
}

TEST_F(KernelReadaheadTest, WindowsThatAreAskedForAtAMarkEndAtFourPages) {
  // The window [101, 105) has its mark at 102; the next is [105, 113), and loses a page.
  Read(100), Read(101), Read(102);
  EXPECT_THAT(Requests(), ElementsAre(std::pair(100, 1), std::pair(101, 4), std::pair(105, 7)));
}

TEST_F(KernelReadaheadTest, BackwardReadsAreExact) {
  for (const int64_t page : {40, 39, 38, 37}) Read(page);
  EXPECT_THAT(Requests(), ElementsAre(std::pair(40, 1), std::pair(39, 1), std::pair(38, 1), std::pair(37, 1)));
}

TEST_F(KernelReadaheadTest, EveryOtherPageCountsAsSequential) {
  for (const int64_t page : {100, 102, 104, 106}) Read(page);
  EXPECT_THAT(Requests(), ElementsAre(std::pair(100, 1), std::pair(102, 4), std::pair(106, 4)));
  work_.steps.clear();
  // So does every other run.
  for (const int64_t page : {0, 4, 8}) Read(page, 3);
  EXPECT_THAT(Requests(), ElementsAre(std::pair(0, 8), std::pair(8, 8)));
}

TEST_F(KernelReadaheadTest, PagesLeftBehindProveAStreamOfAnotherDescription) {
  // Twelve pages that another read; the new reader wants two: twelve behind it are more than that.
  Read(100, 12), Read(112, 2, 1);
  EXPECT_THAT(Requests(), ElementsAre(std::pair(100, 12), std::pair(112, 14)));
  // Not when it wants as many as there are.
  work_.steps.clear();
  Read(100, 4), Read(104, 4, 1);
  EXPECT_THAT(Requests(), ElementsAre(std::pair(100, 4), std::pair(104, 4)));
}

TEST_F(KernelReadaheadTest, PagesLeftBehindFromTheStartCountTwice) {
  // 8 pages are cached from the start; a fresh reader of 2 gets 2 * 8 + 2.
  Advise(HostAdvice::kRandom);
  ReadAdvised(0, 8);
  Read(8, 2, 1);
  EXPECT_THAT(Requests(), ElementsAre(std::pair(0, 8), std::pair(8, 18)));
}

TEST_F(KernelReadaheadTest, TwoStreamsWithReadsAsLargeAsTheWindowGetNothingAhead) {
  for (int64_t turn = 1; turn < 5; ++turn) Read(1000 + turn * 32, 32), Read(8000 + turn * 32, 32);
  for (const auto& [page, pages] : Requests()) EXPECT_EQ(pages, 32) << page;
  EXPECT_EQ(Requests().size(), 8u);
}

TEST_F(KernelReadaheadTest, MarkOfAnotherStreamContinuesWhereTheCachedPagesEnd) {
  // The window of the first read is [0, 4) with its mark at 1; a second description meets it.
  Read(0), Read(1, 1, 1);
  // 3 pages to the first hole, and 1 asked for: 4, doubled.
  EXPECT_THAT(Requests(), ElementsAre(std::pair(0, 4), std::pair(4, 8)));
}

TEST_F(KernelReadaheadTest, ReadLargerThanTheWindowGoesOnByWindows) {
  Read(0, 96);
  EXPECT_THAT(Requests(), ElementsAre(std::pair(0, 32), std::pair(32, 32), std::pair(64, 32), std::pair(96, 32)));
}

TEST_F(KernelReadaheadTest, WindowsEndWithTheFileAndTheLastHasNoMark) {
  work_.files[0].size = 24_KiB - 1_B;
  Read(0), Read(1), Read(2), Read(3), Read(4), Read(5), Read(6);
  EXPECT_THAT(Requests(), ElementsAre(std::pair(0, 4), std::pair(4, 2)));
}

TEST_F(KernelReadaheadTest, RandomAdviceReadsExactlyWhatIsReadAndNoMoreThanOneCallTakes) {
  Advise(HostAdvice::kRandom);
  ReadAdvised(0, 3), ReadAdvised(3), ReadAdvised(4, 40);
  EXPECT_THAT(Requests(), ElementsAre(std::pair(0, 3), std::pair(3, 1), std::pair(4, 32), std::pair(36, 8)));
}

TEST_F(KernelReadaheadTest, SequentialAdviceDoublesTheWindowAndNormalAdviceRestoresIt) {
  Advise(HostAdvice::kSequential);
  ReadAdvised(0, 64);
  Advise(HostAdvice::kNormal);
  ReadAdvised(640, 64);
  EXPECT_THAT(Requests(128_KiB, 1_MiB), ElementsAre(std::pair(0, 64), std::pair(64, 64), std::pair(640, 32),
                                                    std::pair(672, 32), std::pair(704, 32)));
  EXPECT_EQ(Requests(64_KiB, 64_KiB).front(), std::pair(int64_t{0}, int64_t{16}));
}

TEST_F(KernelReadaheadTest, WillNeedIsCutToOneCallAndLeavesTheStateAlone) {
  Advise(HostAdvice::kWillNeed, 10, 100);
  Read(0);
  EXPECT_THAT(Requests(), ElementsAre(std::pair(10, 32), std::pair(0, 4)));
  EXPECT_THAT(Requests(128_KiB, 64_KiB), ElementsAre(std::pair(10, 16), std::pair(26, 16), std::pair(0, 4)));
  // A larger window takes more.
  EXPECT_THAT(Requests(256_KiB, 1_MiB), ElementsAre(std::pair(10, 64), std::pair(0, 4)));
}

TEST_F(KernelReadaheadTest, DontNeedMakesPagesComeAgain) {
  Advise(HostAdvice::kRandom);
  ReadAdvised(0, 4);
  Add(StepKind::kAdvise, 1, 2).advice = HostAdvice::kDontNeed;
  ReadAdvised(0, 4);
  EXPECT_THAT(Requests(), ElementsAre(std::pair(0, 4), std::pair(1, 2)));
}

TEST_F(KernelReadaheadTest, FaultReadsAroundAndItsMarkGoesOn) {
  Touch(100);
  EXPECT_THAT(Requests(), ElementsAre(std::pair(84, 32)));
  // The mark is at 108, where the last quarter begins; a window asked for there ends at four pages.
  Touch(100, 9);
  EXPECT_THAT(Requests(), ElementsAre(std::pair(84, 32), std::pair(116, 32)));
}

// The pages mapped around a page that was fetched for a fault make up for its miss, so that misses never sum up.
TEST_F(KernelReadaheadTest, FaultsFarApartGoOnReadingAround) {
  work_.files[0].size = 1_GiB;
  for (int64_t i = 0; i < 130; ++i) Touch(1000 + i * 1000);
  const auto requests = Requests();
  ASSERT_EQ(requests.size(), 130u);
  for (const auto& [page, pages] : requests) EXPECT_EQ(pages, 32) << page;
}

TEST_F(KernelReadaheadTest, ReadsBeyondTheEndAskForNothing) {
  Read(1 << 14, 4), Read(1 << 20, 1);
  EXPECT_TRUE(Requests().empty());
}

}  // namespace
}  // namespace ahead::sim
