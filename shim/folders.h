// Which folders does the host list? Only recorded, when there is a trace: what a program opens next it has mostly
// listed just before.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shim/descriptors.h"

namespace ahead {

// Each keeps errno, and costs a load when nothing is recorded.

// The host opened a folder; `fd` is of no interest as a file.
void NoteFolder(int fd) noexcept;

// The host read the entry of `inode` from the folder.
void NoteEntry(int fd, uint64_t inode) noexcept;

// The same for what getdents64 wrote.
void NoteEntries(int fd, const void* entries, size_t bytes) noexcept;

}  // namespace ahead
