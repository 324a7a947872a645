// Room for a fixed number of objects that are made when they are first needed. What was never made costs neither memory
// nor start-up time, which an array of objects with initial values would.
#pragma once

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <new>

namespace ahead {

// Lies in .bss. Thread safety: none; whoever hands out the indices says who may use what.
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

// A Pool whose memory is mapped when it is first asked for: megabytes of .bss cost every process page tables.
template <typename T, size_t kCapacity>
class MappedPool {
 public:
  // Returns whether there is memory. May change errno.
  bool Map() noexcept {
    if (rooms_ != nullptr) return true;
    const long address = syscall(SYS_mmap, nullptr, sizeof(*rooms_), PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
    if (address != -1) rooms_ = reinterpret_cast<Pool<T, kCapacity>*>(address);
    return rooms_ != nullptr;
  }

  // As in Pool. REQUIRES: Map returned true.
  T& Make(size_t index) noexcept { return rooms_->Make(index); }
  T& operator[](size_t index) noexcept { return (*rooms_)[index]; }

 private:
  Pool<T, kCapacity>* rooms_ = nullptr;
};

}  // namespace ahead
