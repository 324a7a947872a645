// Files that are read from their end: what is fetched with the first read, and what comes of the reads after it.
#include <gtest/gtest.h>

#include "tests/core/host.h"

namespace ahead::test {
namespace {

constexpr int64_t kKiB = 1024;
constexpr int64_t kMiB = 1024 * kKiB;
constexpr int64_t kSize = 29 * kMiB + 1234;

ByteRange Last(int64_t bytes) { return {{kSize - bytes}, {kSize}}; }

TEST(TailTest, FirstReadAtTheEndHasTheIndexBeforeItFetched) {
  Host host({kSize});
  const Decision decision = host.Read(kSize - 22, 22);
  EXPECT_EQ(decision.method, Class::initial);
  EXPECT_EQ(decision.required, 0);
  EXPECT_TRUE(host.Present(Last(128 * kKiB)));
  EXPECT_LE(host.issued_pages_, 64) << "not more than a first window and a piece";
}

TEST(TailTest, FirstReadOfALongIndexHasAllOfItFetched) {
  Host host({kSize});
  host.Read(kSize - 900 * kKiB, 4 * kKiB);
  EXPECT_TRUE(host.Present(Last(900 * kKiB)));
}

TEST(TailTest, FirstReadElsewhereIsNotOfTheEnd) {
  Host host({kSize});
  EXPECT_TRUE(host.Read(kSize / 2, 22).empty());
  Host small({4 * kMiB});
  EXPECT_TRUE(small.Read(3 * kMiB + 100 * kKiB, 22).empty()) << "one of four may be by chance";
}

TEST(TailTest, LaterReadAtTheEndFetchesNothing) {
  Host host({kSize});
  host.Read(5 * kMiB, 22);
  EXPECT_TRUE(host.Read(kSize - 22, 22).empty());
}

TEST(TailTest, KernelKeepsWhatItLeadsAndHostWhatItForbids) {
  Host led({kSize});
  led.facts_.kernel_leads = true;
  EXPECT_TRUE(led.Read(kSize - 22, 22).empty());
  Host once({kSize});
  once.advice_ = HostAdvice::kNoReuse;
  EXPECT_TRUE(once.Read(kSize - 22, 22).empty());
  Host off({kSize});
  off.options_.ratio = 0;
  EXPECT_TRUE(off.Read(kSize - 22, 22).empty());
}

TEST(TailTest, MemoryThatIsShortIsNotTakenForTheEnd) {
  Host host({kSize});
  host.facts_.share = 256_KiB;
  EXPECT_TRUE(host.Read(kSize - 22, 22).empty());
}

TEST(TailTest, HeadAfterTheEndHasAFirstWindow) {
  Host host({kSize});
  host.Read(kSize - 22, 22);
  host.Read(kSize - 40 * kKiB, 40 * kKiB - 22);
  EXPECT_EQ(host.Read(0, 4 * kKiB).method, Class::initial);
  EXPECT_TRUE(host.Present({{0}, {128 * kKiB}}));
}

TEST(TailTest, BackwardReaderIsFoundWithinTheEnd) {
  Host host({kSize});
  int64_t missed = 0;
  for (int64_t end = kSize; end > kSize - 4 * kMiB; end -= 8 * kKiB) {
    missed += host.Present({{end - 8 * kKiB}, {end}}) ? 0 : 1;
    host.Read(end - 8 * kKiB, 8 * kKiB);
  }
  EXPECT_EQ(missed, 1) << "the first";
}

TEST(TailTest, ArchiveIsNotTakenForABackwardReader) {
  Host host({kSize});
  host.Read(kSize - 22, 22);
  EXPECT_TRUE(host.Read(kSize - 42, 42).empty());
  EXPECT_TRUE(host.Read(kSize - 38 * kKiB, 36 * kKiB).empty());
}

TEST(TailTest, EndThatWasNotReadTeachesNothingOfHeads) {
  Host host({kSize});
  host.Read(kSize - 22, 22);
  host.policy_.Forget(host.facts_, host.Around());
  EXPECT_EQ(host.learnt_.initial_size.Get(128_KiB), 128_KiB);
  EXPECT_GT(host.Sum(Event::readahead_waste, Class::initial), 0);
  EXPECT_EQ(host.Sum(Event::readahead, Class::initial),
            host.Sum(Event::readahead_hit, Class::initial) + host.Sum(Event::readahead_waste, Class::initial));
}

// Opens one archive after the other in a folder, each with an index of `index` bytes. Returns the pages fetched for the
// last one's end.
int64_t OpenArchives(int count, int64_t index, Learnt& learnt) {
  int64_t pages = 0;
  for (int i = 0; i < count; ++i) {
    Host host({kSize});
    host.learnt_ = learnt;
    host.facts_.habit = learnt.HabitOf(7);
    host.Read(kSize - 22, 22);
    pages = host.issued_pages_;
    EXPECT_TRUE(i == 0 || host.Present(Last(index)));
    host.Read(kSize - index, index);
    host.Read(0, 4 * kKiB);
    host.policy_.Forget(host.facts_, host.Around());
    learnt = host.learnt_;
  }
  return pages;
}

TEST(TailTest, SecondArchiveOfAFolderHasAsMuchFetchedAsTheFirstOneNeeded) {
  Learnt learnt;
  EXPECT_LE(OpenArchives(2, 20 * kKiB, learnt), 8);
  Learnt other;
  EXPECT_GE(OpenArchives(2, 600 * kKiB, other), 150);
  EXPECT_EQ(other.HabitOf(7).heads, 2);
  EXPECT_EQ(other.HabitOf(8).tails, 0) << "another folder";
}

TEST(TailTest, FolderWhoseFilesAreReadFromTheirHeadForgetsTheEnd) {
  Learnt learnt;
  OpenArchives(3, 20 * kKiB, learnt);
  for (int i = 0; i < 2; ++i) {
    Host host({kSize});
    host.learnt_ = learnt;
    host.facts_.habit = learnt.HabitOf(7);
    host.Read(0, 64 * kKiB);
    host.policy_.Forget(host.facts_, host.Around());
    learnt = host.learnt_;
  }
  EXPECT_EQ(learnt.HabitOf(7).tails, 0);
}

}  // namespace
}  // namespace ahead::test
