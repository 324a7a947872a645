// Do answers leave in the order of their times, those of the device in its own, and does none get lost?
#include "bench/disk/reply_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <utility>
#include <vector>

namespace ahead::disk {
namespace {

using ::testing::ElementsAre;

TEST(ReplyQueueTest, SendsInOrderOfDueTimesAndThenOfArrival) {
  std::vector<int> sent;
  {
    ReplyQueue queue;
    const Nanos far = Now() + 3600_s;  // nothing is due before the queue ends, which sends all
    queue.Push(far + 2_ns, [&](Nanos) { sent.push_back(3); });
    queue.Push(far, [&](Nanos) { sent.push_back(1); });
    queue.Push(far + 1_ns, [&](Nanos) { sent.push_back(2); });
    queue.Push(far + 2_ns, [&](Nanos) { sent.push_back(4); });
  }
  EXPECT_THAT(sent, ElementsAre(1, 2, 3, 4));
}

TEST(ReplyQueueTest, AnEarlierAnswerOvertakesTheOneWaitedFor) {
  std::promise<Nanos> sent;
  bool is_late_one_sent = false;
  {
    ReplyQueue queue;
    queue.Push(Now() + 3600_s, [&](Nanos) { is_late_one_sent = true; });
    const Nanos due = Now();
    queue.Push(due, [&](Nanos was_due) { sent.set_value(was_due); });
    EXPECT_EQ(sent.get_future().get(), due);
    EXPECT_FALSE(is_late_one_sent);
  }
  EXPECT_TRUE(is_late_one_sent);
}

TEST(ReplyQueueTest, NoAnswerLeavesBeforeItsTime) {
  std::promise<Nanos> sent;
  ReplyQueue queue;
  const Nanos due = Now() + 3_ms;
  queue.Push(due, [&](Nanos) { sent.set_value(Now()); });
  EXPECT_GE(sent.get_future().get(), due);
}

TEST(ReplyQueueTest, TheDeviceDecidesInWhichOrderReadsAreAnswered) {
  // An arm that needs an hour for each of them: none is answered before the queue ends, which sends them in its order.
  const sim::HddParameters slow{
      .settle = 3600_s, .full_stroke = 3600_s, .transfer_per_second = 0, .has_rotation = false};
  std::vector<int> sent;
  {
    ReplyQueue queue{sim::Device(slow, sim::Placement({{1, 1_GiB}}))};
    const Nanos now = Now();
    const auto submit = [&](int64_t at, int number) {
      queue.Submit(now, 1, {{at}, {at + 4096}}, [&sent, number](Nanos) { sent.push_back(number); });
    };
    submit(512 << 20, 1);
    submit(256 << 20, 3);
    submit(768 << 20, 2);
    EXPECT_EQ(queue.ArmMoves(), 1);
    queue.Push(now + 1800_s, [&](Nanos) { sent.push_back(0); });
  }
  EXPECT_THAT(sent, ElementsAre(0, 1, 2, 3));
}

TEST(ReplyQueueTest, AReadIsAnsweredAtTheDevicesTimeAndNotBefore) {
  std::promise<std::pair<Nanos, Nanos>> sent;
  ReplyQueue queue{sim::Device(sim::NetParameters{3_ms, 1'000'000'000})};
  const Nanos now = Now();
  queue.Submit(now, 1, {{0}, {1000}}, [&](Nanos due) { sent.set_value({due, Now()}); });
  const auto [due, time] = sent.get_future().get();
  EXPECT_EQ(due, now + 3_ms + 1_us);
  EXPECT_GE(time, due);
}

}  // namespace
}  // namespace ahead::disk
