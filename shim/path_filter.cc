#include "shim/path_filter.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/habits.h"
#include "shim/glob.h"
#include "shim/guard.h"
#include "shim/runtime.h"

namespace ahead {
namespace {

// Too large for the stacks that hosts give their threads.
constinit char path[4096] = {};
constinit OwnedLock path_lock;

// Writes "/proc/self/fd/N" behind the constant part of `link`.
void AppendNumber(char* at, int fd) {
  int digits = 1;
  for (int rest = fd; rest >= 10; rest /= 10) ++digits;
  at[digits] = 0;
  while (digits > 0) at[--digits] = static_cast<char>('0' + fd % 10), fd /= 10;
}

bool Matches(const Options& options, Span name) {
  if (options.include_text != nullptr && !MatchesAnyGlob(options.include_text, name)) return false;
  return options.exclude_text == nullptr || !MatchesAnyGlob(options.exclude_text, name);
}

// Puts the name behind `fd` into `path`. Returns its length, or -1. REQUIRES: path_lock is held.
long ReadPath(int fd) {
  char link[32] = "/proc/self/fd/";
  AppendNumber(link + sizeof("/proc/self/fd/") - 1, fd);
  return syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof(path));
}

}  // namespace

Wanted IsWanted(int fd) noexcept {
  const Options& options = runtime.options();
  if (options.include_text == nullptr && options.exclude_text == nullptr) return Wanted::kYes;
  if (path_lock.SpinLock() == OwnedLock::Got::kBusy) return Wanted::kBusy;
  const long length = ReadPath(fd);
  // Without /proc no name is known: nothing is included, nothing excluded.
  const bool wanted = length >= 0 ? Matches(options, {path, path + length}) : options.include_text == nullptr;
  path_lock.Unlock();
  return wanted ? Wanted::kYes : Wanted::kNo;
}

uint32_t FolderOf(int fd) noexcept {
  constexpr uint32_t kSomewhere = 1;
  if (path_lock.SpinLock() == OwnedLock::Got::kBusy) return kSomewhere;
  const long length = ReadPath(fd);
  const uint32_t folder = length > 0 ? FolderId(path, static_cast<size_t>(length)) : 0;
  path_lock.Unlock();
  return folder != 0 ? folder : kSomewhere;
}

}  // namespace ahead
