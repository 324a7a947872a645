// Is a file one that the options include and exclude let us touch?
#pragma once

namespace ahead {

enum class Wanted {
  kYes,
  kNo,
  kBusy,  // another thread is finding out about some file: ask again at the next read
};

// Says whether the file behind `fd` is wanted. Cost: nothing where neither option is set, else one system call.
// REQUIRES: inside a Section.
Wanted IsWanted(int fd) noexcept;

}  // namespace ahead
