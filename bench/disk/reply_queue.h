// When does each answer leave? One thread that sends answers at their due times, so that any number of requests can be
// in flight without a thread each.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include "core/units.h"

namespace ahead::disk {

// Returns the monotonic clock's time.
Nanos Now();

// Puts the calling thread before ordinary ones, where that is allowed (to root): a disk needs no processor, so its
// answers should leave on time however busy the machine is.
void RunUrgently();

// Thread safety: Push from any thread; answers are sent by the queue's own thread, in the order of their due times and,
// where these are equal, of their arrival.
class ReplyQueue {
 public:
  // Sends the answer; given the time it was due.
  using Send = std::function<void(Nanos due)>;

  ReplyQueue();
  // Sends at once what is still waiting.
  ~ReplyQueue();
  ReplyQueue(const ReplyQueue&) = delete;
  ReplyQueue& operator=(const ReplyQueue&) = delete;

  // Cost: one allocation, and a wake-up only when `due` precedes all others.
  void Push(Nanos due, Send send);

 private:
  struct Reply {
    Nanos due;
    uint64_t number;
    Send send;
    bool operator<(const Reply& other) const {  // the earliest on top
      return due != other.due ? due > other.due : number > other.number;
    }
  };

  void Run();

  std::mutex mutex_;
  std::condition_variable earlier_;
  std::priority_queue<Reply> waiting_;
  uint64_t pushed_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace ahead::disk
