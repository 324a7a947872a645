// What both kinds of shared file, segment and trace, ask of the kernel. Runs inside the host: system calls only.
#pragma once

#include <errno.h>
#include <linux/memfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

// From 6.3; older headers do not have it.
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

namespace ahead {

// Calls `attempt`, which returns as a system call does, until no signal interrupts it.
template <typename Attempt>
long Uninterrupted(Attempt attempt) {
  long result;
  do result = attempt();
  while (result < 0 && errno == EINTR);
  return result;
}

// Growing a file past RLIMIT_FSIZE is answered with SIGXFSZ, which would end the host. Sets errno when it returns
// false.
inline bool MayGrowTo(uint64_t bytes) {
  rlimit limit{};
  if (syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, nullptr, &limit) != 0 || limit.rlim_cur >= bytes) return true;
  errno = EFBIG;
  return false;
}

// Makes an empty memfd that may be sealed, not executable where the kernel knows that (a sysctl may demand it). Returns
// a close-on-exec descriptor, or -1 with errno set.
inline int MakeMemfd(const char* name) {
  long fd = syscall(SYS_memfd_create, name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
  if (fd < 0 && errno == EINVAL) fd = syscall(SYS_memfd_create, name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  return static_cast<int>(fd);
}

}  // namespace ahead
