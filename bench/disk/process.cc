#include "bench/disk/process.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "bench/disk/server.h"

namespace ahead::disk {
namespace {

// Makes the paths absolute, since the background process leaves its directory. Returns what is wrong, or "".
std::string CheckPaths(DiskOptions& options) {
  char resolved[PATH_MAX];
  for (std::string* path : {&options.source, &options.mountpoint}) {
    struct stat attributes;
    if (realpath(path->c_str(), resolved) == nullptr || stat(resolved, &attributes) != 0) return Why(*path);
    if (!S_ISDIR(attributes.st_mode)) return *path + ": not a directory";
    *path = resolved;
  }
  if ((options.mountpoint + "/").starts_with(options.source == "/" ? "/" : options.source + "/")) {
    return options.mountpoint + ": a mount point in SOURCE would show itself";
  }
  if (options.report.empty()) return "";
  const size_t slash = options.report.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : options.report.substr(0, slash + 1);
  if (realpath(directory.c_str(), resolved) == nullptr || access(resolved, W_OK) != 0) {
    return Why("--report " + options.report);
  }
  options.report = std::string(resolved) + "/" + options.report.substr(slash == std::string::npos ? 0 : slash + 1);
  return "";
}

// The process that was started waits here for the one that serves. Returns its verdict.
int WaitUntilReady(int ready_fd, pid_t server) {
  char ready = 0;
  if (read(ready_fd, &ready, 1) == 1) return 0;
  int status = 0;
  waitpid(server, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : 1;
}

// Lets go of the caller's terminal, directory and pipes, and tells the waiting process.
void GoToBackground(int ready_fd) {
  setsid();
  if (chdir("/") != 0) return;
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, standard);
  close(null);
  if (write(ready_fd, "r", 1) == 1) close(ready_fd);
}

// Allows one descriptor for each directory the kernel knows and each one listed, as far as the user may.
void RaiseDescriptorLimit() {
  rlimit descriptors;
  if (getrlimit(RLIMIT_NOFILE, &descriptors) != 0) return;
  descriptors.rlim_cur = descriptors.rlim_max;
  setrlimit(RLIMIT_NOFILE, &descriptors);
}

}  // namespace

int Serve(DiskOptions options) {
  if (const std::string wrong = CheckPaths(options); !wrong.empty()) return Fail(wrong);
  const int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (fuse < 0) return Fail(Why("/dev/fuse"));
  close(fuse);
  const int root_fd = open(options.source.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root_fd < 0) return Fail(Why(options.source));

  int ready[2] = {-1, -1};
  if (!options.foreground) {
    if (pipe2(ready, O_CLOEXEC) != 0) return Fail(Why("pipe"));
    const pid_t server = fork();
    if (server < 0) return Fail(Why("fork"));
    if (server > 0) {
      close(ready[1]);
      return WaitUntilReady(ready[0], server);
    }
    close(ready[0]);
  }

  RaiseDescriptorLimit();
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, nullptr);  // before the reply thread starts: every thread must block them
  Server server(options, root_fd, [ready_fd = ready[1]] {
    if (ready_fd >= 0) GoToBackground(ready_fd);
  });
  return server.Run(signals);
}

}  // namespace ahead::disk
