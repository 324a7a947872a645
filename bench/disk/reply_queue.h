// When does each answer leave? One thread that sends answers at their times, those the device says and those said when
// they were given, so that any number of requests can be in flight without a thread each.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <unordered_map>

#include "core/units.h"
#include "sim/devices/device.h"

namespace ahead::disk {

// Returns the monotonic clock's time.
Nanos Now();

// Puts the calling thread before ordinary ones, where that is allowed (to root): a disk needs no processor, so its
// answers should leave on time however busy the machine is.
void RunUrgently();

// Thread safety: all from any thread; answers are sent by the queue's own, in the order of their due times. Where these
// are equal the device's are first, and others in the order in which they were given.
class ReplyQueue {
 public:
  // Sends the answer; given the time it was due.
  using Send = std::function<void(Nanos due)>;

  explicit ReplyQueue(sim::Device device = sim::Device(sim::NetParameters{}));
  // Sends at once what is still waiting.
  ~ReplyQueue();
  ReplyQueue(const ReplyQueue&) = delete;
  ReplyQueue& operator=(const ReplyQueue&) = delete;

  // Cost: one allocation, and a wake-up only when `due` precedes all others.
  void Push(Nanos due, Send send);

  // Hands a read that arrived at `arrival` to the device, and sends the answer when that gives it.
  void Submit(Nanos arrival, uint64_t inode, ByteRange range, Send send);

  // As the device's functions of these names.
  Nanos TransferTime(ByteCount size) const { return device_.TransferTime(size); }
  int64_t ArmMoves() const;
  Nanos Positioning() const;

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
  // Returns when the next answer leaves; kNever when none waits.
  Nanos NextDue() const;
  // Takes the answer that leaves at NextDue().
  Send TakeNext();

  mutable std::mutex mutex_;
  sim::Device device_;
  std::unordered_map<uint64_t, Send> at_device_;  // by the number of the request
  uint64_t submitted_ = 0;
  Nanos device_time_{};  // of the last answer taken from the device
  std::condition_variable earlier_;
  std::priority_queue<Reply> waiting_;
  uint64_t pushed_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace ahead::disk
