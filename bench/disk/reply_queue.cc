#include "bench/disk/reply_queue.h"

#include <sched.h>
#include <sys/prctl.h>

#include <chrono>
#include <utility>

namespace ahead::disk {

Nanos Now() { return {std::chrono::steady_clock::now().time_since_epoch().count()}; }

void RunUrgently() {
  const sched_param lowest_of_urgent{1};
  sched_setscheduler(0, SCHED_FIFO, &lowest_of_urgent);
}

ReplyQueue::ReplyQueue() : thread_([this] { Run(); }) {}

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
    is_earliest = waiting_.empty() || due < waiting_.top().due;
    waiting_.push({due, pushed_++, std::move(send)});
  }
  if (is_earliest) earlier_.notify_one();
}

void ReplyQueue::Run() {
  prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);  // the default of 50 us would make every answer that much late
  RunUrgently();
  std::unique_lock lock(mutex_);
  for (;;) {
    if (waiting_.empty()) {
      if (stopping_) return;
      earlier_.wait(lock);
      continue;
    }
    const Nanos due = waiting_.top().due;
    if (!stopping_ && Now() < due) {
      earlier_.wait_until(lock, std::chrono::steady_clock::time_point(std::chrono::nanoseconds(due.value)));
      continue;
    }
    const Send send = std::move(const_cast<Reply&>(waiting_.top()).send);
    waiting_.pop();
    lock.unlock();
    send(due);
    lock.lock();
  }
}

}  // namespace ahead::disk
