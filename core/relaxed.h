// A value that threads read and write without a lock, where a race may cost an observation and nothing else. Each use
// is one relaxed load or store, written as that of a plain value.
#pragma once

#include <atomic>

namespace ahead {

// Copied as a plain value is, so that what it is a part of can lie in a union: not while other threads use it.
template <typename T>
class Relaxed {
 public:
  constexpr Relaxed(T value = T()) : place_{value} {}

  operator T() const {
    Place now{};
    __atomic_load(&place_, &now, __ATOMIC_RELAXED);
    return now.value;
  }
  Relaxed& operator=(T value) {
    Place now{value};
    __atomic_store(&place_, &now, __ATOMIC_RELAXED);
    return *this;
  }

 private:
  // Clang calls a library for what is not aligned to its size, as a structure of smaller numbers is not.
  struct alignas(sizeof(T)) Place {
    T value;
  };
  static_assert(std::atomic<Place>::is_always_lock_free);
  Place place_;
};

}  // namespace ahead
