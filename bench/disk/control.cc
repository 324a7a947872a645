#include "bench/disk/control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <vector>

#include "bench/disk/disk.h"

namespace ahead::disk {

int AskDisk(const std::string& mountpoint, const char* name) {
  std::vector<char> report(kMostReportBytes);
  const ssize_t size = getxattr(mountpoint.c_str(), name, report.data(), report.size());
  if (size < 0) {
    const bool is_other = errno == ENODATA || errno == EOPNOTSUPP || errno == ENOSYS;
    fprintf(stderr, "ahead-disk: %s: %s\n", mountpoint.c_str(),
            is_other ? "not the mount point of an ahead-disk" : strerror(errno));
    return 1;
  }
  if (strcmp(name, kReportAttribute) == 0) fwrite(report.data(), 1, static_cast<size_t>(size), stdout);
  return 0;
}

bool WriteReport(const std::string& path, const std::string& text) {
  std::string temporary = path + ".XXXXXX";
  const int fd = mkstemp(temporary.data());
  if (fd < 0) return false;
  const bool is_written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (close(fd) == 0 && is_written && rename(temporary.c_str(), path.c_str()) == 0) return true;
  const int error = errno;
  unlink(temporary.c_str());
  return errno = error, false;
}

}  // namespace ahead::disk
