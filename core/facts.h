// What is known about the file, its device and the memory when a decision is made. Recorded in traces.
#pragma once

#include "core/habits.h"
#include "core/units.h"

namespace ahead {

// Nothing is looked at beyond here, so that no sum or product of the policy can overflow: its largest is 400 times the
// size. File systems may say 2^63 - 1.
inline constexpr ByteCount kLargestFile{int64_t{1} << 53};

struct Facts {
  ByteCount file_size;  // at most kLargestFile; of a larger file, that
  ByteCount page{4096};
  ByteCount piece{128 << 10};          // the most that one readahead call is sure to take; a multiple of `page`
  ByteCount kernel_window{128 << 10};  // what the kernel reads ahead by itself, at least
  bool kernel_leads = false;           // it may be far more: forward streams start as the kernel's (methods/led.cc)
  ByteCount initial{128 << 10};        // first window of a new file, as learnt (core/initial_size.h)
  // Memory left for data fetched and not yet read, such that the ratio of it may still be fetched.
  ByteCount allowance{1 << 30};
  ByteCount share{1 << 30};  // of the memory, what is safe for one stream, before the ratio
  ByteCount safe{1 << 30};   // what may pass through memory before unread pages are gone (core/safety.h)
  ByteCount clock{0};        // what has passed, through this process
  Habit habit = {};          // of the file's folder
};

}  // namespace ahead
