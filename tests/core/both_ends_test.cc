// Files that are begun at both ends: what is fetched with the first read once two files of the folder were begun so,
// and what a wrong guess costs.
#include <gtest/gtest.h>

#include <vector>

#include "tests/core/host.h"

namespace ahead::test {
namespace {

constexpr int64_t kKiB = 1024;
constexpr int64_t kMiB = 1024 * kKiB;
constexpr int64_t kSize = 29 * kMiB + 1234;
constexpr uint32_t kFolder = 7;

struct Part {
  int64_t begin;
  int64_t length;
};
// Of a program: header, section headers, their names.
const std::vector<Part> kElf = {{0, 64}, {kSize - 2560, 2560}, {kSize - 40 * kKiB, 4 * kKiB}};
const std::vector<Part> kZip = {{kSize - 22, 22}, {kSize - 30 * kKiB, 30 * kKiB - 22}, {0, 30}};

// Opens a file of the folder; the program then does what it likes, and what was learnt is kept.
class Opened {
 public:
  explicit Opened(Learnt& learnt) : host_({kSize}), learnt_(learnt) {
    host_.learnt_ = learnt;
    host_.facts_.habit = learnt.HabitOf(kFolder);
  }
  ~Opened() {
    host_.policy_.Forget(host_.facts_, host_.Around());
    learnt_ = host_.learnt_;
  }
  Decision Read(const std::vector<Part>& parts) {
    Decision first;
    for (const Part& part : parts) {
      const Decision decision = host_.Read(part.begin, part.length);
      if (&part == &parts.front()) first = decision;
    }
    return first;
  }

  Host host_;

 private:
  Learnt& learnt_;
};

Learnt After(int files, const std::vector<Part>& parts) {
  Learnt learnt;
  for (int i = 0; i < files; ++i) Opened(learnt).Read(parts);
  return learnt;
}

TEST(BothEndsTest, EndIsFetchedWithTheHeadOfTheThirdFile) {
  Learnt learnt = After(2, kElf);
  const Decision decision = Opened(learnt).Read({kElf[0]});
  EXPECT_EQ(decision.method, Class::initial);
  ASSERT_EQ(decision.extent_count, 2);
  EXPECT_EQ(decision.extents[0].begin, 0) << "what the read itself needs comes first";
  EXPECT_EQ(decision.extents[0].length, 128 * kKiB);
  // The farthest of the reads near the end, in whole pages, and an eighth.
  const int64_t back = AlignUp(40 * kKiB, 4096);
  EXPECT_EQ(decision.extents[1].begin, AlignDown(kSize - back - back / 8, 4096));
  EXPECT_EQ(decision.extents[1].begin + decision.extents[1].length, kSize);
  EXPECT_EQ(decision.pieces, 2);
  EXPECT_EQ(decision.required, 1);
}

TEST(BothEndsTest, HeadIsFetchedWithTheEndOfTheThirdFile) {
  Learnt learnt = After(2, kZip);
  Opened third(learnt);
  const Decision decision = third.Read({kZip[0]});
  ASSERT_EQ(decision.extent_count, 2);
  EXPECT_EQ(decision.extents[0].begin, AlignDown(kSize - 36 * kKiB, 4096));
  EXPECT_EQ(decision.extents[1].begin, 0);
  EXPECT_EQ(decision.extents[1].length, 128 * kKiB);
  EXPECT_EQ(decision.required, 0) << "the read itself is small";
}

TEST(BothEndsTest, NoReadButTheFirstFindsAnythingMissing) {
  for (const std::vector<Part>& parts : {kElf, kZip}) {
    Learnt learnt = After(2, parts);
    Opened third(learnt);
    third.Read({parts[0]});
    for (const Part& part : parts) {
      EXPECT_TRUE(third.host_.Present({{part.begin}, {part.begin + part.length}}));
      third.host_.Read(part.begin, part.length);
    }
    EXPECT_EQ(third.host_.Sum(Event::readahead, Class::initial), third.host_.issued_pages_);
    EXPECT_EQ(third.host_.policy_.OutstandingPages() + third.host_.Sum(Event::readahead_hit, Class::initial),
              third.host_.issued_pages_);
  }
}

TEST(BothEndsTest, OneFileIsNotEnough) {
  Learnt learnt = After(1, kElf);
  EXPECT_EQ(Opened(learnt).Read({kElf[0]}).extent_count, 0);
  Learnt other = After(1, kZip);
  EXPECT_EQ(Opened(other).Read({kZip[0]}).extent_count, 0);
}

TEST(BothEndsTest, JumpToTheEndAfterTheHeadHasTheIndexFetched) {
  Learnt learnt;
  Opened file(learnt);
  file.Read({kElf[0], kElf[1]});
  EXPECT_TRUE(file.host_.Present({{kSize - 128 * kKiB}, {kSize}}));
  Opened later(learnt);
  later.Read({kElf[0], {5 * kMiB, 64}, {9 * kMiB, 64}, {11 * kMiB, 64}, kElf[1]});
  EXPECT_FALSE(later.host_.Present({{kSize - 128 * kKiB}, {kSize}})) << "not of the opening";
}

TEST(BothEndsTest, LongIndexIsFetchedWhenMoreFilesHadOne) {
  const std::vector<Part> film = {{0, 32 * kKiB}, {kSize - 200 * kKiB, 32 * kKiB}};
  for (int files = 2; files < 6; ++files) {
    Learnt learnt = After(files, film);
    // 64, 128, 256 KiB after 2, 3, 4 files.
    EXPECT_EQ(Opened(learnt).Read({film[0]}).extent_count, files >= 4 ? 2 : 0) << files;
  }
}

TEST(BothEndsTest, WrongGuessIsMadeOnce) {
  for (const std::vector<Part>& parts : {kElf, kZip}) {
    for (int files : {2, 20}) {
      Learnt learnt = After(files, parts);
      for (int wrong = 0; wrong < 3; ++wrong) {
        Opened file(learnt);
        const Decision decision = file.Read({parts[0]});
        EXPECT_EQ(decision.extent_count, wrong == 0 ? 2 : 0) << files << " right, " << wrong << " wrong ones before";
      }
    }
  }
}

TEST(BothEndsTest, WhatWasFetchedInVainIsWaste) {
  Learnt learnt = After(2, kElf);
  Opened file(learnt);
  const Decision decision = file.Read({kElf[0]});
  const int64_t tail_pages = (decision.extents[1].length + 4095) / 4096;
  const int64_t head_pages = decision.extents[0].length / 4096;
  file.host_.policy_.Forget(file.host_.facts_, file.host_.Around());
  EXPECT_EQ(file.host_.Sum(Event::readahead_waste, Class::initial), tail_pages + head_pages - 1);
  EXPECT_EQ(file.host_.Sum(Event::readahead, Class::initial), tail_pages + head_pages);
}

TEST(BothEndsTest, ReaderWhoComesToTheEndDoesNotJumpThere) {
  Learnt learnt;
  for (int i = 0; i < 3; ++i) {
    Opened file(learnt);
    for (int64_t at = 0; at < kSize; at += 4 * kMiB) file.host_.Read(at, at + 4 * kMiB < kSize ? 4 * kMiB : kSize - at);
  }
  EXPECT_EQ(learnt.HabitOf(kFolder).tails, 0);
}

TEST(BothEndsTest, FileThatIsOpenedAgainIsKnown) {
  Learnt learnt;
  Opened file(learnt);
  file.Read(kElf);
  file.host_.policy_.Forget(file.host_.facts_, file.host_.Around());
  file.host_.cache_.clear();
  Filter filter;
  EXPECT_EQ(file.host_.Read(0, 64, filter, true).extent_count, 2);
}

TEST(BothEndsTest, NothingIsGuessedWhereMemoryIsShortOrTheHostForbidsIt) {
  Learnt learnt = After(3, kElf);
  const auto extents = [&](auto change) {
    Learnt copy = learnt;
    Opened file(copy);
    change(file.host_);
    return file.Read({kElf[0]}).extent_count;
  };
  EXPECT_EQ(extents([](Host&) {}), 2);
  EXPECT_EQ(extents([](Host& host) { host.facts_.share = 160_KiB; }), 0);
  EXPECT_EQ(extents([](Host& host) { host.facts_.allowance = 160_KiB; }), 0);
  EXPECT_EQ(extents([](Host& host) { host.advice_ = HostAdvice::kNoReuse; }), 0);
  EXPECT_EQ(extents([](Host& host) { host.options_.ratio = 0; }), 0);
  EXPECT_EQ(extents([](Host& host) { host.options_.ratio = 5; }), 0);
}

TEST(BothEndsTest, KernelKeepsTheHeadThatItLeads) {
  Learnt learnt = After(2, kElf);
  Opened file(learnt);
  file.host_.facts_.kernel_leads = true;
  const Decision decision = file.Read({kElf[0]});
  ASSERT_EQ(decision.extent_count, 1);
  EXPECT_GT(decision.extents[0].begin, kSize - 64 * kKiB);
  EXPECT_TRUE(file.host_.Present({{kSize - 40 * kKiB}, {kSize}}));
  EXPECT_EQ(file.host_.Sum(Event::readahead, Class::initial), decision.extents[0].length / 4096 + 1);
}

}  // namespace
}  // namespace ahead::test
