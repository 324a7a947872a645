// What a process learns from all of its files.
#pragma once

#include "core/initial_size.h"
#include "core/safety.h"
#include "core/tap.h"

namespace ahead {

// Thread safety: none needed: a lost update costs one lesson.
struct Learnt {
  InitialSize initial_size;
  Safety safety;
  Tap tap;
};

}  // namespace ahead
