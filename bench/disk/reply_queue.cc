#include "bench/disk/reply_queue.h"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace ahead::disk {

Nanos Now() { return {std::chrono::steady_clock::now().time_since_epoch().count()}; }

void RunUrgently() {
  const sched_param lowest_of_urgent{1};
  sched_setscheduler(0, SCHED_FIFO, &lowest_of_urgent);
}

ReplyQueue::ReplyQueue(sim::Device device) : device_(std::move(device)), thread_([this] { Run(); }) {}

ReplyQueue::~ReplyQueue() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  earlier_.notify_one();
  thread_.join();
}

void ReplyQueue::Push(Nanos due, Send send) {
  bool is_earliest = false;
  {
    const std::lock_guard lock(mutex_);
    is_earliest = due < NextDue();
    waiting_.push({due, pushed_++, std::move(send)});
  }
  if (is_earliest) earlier_.notify_one();
}

void ReplyQueue::Submit(Nanos arrival, uint64_t inode, ByteRange range, Send send) {
  bool is_earliest = false;
  {
    const std::lock_guard lock(mutex_);
    const Nanos due_before = NextDue();
    // An answer may have been taken between the arrival and now; to the device that was before.
    device_.Submit(std::max(arrival, device_time_), {submitted_, inode, range});
    at_device_.emplace(submitted_++, std::move(send));
    is_earliest = NextDue() < due_before;
  }
  if (is_earliest) earlier_.notify_one();
}

int64_t ReplyQueue::ArmMoves() const {
  const std::lock_guard lock(mutex_);
  return device_.ArmMoves();
}

Nanos ReplyQueue::Positioning() const {
  const std::lock_guard lock(mutex_);
  return device_.Positioning();
}

Nanos ReplyQueue::NextDue() const {
  return waiting_.empty() ? device_.NextAnswer() : std::min(device_.NextAnswer(), waiting_.top().due);
}

ReplyQueue::Send ReplyQueue::TakeNext() {
  Send send;
  if (device_.NextAnswer() <= NextDue() && device_.NextAnswer() < sim::kNever) {
    device_time_ = device_.NextAnswer();
    const auto answered = at_device_.find(device_.TakeAnswer().number);
    send = std::move(answered->second);
    at_device_.erase(answered);
  } else {
    send = std::move(const_cast<Reply&>(waiting_.top()).send);
    waiting_.pop();
  }
  return send;
}

void ReplyQueue::Run() {
  prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);  // the default of 50 us would make every answer that much late
  RunUrgently();
  std::unique_lock lock(mutex_);
  for (;;) {
    const Nanos due = NextDue();
    if (due == sim::kNever) {
      if (stopping_) return;
      earlier_.wait(lock);
      continue;
    }
    if (!stopping_ && Now() < due) {
      earlier_.wait_until(lock, std::chrono::steady_clock::time_point(std::chrono::nanoseconds(due.value)));
      continue;
    }
    const Send send = TakeNext();
    lock.unlock();
    send(due);
    lock.lock();
  }
}

}  // namespace ahead::disk
