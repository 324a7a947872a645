// What does the name of a file say: do the options include and exclude let us touch it, and in which folder is it?
#pragma once

#include <cstdint>

namespace ahead {

enum class Wanted {
  kYes,
  kNo,
  kBusy,  // another thread is finding out about some file: ask again at the next read
};

// Says whether the file behind `fd` is wanted. Cost: nothing where neither option is set, else one system call.
// REQUIRES: inside a Section.
Wanted IsWanted(int fd) noexcept;

// Returns the number of the folder that the file behind `fd` lies in (core/habits.h); files whose name cannot be found
// are taken to lie in one. Cost: one system call. REQUIRES: inside a Section.
uint32_t FolderOf(int fd) noexcept;

}  // namespace ahead
