// A value that threads read and write without a lock, where a race may cost an observation and nothing else. Each use
// is one relaxed load or store, written as that of a plain value.
#pragma once

#include <atomic>

namespace ahead {

template <typename T>
class Relaxed {
 public:
  constexpr Relaxed(T value = T()) : value_(value) {}
  Relaxed(const Relaxed&) = delete;
  Relaxed& operator=(const Relaxed&) = delete;

  operator T() const { return value_.load(std::memory_order_relaxed); }
  Relaxed& operator=(T value) {
    value_.store(value, std::memory_order_relaxed);
    return *this;
  }

 private:
  static_assert(std::atomic<T>::is_always_lock_free);
  std::atomic<T> value_;
};

}  // namespace ahead
