// Room for objects that are made when they are first needed. What was never made costs neither memory nor start-up
// time, which an array of objects with initial values would.
#pragma once

#include <cstddef>
#include <new>

namespace ahead {

// Room for one object; zero bytes until it is made. Thread safety: none; whoever hands it out says who may use it.
template <typename T>
class Room {
 public:
  // Makes the object anew, over what was there. Nothing is destroyed: objects hold no resources.
  T& Make() noexcept { return *new (&bytes_) T(); }
  // REQUIRES: the object was made.
  T& operator*() noexcept { return *std::launder(reinterpret_cast<T*>(&bytes_)); }
  T* operator->() noexcept { return &**this; }

 private:
  alignas(T) unsigned char bytes_[sizeof(T)];
};

}  // namespace ahead
