#include "shim/guard.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <new>
#include <thread>

namespace ahead {
namespace {

using Got = OwnedLock::Got;

struct alignas(Section) Room {
  std::array<unsigned char, sizeof(Section)> bytes;
};

// Leaves a section open, as a handler does that jumps out of it, in a frame that is gone.
[[gnu::noinline]] void Abandon(OwnedLock* lock) {
  Room room;
  const auto* section = new (&room) Section();
  EXPECT_TRUE(section->entered());
  if (lock != nullptr) {
    EXPECT_EQ(lock->TryLock(), Got::kFree);
  }
}

// Calls `use` further down the stack than any frame of Abandon was, having written over where those were.
template <typename Use>
[[gnu::noinline]] void FurtherDown(Use use) {
  volatile unsigned char deep[4096];
  for (volatile unsigned char& byte : deep) byte = 0xa5;
  use();
  deep[0] = 0;
}

TEST(SectionTest, IsNotEnteredTwice) {
  const Section outer;
  EXPECT_TRUE(outer.entered());
  FurtherDown([] { EXPECT_FALSE(Section().entered()); });
}

TEST(SectionTest, IsEnteredAgainAfterItsEnd) {
  { EXPECT_TRUE(Section().entered()); }
  EXPECT_TRUE(Section().entered());
}

TEST(SectionTest, AbandonedOneFurtherDownIsRecognised) {
  Abandon(nullptr);
  EXPECT_TRUE(Section().entered());
}

TEST(SectionTest, AbandonedOneThatWasWrittenOverIsRecognisedFromFurtherDown) {
  Abandon(nullptr);
  FurtherDown([] { EXPECT_TRUE(Section().entered()); });
}

TEST(SectionTest, EachThreadHasItsOwn) {
  const Section mine;
  std::thread([] { EXPECT_TRUE(Section().entered()); }).join();
}

TEST(OwnedLockTest, IsBusyForOtherThreads) {
  OwnedLock lock;
  const Section section;
  ASSERT_EQ(lock.TryLock(), Got::kFree);
  std::thread([&] {
    const Section other;
    EXPECT_EQ(lock.TryLock(), Got::kBusy);
    EXPECT_EQ(lock.SpinLock(), Got::kBusy);
  }).join();
  lock.Unlock();
  std::thread([&] {
    const Section other;
    EXPECT_EQ(lock.TryLock(), Got::kFree);
    lock.Unlock();
  }).join();
}

TEST(OwnedLockTest, OfAnAbandonedSectionIsTakenOver) {
  OwnedLock lock;
  Abandon(&lock);
  const Section section;
  ASSERT_TRUE(section.entered());
  EXPECT_EQ(lock.TryLock(), Got::kAbandoned);
  lock.Unlock();
  EXPECT_EQ(lock.TryLock(), Got::kFree);
}

TEST(ErrnoSaverTest, GivesErrnoBack) {
  errno = EXDEV;
  {
    const ErrnoSaver saver;
    errno = ENOENT;
  }
  EXPECT_EQ(errno, EXDEV);
}

}  // namespace
}  // namespace ahead
