// Which page leaves memory next: the kernel's two lists and what it remembers of pages that have left.
#include "sim/page_lists.h"

#include <gmock/gmock.h>

namespace ahead::sim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PageListsTest : public testing::Test {
 protected:
  void Insert(PageId begin, PageId end) {
    for (PageId page = begin; page < end; ++page) lists_.Insert(page);
  }
  void Activate(PageId page) { lists_.Touch(page), lists_.Touch(page); }
  std::vector<PageId> Reclaim(int count) {
    std::vector<PageId> evicted;
    lists_.Reclaim(count, evicted);
    return evicted;
  }

  std::vector<uint16_t> flags_ = std::vector<uint16_t>(256);
  PageLists lists_{flags_};
};

TEST_F(PageListsTest, OldestPageLeavesFirst) {
  Insert(0, 5);
  EXPECT_THAT(Reclaim(2), ElementsAre(0, 1));
  EXPECT_EQ(lists_.size(), 3);
}

TEST_F(PageListsTest, OneReadSavesNoPageAndASecondDoes) {
  Insert(0, 4);
  lists_.Touch(0);
  Activate(1);
  EXPECT_THAT(Reclaim(2), ElementsAre(0, 2));
  EXPECT_TRUE(lists_.IsActive(1));
}

TEST_F(PageListsTest, PageOnItsWayStays) {
  Insert(0, 3);
  flags_[0] = page::kLocked;
  EXPECT_THAT(Reclaim(1), ElementsAre(1));
  flags_[2] = page::kLocked;
  EXPECT_THAT(Reclaim(1), IsEmpty());
}

TEST_F(PageListsTest, PageThatAThreadWaitsForStays) {
  Insert(0, 3);
  flags_[0] = page::kThere | page::kPinned;
  EXPECT_THAT(Reclaim(2), ElementsAre(1, 2));
}

TEST_F(PageListsTest, OldestActivePageMovesBackWhenMostAreActive) {
  Insert(0, 3);
  Activate(0), Activate(1);
  EXPECT_THAT(Reclaim(3), ElementsAre(2, 0, 1));
}

TEST_F(PageListsTest, PageThatComesBackSoonIsActiveAtOnce) {
  Insert(0, 10);
  for (PageId page = 6; page < 10; ++page) Activate(page);
  EXPECT_THAT(Reclaim(4), ElementsAre(0, 1, 2, 3));
  // Four are active. Since 0 left four pages did, itself among them; since 3 left one did.
  lists_.Insert(3);
  EXPECT_TRUE(lists_.IsActive(3));
  lists_.Insert(0);
  EXPECT_TRUE(lists_.IsActive(0));
}

TEST_F(PageListsTest, PageThatComesBackLateIsNot) {
  Insert(0, 10);
  Activate(8), Activate(9);
  EXPECT_THAT(Reclaim(3), ElementsAre(0, 1, 2));
  lists_.Insert(0);  // three have left since, and two are active
  EXPECT_FALSE(lists_.IsActive(0));
  lists_.Insert(2);
  EXPECT_TRUE(lists_.IsActive(2));
}

TEST_F(PageListsTest, PageTakenOutIsNotRemembered) {
  Insert(0, 4);
  Activate(2), Activate(3);
  lists_.Remove(0);
  lists_.Insert(0);
  EXPECT_FALSE(lists_.IsActive(0));
}

TEST_F(PageListsTest, PageTouchedThroughAMappingStaysARoundAndThenBecomesActive) {
  Insert(0, 3);
  flags_[0] |= page::kYoung;
  EXPECT_THAT(Reclaim(1), ElementsAre(1));
  EXPECT_FALSE(lists_.IsActive(0));
  flags_[0] |= page::kYoung;
  Insert(3, 4);
  EXPECT_THAT(Reclaim(2), ElementsAre(2, 3));
  EXPECT_TRUE(lists_.IsActive(0));
}

TEST_F(PageListsTest, TouchesThroughAMappingAreForgottenWhenAPageMovesBack) {
  Insert(0, 3);
  for (PageId page = 0; page < 3; ++page) Activate(page), flags_[page] |= page::kYoung;
  EXPECT_THAT(Reclaim(1), ElementsAre(0));
}

}  // namespace
}  // namespace ahead::sim
