// Which addresses are mappings of files? Kept so that a file's fetched pages are not given up while it is mapped, its
// descriptor closed long ago, and so that the host's own madvise can be charged to the file.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ahead {

// The host mapped `length` bytes of `fd` from `offset` at `address`: asks for what it will touch first.
void NoteMapped(void* address, size_t length, int protection, int flags, int fd, int64_t offset) noexcept;

// [address, address + length) is about to be unmapped. Before the call, because after it the addresses may be another
// thread's.
void NoteUnmapping(void* address, size_t length) noexcept;

// [address, address + old_length) has become [result, result + length).
void NoteRemapped(void* address, size_t old_length, void* result, size_t length) noexcept;

// The host gave advice (a MADV_ number) about [address, address + length).
void NoteMemoryAdvice(void* address, size_t length, int advice) noexcept;

}  // namespace ahead
