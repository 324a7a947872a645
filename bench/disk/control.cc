#include "bench/disk/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "bench/disk/server.h"
#include "stats/new_file.h"

namespace ahead::disk {

namespace {

// Returns attribute `name` of the disk at `mountpoint`, or nothing after printing why.
std::optional<std::string> ReadAttribute(const std::string& mountpoint, const char* name) {
  std::string text(kMostReportBytes, '\0');
  const ssize_t size = getxattr(mountpoint.c_str(), name, text.data(), text.size());
  if (size >= 0) return text.substr(0, static_cast<size_t>(size));
  const bool is_other = errno == ENODATA || errno == EOPNOTSUPP || errno == ENOSYS;
  Fail(is_other ? mountpoint + ": not the mount point of an ahead-disk" : Why(mountpoint));
  return std::nullopt;
}

}  // namespace

int AskDisk(const std::string& mountpoint, const char* name) {
  const auto text = ReadAttribute(mountpoint, name);
  if (!text) return 1;
  if (strcmp(name, kReportAttribute) == 0) fwrite(text->data(), 1, text->size(), stdout);
  return 0;
}

int UnmountDisk(const std::string& mountpoint) {
  const auto text = ReadAttribute(mountpoint, kReportAttribute);
  if (!text) return 1;
  const auto report = nlohmann::json::parse(*text, nullptr, false);
  const auto pid = report.value("pid", pid_t{0});
  // A descriptor of the process: its number alone could be somebody else's by the time it is waited for.
  const int process = pid <= 0 ? -1 : static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (process < 0 || syscall(SYS_pidfd_send_signal, process, SIGTERM, nullptr, 0) != 0) {
    return Fail(Why("process " + std::to_string(pid) + " of " + mountpoint));
  }
  pollfd ended{process, POLLIN, 0};
  while (poll(&ended, 1, -1) < 0 && errno == EINTR) continue;
  return 0;
}

bool WriteReport(const std::string& path, const std::string& text) {
  if (IsNoPlaceForFile(path)) {
    const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) return false;
    const bool is_written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    return close(fd) == 0 && is_written;
  }
  const std::string place = BehindLinks(path);
  std::string temporary = place + ".XXXXXX";
  const int fd = mkstemp(temporary.data());
  if (fd < 0) return false;
  const bool is_written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (close(fd) == 0 && is_written && rename(temporary.c_str(), place.c_str()) == 0) return true;
  const int error = errno;
  unlink(temporary.c_str());
  return errno = error, false;
}

}  // namespace ahead::disk
