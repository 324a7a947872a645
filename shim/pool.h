// Room for a fixed number of objects that are made when they are first needed. Lies in .bss: what was never made costs
// neither memory nor start-up time, which an array of objects with initial values would.
#pragma once

#include <cstddef>
#include <new>

namespace ahead {

// Thread safety: none; whoever hands out the indices says who may use what.
template <typename T, size_t kCapacity>
class Pool {
 public:
  // Makes object `index` anew, over what was there. Nothing is destroyed: objects hold no resources.
  T& Make(size_t index) noexcept { return *new (&rooms_[index]) T(); }
  // REQUIRES: object `index` was made.
  T& operator[](size_t index) noexcept { return *std::launder(reinterpret_cast<T*>(&rooms_[index])); }

 private:
  struct alignas(T) Room {
    unsigned char bytes[sizeof(T)];
  };
  Room rooms_[kCapacity];
};

}  // namespace ahead
