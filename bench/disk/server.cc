#include "bench/disk/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "bench/disk/control.h"

namespace ahead::disk {
namespace {

// libfuse explains failures in several lines; the first says what went wrong.
char fuse_complaint[256];
void KeepComplaint(fuse_log_level, const char* format, va_list arguments) {
  if (fuse_complaint[0] != '\0') return;
  vsnprintf(fuse_complaint, sizeof fuse_complaint, format, arguments);
  fuse_complaint[strcspn(fuse_complaint, "\n")] = '\0';
}

// Asks for the wanted readahead window where the kernel's own for FUSE, 128 KiB, is smaller; only root may. Returns the
// window in force.
ByteCount SetReadahead(const DiskOptions& options) {
  struct statx mount {};
  // Without DONT_SYNC the kernel might ask this very disk, which is not listening now.
  if (statx(AT_FDCWD, options.mountpoint.c_str(), AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, 0, &mount) != 0) return {};
  const std::string path = "/sys/class/bdi/" + std::to_string(mount.stx_dev_major) + ":" +
                           std::to_string(mount.stx_dev_minor) + "/read_ahead_kb";
  int64_t kib = 0;
  std::ifstream(path) >> kib;
  if (options.readahead.value / 1024 != kib) {
    std::ofstream(path) << options.readahead.value / 1024 << std::endl;
    std::ifstream(path) >> kib;
  }
  return {kib * 1024};
}

}  // namespace

int Fail(const std::string& message) {
  fprintf(stderr, "ahead-disk: %s\n", message.c_str());
  return 1;
}

std::string Why(const std::string& what) { return what + ": " + strerror(errno); }

Server::Server(const DiskOptions& options, int root_fd, std::function<void()> on_ready)
    : options_(options),
      settled_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      on_ready_(std::move(on_ready)),
      session_(nullptr, fuse_session_destroy),
      disk_(options, root_fd, settled_fd_) {}

Server::~Server() {
  free(buffer_.mem);
  close(settled_fd_);
}

int Server::Run(const sigset_t& signals) {
  if (!disk_.OpenLog()) return Fail(Why("--log " + options_.log));
  disk_.Preload();
  if (!Mount()) return Fail("cannot mount at " + options_.mountpoint + ": " + fuse_complaint);
  RunUrgently();
  Loop(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  disk_.AnswerQueries(true);
  fuse_session_unmount(session_.get());
  if (!options_.report.empty() && !SaveReport()) has_failed_ = true;
  return has_failed_ ? 1 : 0;
}

bool Server::Mount() {
  std::string mount_options = "ro,default_permissions,fsname=ahead-disk,subtype=ahead-disk,max_read=" +
                              std::to_string(options_.max_request.value);
  if (geteuid() == 0) mount_options += ",allow_other";
  std::string words[] = {"ahead-disk", "-o", mount_options};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data()};
  fuse_args args = FUSE_ARGS_INIT(std::size(arguments), arguments);
  const fuse_lowlevel_ops operations = Disk::Operations();
  fuse_set_log_func(KeepComplaint);
  session_.reset(fuse_session_new(&args, &operations, sizeof operations, &disk_));
  fuse_opt_free_args(&args);
  return session_ != nullptr && fuse_session_mount(session_.get(), options_.mountpoint.c_str()) == 0;
}

void Server::Loop(int signal_fd) {
  pollfd sources[] = {{fuse_session_fd(session_.get()), POLLIN, 0}, {settled_fd_, POLLIN, 0}, {signal_fd, POLLIN, 0}};
  Nanos patience{};  // of the queries that wait; 0: none does
  while (!fuse_session_exited(session_.get())) {
    // Looked at before the poll: what an answer made room for is at the descriptor before the answer counts as sent.
    const bool is_settled = disk_.IsSettled();
    int timeout_ms = -1;
    if (patience.value != 0) timeout_ms = is_settled ? 0 : static_cast<int>(patience.value / 1'000'000 + 1);
    if (poll(sources, std::size(sources), timeout_ms) < 0 && errno != EINTR) return;
    if (sources[1].revents != 0) {
      eventfd_t count;
      eventfd_read(settled_fd_, &count);
    }
    if (sources[2].revents != 0) TakeSignals(signal_fd);
    if (sources[0].revents != 0) {
      TakeRequest();
      patience = disk_.AnswerQueries(false);
    } else if (patience.value != 0) {
      patience = disk_.AnswerQueries(is_settled);
    }
  }
}

void Server::TakeRequest() {
  const int size = fuse_session_receive_buf(session_.get(), &buffer_);
  if (size > 0) fuse_session_process_buf(session_.get(), &buffer_);
  if (size < 0 && size != -EINTR && size != -EAGAIN) fuse_session_exit(session_.get());
  // The first request is the kernel's hand-shake; with its answer the limits are in force.
  if (size > 0 && !std::exchange(is_ready_, true)) BecomeReady();
}

void Server::TakeSignals(int signal_fd) {
  signalfd_siginfo signal;
  while (read(signal_fd, &signal, sizeof signal) == sizeof signal) {
    if (signal.ssi_signo == SIGUSR2) {
      disk_.Reset();
    } else if (signal.ssi_signo != SIGUSR1) {
      fuse_session_exit(session_.get());
    } else if (!options_.report.empty()) {
      SaveReport();
    }
  }
}

void Server::BecomeReady() {
  const ByteCount readahead = SetReadahead(options_);
  if (readahead == options_.readahead) return on_ready_();
  Fail("--readahead: the kernel keeps this mount at " + std::to_string(readahead.value / 1024) +
       "KiB; only root may set more than 128KiB");
  has_failed_ = true;
  fuse_session_exit(session_.get());
}

bool Server::SaveReport() {
  if (WriteReport(options_.report, disk_.Report())) return true;
  Fail(Why(options_.report));
  return false;
}

}  // namespace ahead::disk
