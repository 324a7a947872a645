// Which descriptions may another program have by now? Those that it was given by exec, which hands on every descriptor
// without FD_CLOEXEC, or that went to it through a socket. Advice on a description that another program reads through
// would change what the kernel does for that program.
//
// Not each description is told: the process counts the times at which it made another, and whoever is about to advise
// a description compares the stamp it got when it was opened. What is advised already is taken back then and there.
//
// Not seen: clone and execve by syscall(2), descriptors sent by io_uring or taken by pidfd_getfd.
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <cstdint>

namespace ahead {

inline constexpr uint32_t kStampBits = 24;
inline constexpr uint32_t kStamps = (1u << kStampBits) - 1;
// Of descriptions that others opened, or have.
inline constexpr uint32_t kNobodysStamp = 0;

// Counts those times, from 1. And what it was when this process was last forked, or forked another: what was open then
// is shared.
[[gnu::visibility("hidden")]] extern constinit std::atomic<uint32_t> handings;
[[gnu::visibility("hidden")]] extern constinit std::atomic<uint32_t> first_handing;

// Returns the time now, as a stamp.
inline uint32_t CurrentStamp() { return handings.load(std::memory_order_seq_cst) & kStamps; }

// Says whether what was opened then was opened by this process, and no fork has it. Right for the last 8 million times.
bool IsOfThisProcess(uint32_t stamp) noexcept;

// The highest number that was ever advised; -1: none was.
[[gnu::visibility("hidden")]] extern constinit std::atomic<int> highest_hinted;

// A call that starts another program with the descriptors of this one is about to be made: takes back what was given to
// those that it will have. Also in a child of vfork. Keeps errno. Cost where nothing was ever given: two atomic
// operations.
void BeforeHandingOn() noexcept;

// A child that shares all descriptions is about to be made, or was, in both. What was given to them stays: the child is
// one of ours and knows of it, until it calls exec. More is not given: it would not know, and may come to have a
// descriptor handed on which is not in its parent.
void NoteFork() noexcept;

// The descriptors in a message were sent. Keeps errno.
void NoteSent(const msghdr& message) noexcept;

// Others may share the description of `fd` from now on: takes back what was given to it, for good. Keeps errno.
void WithdrawForGood(int fd) noexcept;

// The flags of `fd` were set: whether exec hands it on. What was handed on before remains so.
void NoteFlags(int fd) noexcept;

// Takes back what was given to any description. After it no hook makes a call to take anything back.
void WithdrawAll() noexcept;

}  // namespace ahead
