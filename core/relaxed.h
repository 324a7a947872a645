// A value that threads read and write without a lock, where a race may cost an observation and nothing else. Each use
// is one relaxed load or store, written as that of a plain value.
#pragma once

#include <atomic>

namespace ahead {

template <typename T>
class Relaxed {
 public:
  constexpr Relaxed(T value = T()) : place_(Place{value}) {}
  Relaxed(const Relaxed&) = delete;
  Relaxed& operator=(const Relaxed&) = delete;

  operator T() const { return place_.load(std::memory_order_relaxed).value; }
  Relaxed& operator=(T value) {
    place_.store(Place{value}, std::memory_order_relaxed);
    return *this;
  }

 private:
  // Clang calls a library for what is not aligned to its size, as a structure of smaller numbers is not.
  struct alignas(sizeof(T)) Place {
    T value;
  };
  static_assert(std::atomic<Place>::is_always_lock_free);
  std::atomic<Place> place_;
};

}  // namespace ahead
