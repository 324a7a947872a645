// What is asked of a device.
#pragma once

#include <cstdint>

#include "core/units.h"

namespace ahead::sim {

// No answer is due.
inline constexpr Nanos kNever{INT64_MAX};

struct DeviceRequest {
  uint64_t number = 0;  // of the caller's choice: says which request an answer is to
  uint64_t inode = 0;   // of the file, by which a disk with an arm finds it
  ByteRange range;      // of the file
};

// What is answered, and when.
struct DeviceAnswer {
  Nanos time;
  DeviceRequest request;
};

}  // namespace ahead::sim
