// How far is a long computation, and how long will it take? On stderr, never on stdout.
#pragma once

#include <cstddef>
#include <string>

#include "core/units.h"

namespace ahead::cli {

// Returns e.g. "12/156 cells, about 40 s left"; without a guess before anything is done.
std::string DescribeProgress(const std::string& what, size_t done, size_t all, Nanos elapsed);

// A line that is written over where stderr is a terminal; otherwise, if it is wanted at all, a line for the first
// step and then every few seconds.
// Thread safety: none.
class Progress {
 public:
  enum class Wanted { kOnTerminal, kAlways };

  Progress(std::string what, size_t all, Wanted wanted);
  // The line goes where it was written over.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Step();

 private:
  std::string what_;
  size_t all_;
  size_t done_ = 0;
  bool is_terminal_;
  bool is_shown_;
  Nanos begin_;
  Nanos last_;
};

}  // namespace ahead::cli
