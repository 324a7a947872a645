// What goes from the page cache to the device, and when.
#include "sim/mount.h"

#include <gmock/gmock.h>

namespace ahead::sim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class MountTest : public testing::Test {
 protected:
  MountTest() {
    work_.files.push_back({"file", 1, 1, 4_MiB});
    device_.parameters = NetParameters{2_ms, 0};
    device_.in_flight = 4;
    device_.max_request = 128_KiB;
  }
  // Returns whether all of [page, page + count) was sent or dropped.
  bool Fetch(Mount& mount, int64_t page, int64_t count, int64_t async = 0, ReaderState* state = nullptr) {
    mount.Lock(0, {page, count, async}, {{}, {}, state}, fetches_);
    return mount.Send({}, fetches_, first_);
  }

  Workload work_;
  LabDevice device_;
  std::vector<sim::Fetch> fetches_;
  size_t first_ = 0;
};

TEST_F(MountTest, RequestsAreSplitAtTheLargestAndAtWhatIsCached) {
  Mount mount(work_, device_);
  std::vector<PageRange> log;
  mount.LogTo(&log);
  EXPECT_TRUE(Fetch(mount, 40, 1));
  EXPECT_TRUE(Fetch(mount, 0, 50));
  EXPECT_THAT(log, ElementsAre(PageRange{0, 40, 41}, PageRange{0, 0, 32}, PageRange{0, 32, 40}, PageRange{0, 41, 50}));
  EXPECT_EQ(mount.bytes(), ByteCount{50 * 4096});
}

TEST_F(MountTest, OneMoreRequestThanFitsWaits) {
  Mount mount(work_, device_);
  for (int64_t page = 0; page < 8; page += 2) EXPECT_TRUE(Fetch(mount, page, 1));
  EXPECT_FALSE(Fetch(mount, 100, 1));
  EXPECT_EQ(mount.requests(), 4);
  EXPECT_EQ(mount.next_answer(), 2_ms);
  mount.TakeAnswer();
  EXPECT_TRUE(mount.Send(2_ms, fetches_, first_));
  EXPECT_EQ(mount.requests(), 5);
}

TEST_F(MountTest, AsynchronousPagesAreDroppedAtThreeQuarters) {
  Mount mount(work_, device_);
  ReaderState state;
  state.size = state.async_size = 32;
  for (int64_t page = 0; page < 4; page += 2) EXPECT_TRUE(Fetch(mount, page, 1));
  EXPECT_TRUE(Fetch(mount, 100, 32, 32, &state));
  EXPECT_THAT(mount.dropped(), IsEmpty());
  EXPECT_TRUE(Fetch(mount, 200, 32, 32, &state));
  EXPECT_THAT(mount.dropped(), ElementsAre(PageRange{0, 200, 232}));
  EXPECT_FALSE(mount.cache().IsPresent(0, 200));
  EXPECT_EQ(state.async_size, 32);
}

TEST_F(MountTest, PagesThatAReadWaitsForAreNotDropped) {
  Mount mount(work_, device_);
  ReaderState state;
  state.size = 4, state.async_size = 3;
  for (int64_t page = 0; page < 6; page += 2) EXPECT_TRUE(Fetch(mount, page, 1));
  EXPECT_TRUE(Fetch(mount, 100, 4, 3, &state));
  EXPECT_THAT(mount.dropped(), IsEmpty());
  EXPECT_EQ(mount.requests(), 4);
}

TEST_F(MountTest, NothingIsDroppedWhereTheDeviceDoesNot) {
  device_.drops_silently = false;
  Mount mount(work_, device_);
  ReaderState state;
  state.size = state.async_size = 32;
  for (int64_t page = 0; page < 6; page += 2) EXPECT_TRUE(Fetch(mount, page, 1));
  EXPECT_TRUE(Fetch(mount, 100, 32, 32, &state));
  EXPECT_EQ(mount.requests(), 4);
}

TEST_F(MountTest, MarkIsSetOnANewPageOnly) {
  Mount mount(work_, device_);
  Fetch(mount, 3, 1);
  Fetch(mount, 0, 4, 1);
  EXPECT_EQ(mount.cache().Flags(0, 3) & page::kMarked, 0);
  Fetch(mount, 8, 4, 3);
  EXPECT_NE(mount.cache().Flags(0, 9) & page::kMarked, 0);
}

TEST_F(MountTest, ReadingAheadEndsWhereAllMemoryIsOnItsWay) {
  device_.memory = 256_KiB;  // 64 pages
  Mount mount(work_, device_);
  EXPECT_EQ(mount.Lock(0, {0, 100, 0}, {}, fetches_), 64);
  EXPECT_EQ(mount.Lock(0, {200, 4, 0}, {{}, {0, 200, 204}, nullptr}, fetches_), 1);
}

TEST_F(MountTest, FileEndsInsideItsLastPage) {
  work_.files[0].size = 10'000_B;
  Mount mount(work_, device_);
  EXPECT_EQ(mount.Lock(0, {0, 100, 0}, {}, fetches_), 3);
  EXPECT_TRUE(mount.Send({}, fetches_, first_));
  EXPECT_EQ(mount.bytes(), 10'000_B);
  EXPECT_EQ(mount.Lock(0, {3, 1, 0}, {}, fetches_), 0);
}

}  // namespace
}  // namespace ahead::sim
