// Puts itself under each restriction in the middle of reading, one child for each, and reads on: another user, limits,
// name spaces, attributes of the process. Usage: restrictions FILE
#include <dirent.h>
#include <grp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/shim/hosts/reading.h"

static const char* path;

static int EntriesOf(const char* folder_path) {
  DIR* folder = opendir(folder_path);
  int entries = -2;
  while (folder != NULL && readdir(folder) != NULL) ++entries;
  if (folder != NULL) closedir(folder);
  return entries;
}

static int Limit(__rlimit_resource_t what, rlim_t value) {
  const struct rlimit limit = {value, value};
  return setrlimit(what, &limit);
}

static int Nobody(void) { return setgroups(0, NULL) + setgid(65534) + setuid(65534); }
static int NobodyForNow(void) { return setresuid(0, 65534, 0); }
static int FewDescriptors(void) { return Limit(RLIMIT_NOFILE, 5); }
static int NoProcesses(void) { return Nobody() + Limit(RLIMIT_NPROC, 0); }
static int NoMemory(void) { return Limit(RLIMIT_AS, 0) + Limit(RLIMIT_DATA, 0); }
static int NoLocks(void) { return Limit(RLIMIT_MEMLOCK, 0) + Limit(RLIMIT_MSGQUEUE, 0); }
static int SmallStack(void) { return Limit(RLIMIT_STACK, 16384); }
static int NoWriting(void) { return Limit(RLIMIT_FSIZE, 0); }
static int OtherUsersNames(void) { return unshare(CLONE_NEWUSER); }
static int OwnDescriptors(void) { return unshare(CLONE_FILES | CLONE_FS); }
static int OwnEverything(void) {
  return unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET);
}
static int SameNames(void) { return setns(open("/proc/self/ns/user", O_RDONLY), CLONE_NEWUSER); }
static int SameMounts(void) { return setns(open("/proc/self/ns/mnt", O_RDONLY), CLONE_NEWNS); }
static int Undumpable(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
static int Renamed(void) { return prctl(PR_SET_NAME, "renamed", 0, 0, 0); }
static int NoNewPrivileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }
static int Lowest(void) { return nice(19) == 19 ? 0 : -1; }

static void Under(const char* name, int (*restrict_it)(void)) {
  const pid_t child = fork();
  if (child == 0) {
    const int fd = open(path, O_RDONLY);
    const unsigned long before = SumOfNext(fd, 200000);
    errno = 0;
    const int result = restrict_it();
    const int error = errno;
    const unsigned long after = SumOfNext(fd, 1L << 40);
    // Its own file again, which it may not be allowed to; as many words to it as there are.
    const unsigned long anew = SumOfFile(path, 1L << 40);
    const int private_fd = open("/etc/shadow", O_RDONLY);
    Say("%s: %d %d %lx %lx %lx %d threads %d\n", name, result, error, before, after, anew, private_fd,
        EntriesOf("/proc/self/task"));
    if (fork() == 0) {
      Say("%s: child %lx\n", name, SumOfFile(path, 1L << 40));
      _exit(0);
    }
    while (wait(NULL) > 0) {
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Say("%s: ended %x\n", name, (unsigned)status);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  path = argv[1];
  Under("user", Nobody);
  Under("effective user", NobodyForNow);
  Under("descriptors", FewDescriptors);
  Under("processes", NoProcesses);
  Under("memory", NoMemory);
  Under("locked memory", NoLocks);
  Under("stack", SmallStack);
  Under("file size", NoWriting);
  Under("user name space", OtherUsersNames);
  Under("descriptor table", OwnDescriptors);
  Under("name spaces", OwnEverything);
  Under("setns user", SameNames);
  Under("setns mounts", SameMounts);
  Under("dumpable", Undumpable);
  Under("name", Renamed);
  Under("new privileges", NoNewPrivileges);
  Under("nice", Lowest);
  return 0;
}
