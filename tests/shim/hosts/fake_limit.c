// A second preload: says that 1,073,741,816 files may be open, as some systems and containers do, where the limit
// cannot really be raised so far. Case A3.
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const rlim_t kMany = 1073741816;

static int Ask(pid_t process, int resource, const void* wanted, struct rlimit* now) {
  const int result = (int)syscall(SYS_prlimit64, process, resource, wanted, now);
  if (result == 0 && now != NULL && resource == RLIMIT_NOFILE) now->rlim_cur = now->rlim_max = kMany;
  return result;
}

int prlimit(pid_t process, __rlimit_resource_t resource, const struct rlimit* wanted, struct rlimit* now) {
  return Ask(process, (int)resource, wanted, now);
}

int prlimit64(pid_t process, __rlimit_resource_t resource, const struct rlimit64* wanted, struct rlimit64* now) {
  return Ask(process, (int)resource, wanted, (struct rlimit*)now);
}

int getrlimit(__rlimit_resource_t resource, struct rlimit* now) { return Ask(0, (int)resource, NULL, now); }

int getrlimit64(__rlimit_resource_t resource, struct rlimit64* now) {
  return Ask(0, (int)resource, NULL, (struct rlimit*)now);
}
