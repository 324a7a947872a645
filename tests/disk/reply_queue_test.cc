// Do answers leave in the order of their times, and does none get lost?
#include "bench/disk/reply_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
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

}  // namespace
}  // namespace ahead::disk
