#include "stats/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace ahead {
namespace {

// PID_MAX_LIMIT is 2^22. 40 bits of ticks are 348 years.
constexpr int kPidBits = 22;
constexpr int kTickBits = 40;

// USER_HZ, the unit of /proc/PID/stat: 100 on every architecture this runs on, whatever the kernel's own HZ is.
constexpr uint64_t kTicksPerSecond = 100;

// Reads the 22nd field of the text of a /proc/PID/stat. The second field is the command in parentheses and may hold
// anything, so fields are counted from the last parenthesis.
uint64_t ParseStartTicks(const char* text, size_t length) {
  size_t at = length;
  while (at > 0 && text[at - 1] != ')') --at;
  for (int field = 2; at < length && field < 22; ++at) field += text[at] == ' ';
  uint64_t ticks = 0;
  for (; at < length && text[at] >= '0' && text[at] <= '9'; ++at)
    ticks = ticks * 10 + static_cast<uint64_t>(text[at] - '0');
  return ticks;
}

// Writes "/proc/PID/stat" to `out`, capacity >= 24.
void StatPath(pid_t pid, char* out) {
  char digits[12];
  int count = 0;
  for (auto rest = static_cast<uint32_t>(pid); rest != 0 || count == 0; rest /= 10)
    digits[count++] = static_cast<char>('0' + rest % 10);
  for (const char* c = "/proc/"; *c != 0; ++c) *out++ = *c;
  while (count > 0) *out++ = digits[--count];
  for (const char* c = "/stat"; *c != 0; ++c) *out++ = *c;
  *out = 0;
}

}  // namespace

Owner Owner::Decode(uint64_t word) {
  Owner owner;
  owner.claimed_ticks = word & ((uint64_t{1} << kTickBits) - 1);
  owner.pid = static_cast<pid_t>((word >> kTickBits) & ((1u << kPidBits) - 1));
  owner.state = static_cast<State>(word >> (kTickBits + kPidBits));
  return owner;
}

uint64_t Owner::Encode() const {
  return static_cast<uint64_t>(state) << (kTickBits + kPidBits) |
         (static_cast<uint64_t>(pid) & ((1u << kPidBits) - 1)) << kTickBits |
         (claimed_ticks & ((uint64_t{1} << kTickBits) - 1));
}

uint64_t NowTicks() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * kTicksPerSecond +
         static_cast<uint64_t>(now.tv_nsec) / (1'000'000'000 / kTicksPerSecond);
}

uint64_t StartTicks(const char* stat_path) {
  const long fd = syscall(SYS_openat, AT_FDCWD, stat_path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[1024];
  const long length = syscall(SYS_read, fd, text, sizeof(text));
  syscall(SYS_close, fd);
  return length > 0 ? ParseStartTicks(text, static_cast<size_t>(length)) : 0;
}

bool HasEnded(const Owner& owner) {
  if (owner.state == Owner::State::kFree || owner.claimed_ticks > NowTicks()) return true;
  return syscall(SYS_kill, owner.pid, 0) != 0 && errno == ESRCH;
}

bool IsGone(const Owner& owner) {
  if (HasEnded(owner)) return true;
  char path[24];
  StatPath(owner.pid, path);
  return StartTicks(path) > owner.claimed_ticks;
}

}  // namespace ahead
