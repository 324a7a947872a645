// Is a file one that the options include and exclude let us touch?
#pragma once

namespace ahead {

// Returns whether the file behind `fd` is wanted. Cost: nothing where neither option is set, else one system call.
// REQUIRES: inside a Section.
bool IsWanted(int fd) noexcept;

}  // namespace ahead
