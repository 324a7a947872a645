// How does the disk come to its mount point, live there and leave it?
#pragma once

#include <signal.h>

#include <functional>
#include <memory>
#include <string>

#include "bench/disk/disk.h"

namespace ahead::disk {

// Prints "ahead-disk: `message`" and returns 1, the exit status of a disk that cannot serve.
int Fail(const std::string& message);

// Returns "`what`: " and the meaning of errno.
std::string Why(const std::string& what);

// One mount, from fuse_session_new to the report at its end. Requests, signals and queries are taken by the thread that
// calls Run; answers leave from the disk's own.
class Server {
 public:
  // Takes ownership of `root_fd`, an O_PATH descriptor of the source. `on_ready` is called once, when the mount is
  // there, the kernel and libfuse have agreed on its limits and the readahead window is as asked.
  Server(const DiskOptions& options, int root_fd, std::function<void()> on_ready);
  ~Server();

  // Serves until unmounted or sent SIGINT, SIGTERM or SIGHUP; writes the report on SIGUSR1, resets it on SIGUSR2.
  // `signals` are these five, blocked in every thread. Returns the exit status; failures print one line.
  int Run(const sigset_t& signals);

 private:
  bool Mount();
  void Loop(int signal_fd);
  void TakeRequest();
  void TakeSignals(int signal_fd);
  void BecomeReady();
  bool SaveReport();

  const DiskOptions options_;
  const int settled_fd_;
  const std::function<void()> on_ready_;
  std::unique_ptr<fuse_session, decltype(&fuse_session_destroy)> session_;
  Disk disk_;  // after the session, which its last answers still need
  fuse_buf buffer_{};
  bool is_ready_ = false;
  bool has_failed_ = false;
};

}  // namespace ahead::disk
