// What the engine knows about a descriptor, the time and the memory: the few system calls behind core's Facts.
#pragma once

#include "core/facts.h"
#include "core/units.h"
#include "shim/files.h"

namespace ahead {

// Returns the monotonic time. Cost: no system call.
Nanos Now() noexcept;

// What a descriptor stands for at this moment.
struct DescriptorFacts {
  bool is_regular = false;
  FileIdentity identity;
  ByteCount size;
  bool is_local = false;  // on a disk of the machine's own, as far as can be told
};

// Asks the kernel, without a round trip to a file server. Returns false when the descriptor is not open.
bool LookAt(int fd, DescriptorFacts& facts) noexcept;

// Returns where the next read through `fd` begins, or -1 when it has no offset.
int64_t OffsetOf(int fd) noexcept;

// Returns the offset that the host keeps at `place`, or less than -1 when there is none to be read, or a negative one.
// Keeps errno. Cost: one system call, since the address may be a bad one.
int64_t OffsetAt(const off_t* place) noexcept;

// Says whether reads through `fd` go by the page cache: opened for reading and not O_DIRECT or O_PATH.
bool ReadsThroughCache(int fd) noexcept;

// Returns the facts for a decision about a read of `count` bytes of a file of `size`, on a disk of the machine's own or
// not, in a folder (core/habits.h; 0: not known).
Facts FactsFor(ByteCount size, bool is_local, uint32_t folder, ByteCount count = {}) noexcept;

// The host is about to make a thread. Before its first one finds the limit of its cgroups, in a process that no `ahead
// run` told; one that has none is found when much is outstanding. Keeps errno. Cost: two loads; once some system calls.
void LookBeforeThreads() noexcept;

}  // namespace ahead
