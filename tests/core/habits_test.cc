// Habits of folders: what a word can hold, what is learnt, and how many folders there is room for.
#include "core/habits.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/learnt.h"

namespace ahead::test {
namespace {

uint32_t IdOf(const char* path) { return FolderId(path, std::strlen(path)); }

TEST(HabitTest, ComesOutOfItsWordAsItWentIn) {
  Habit habit;
  habit.folder = 0xdeadbeef;
  habit.share = 77;
  habit.tails = 5;
  habit.heads = 2;
  habit.back = 44_KiB;
  const Habit read = Habit::Decode(habit.Encode());
  EXPECT_EQ(read.folder, habit.folder);
  EXPECT_EQ(read.share, 77);
  EXPECT_EQ(read.tails, 5);
  EXPECT_EQ(read.heads, 2);
  EXPECT_EQ(read.back, 44_KiB);
  EXPECT_EQ(Habit::Decode(habit.EncodeUnnamed()).folder, 0U);
  EXPECT_EQ(Habit::Decode(habit.EncodeUnnamed()).back, 44_KiB);
}

TEST(HabitTest, AnyWordIsAHabitWithinBounds) {
  uint64_t word = 0x9e3779b97f4a7c15;
  for (int i = 0; i < 10'000; ++i, word = word * 6364136223846793005 + 1442695040888963407) {
    const Habit habit = Habit::Decode(word);
    EXPECT_GE(habit.share, 1);
    EXPECT_LE(habit.share, InitialSize::kMost);
    EXPECT_LE(habit.tails, Habit::kMost);
    EXPECT_LE(habit.back, Habit::kFarthest);
    EXPECT_EQ(Habit::Decode(habit.Encode()).back, habit.back);
  }
}

TEST(HabitTest, IndexIsTakenToBeAsLongAsTheLongestOfLate) {
  Habit habit;
  FirstReads reads;
  reads.back = 100_KiB;
  habit.Learn(reads);
  EXPECT_EQ(habit.back, 100_KiB);
  reads.back = 20_KiB;
  habit.Learn(reads);
  EXPECT_EQ(habit.back, 80_KiB);
  reads.back = 40_MiB;
  habit.Learn(reads);
  EXPECT_EQ(habit.back, Habit::kFarthest);
}

TEST(FolderIdTest, IsOfTheFolderAndNotOfTheFile) {
  EXPECT_EQ(IdOf("/disk/a/one"), IdOf("/disk/a/two"));
  EXPECT_NE(IdOf("/disk/a/one"), IdOf("/disk/b/one"));
  EXPECT_NE(IdOf("/disk/a/one"), IdOf("/disk/a"));
  EXPECT_EQ(IdOf("name"), 0U);
}

TEST(HabitsTest, FolderWithoutNumberIsNotKept) {
  Habits habits;
  habits.Keep(Habit{});
  EXPECT_EQ(habits.Find(0).folder, 0U);
}

TEST(HabitsTest, ThousandFoldersLeaveTheLastOnesKnown) {
  Habits habits;
  for (uint32_t folder = 1; folder <= 1000; ++folder) {
    Habit habit;
    habit.folder = folder;
    habit.tails = static_cast<int32_t>(folder % 7);
    habits.Keep(habit);
    EXPECT_EQ(habits.Find(folder).tails, habit.tails) << folder;
  }
}

TEST(LearntTest, UnknownFolderIsTakenForWhatTheProcessReadSoFar) {
  Learnt learnt;
  for (int i = 0; i < 3; ++i) learnt.LearnInitial(5, 128_KiB, 4_KiB, 4_KiB, false);
  EXPECT_EQ(learnt.HabitOf(6).share, InitialSize::kWhole / 8);
  for (int i = 0; i < 3; ++i) learnt.LearnInitial(6, 128_KiB, 128_KiB, 128_KiB, true);
  EXPECT_EQ(learnt.HabitOf(5).share, InitialSize::kWhole / 8) << "a folder keeps to itself";
  EXPECT_GT(learnt.HabitOf(6).share, InitialSize::kWhole / 8);
}

TEST(LearntTest, ProcessOfARunBeginsWithWhatAnotherOneLearnt) {
  Habits run;
  Learnt first;
  first.run_habits = &run;
  first.LearnInitial(5, 128_KiB, 4_KiB, 4_KiB, false);
  Learnt second;
  second.run_habits = &run;
  EXPECT_EQ(second.HabitOf(5).share, InitialSize::kWhole / 2);
  EXPECT_EQ(second.HabitOf(6).share, InitialSize::kWhole) << "of another folder it knows nothing";
}

}  // namespace
}  // namespace ahead::test
