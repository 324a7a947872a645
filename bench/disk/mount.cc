#include "bench/disk/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/disk/control.h"
#include "bench/disk/disk.h"

namespace ahead::disk {
namespace {

int Fail(const std::string& message) {
  fprintf(stderr, "ahead-disk: %s\n", message.c_str());
  return 1;
}

std::string Why(const std::string& what) { return what + ": " + strerror(errno); }

// libfuse explains failures in several lines; the last one is kept for ours.
char fuse_complaint[256];
void KeepComplaint(fuse_log_level, const char* format, va_list arguments) {
  vsnprintf(fuse_complaint, sizeof fuse_complaint, format, arguments);
  fuse_complaint[strcspn(fuse_complaint, "\n")] = '\0';
}

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
    return options.mountpoint + ": a mount point inside SOURCE would show itself";
  }
  if (!options.report.empty()) {
    const size_t slash = options.report.rfind('/');
    const std::string directory = slash == std::string::npos ? "." : options.report.substr(0, slash + 1);
    if (realpath(directory.c_str(), resolved) == nullptr || access(resolved, W_OK) != 0) {
      return Why("--report " + options.report);
    }
    options.report = std::string(resolved) + "/" + options.report.substr(slash == std::string::npos ? 0 : slash + 1);
  }
  return "";
}

// Returns MAJOR:MINOR of the mount at `mountpoint`, "" if there is none. Asks mountinfo, not stat: a disk must not wait
// for an answer of its own.
std::string DeviceOf(const std::string& mountpoint) {
  std::ifstream mounts("/proc/self/mountinfo");
  std::string line;
  std::string device;
  while (std::getline(mounts, line)) {
    std::istringstream fields(line);
    std::string number, parent, major_minor, root, where;
    fields >> number >> parent >> major_minor >> root >> where;
    if (where == mountpoint) device = major_minor;
  }
  return device;
}

// Asks for the wanted readahead window where the kernel's own limit of FUSE mounts, 128 KiB, is below it. Returns the
// window in force.
ByteCount SetReadahead(const DiskOptions& options) {
  const std::string path = "/sys/class/bdi/" + DeviceOf(options.mountpoint) + "/read_ahead_kb";
  int64_t kib = 0;
  std::ifstream(path) >> kib;
  if (options.readahead.value / 1024 != kib) {
    std::ofstream(path) << options.readahead.value / 1024 << std::endl;
    std::ifstream(path) >> kib;
  }
  return {kib * 1024};
}

// The process that was started waits here for the one that serves. Returns its verdict.
int WaitUntilReady(int ready_fd, pid_t server) {
  char ready = 0;
  if (read(ready_fd, &ready, 1) == 1) return 0;
  int status = 0;
  waitpid(server, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : 1;
}

// Lets go of the terminal and the directory of the caller, and tells the waiting process.
void GoToBackground(int ready_fd) {
  setsid();
  if (chdir("/") != 0) return;
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, standard);
  close(null);
  if (write(ready_fd, "r", 1) != 1) return;
  close(ready_fd);
}

class Server {
 public:
  Server(const DiskOptions& options, int root_fd, int ready_fd)
      : options_(options),
        settled_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        ready_fd_(ready_fd),
        disk_(options, root_fd, settled_fd_) {}

  int Run(const sigset_t& signals);

 private:
  bool Mount();
  void Loop(int signal_fd);
  void TakeRequest();
  void TakeSignal(int signal_fd);
  void BecomeReady();

  const DiskOptions& options_;
  int settled_fd_;
  int ready_fd_;
  Disk disk_;
  fuse_session* session_ = nullptr;
  fuse_buf buffer_{};
  bool is_ready_ = false;
};

bool Server::Mount() {
  std::vector<std::string> words = {"ahead-disk", "-o", "ro,default_permissions,fsname=ahead-disk,subtype=ahead-disk"};
  words.back() += ",max_read=" + std::to_string(options_.max_request.value);
  if (geteuid() == 0) words.back() += ",allow_other";
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  fuse_args args = FUSE_ARGS_INIT(static_cast<int>(arguments.size()), arguments.data());
  const fuse_lowlevel_ops operations = Disk::Operations();
  fuse_set_log_func(KeepComplaint);
  session_ = fuse_session_new(&args, &operations, sizeof operations, &disk_);
  fuse_opt_free_args(&args);
  if (session_ == nullptr) return false;
  if (fuse_session_mount(session_, options_.mountpoint.c_str()) == 0) return true;
  fuse_session_destroy(session_);
  session_ = nullptr;
  return false;
}

int Server::Run(const sigset_t& signals) {
  disk_.Preload();
  if (!Mount()) return Fail("cannot mount at " + options_.mountpoint + ": " + fuse_complaint);
  const int signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  RunUrgently();
  Loop(signal_fd);
  fuse_session_unmount(session_);
  if (!options_.report.empty() && !WriteReport(options_.report, disk_.Report())) return Fail(Why(options_.report));
  return 0;
}

void Server::Loop(int signal_fd) {
  pollfd sources[] = {{fuse_session_fd(session_), POLLIN, 0}, {settled_fd_, POLLIN, 0}, {signal_fd, POLLIN, 0}};
  Nanos patience{};
  while (!fuse_session_exited(session_)) {
    // Before the poll: what a reply set free is at the descriptor before the reply counts as sent.
    const bool settled = disk_.IsSettled();
    int timeout_ms = patience.value == 0 ? -1 : static_cast<int>(patience.value / 1'000'000 + 1);
    if (settled && patience.value != 0) timeout_ms = 0;
    if (poll(sources, std::size(sources), timeout_ms) < 0 && errno != EINTR) return;
    if (sources[1].revents != 0) {
      eventfd_t count;
      eventfd_read(settled_fd_, &count);
    }
    if (sources[2].revents != 0) TakeSignal(signal_fd);
    if (sources[0].revents != 0) {
      TakeRequest();
      if (!is_ready_) BecomeReady();
      patience = disk_.AnswerQueries(false);
    } else if (patience.value != 0) {
      patience = disk_.AnswerQueries(settled);
    }
  }
}

void Server::TakeRequest() {
  const int size = fuse_session_receive_buf(session_, &buffer_);
  if (size > 0) fuse_session_process_buf(session_, &buffer_);
  if (size < 0 && size != -EINTR && size != -EAGAIN) fuse_session_exit(session_);
}

void Server::TakeSignal(int signal_fd) {
  signalfd_siginfo signal;
  while (read(signal_fd, &signal, sizeof signal) == sizeof signal) {
    if (signal.ssi_signo == SIGUSR2) {
      disk_.Reset();
    } else if (signal.ssi_signo != SIGUSR1) {
      fuse_session_exit(session_);
    } else if (!options_.report.empty() && !WriteReport(options_.report, disk_.Report())) {
      Fail(Why(options_.report));
    }
  }
}

void Server::BecomeReady() {
  is_ready_ = true;
  disk_.set_readahead(SetReadahead(options_));
  if (ready_fd_ >= 0) GoToBackground(ready_fd_);
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

  // One descriptor for each file the kernel knows.
  rlimit descriptors;
  if (getrlimit(RLIMIT_NOFILE, &descriptors) == 0) {
    descriptors.rlim_cur = descriptors.rlim_max;
    setrlimit(RLIMIT_NOFILE, &descriptors);
  }
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, nullptr);  // before the reply thread starts, so that signalfd gets them all
  signal(SIGPIPE, SIG_IGN);
  return Server(options, root_fd, ready[1]).Run(signals);
}

}  // namespace ahead::disk
