// ahead-disk: a disk of known slowness, for tests and measurements.
#include "bench/disk/control.h"
#include "bench/disk/disk.h"
#include "bench/disk/disk_options.h"
#include "bench/disk/process.h"

int main(int argc, char** argv) {
  using namespace ahead::disk;
  DiskOptions options;
  if (const int status = ParseDiskOptions(argc, argv, options); status >= 0) return status;
  switch (options.action) {
    case Action::kQuery:
      return AskDisk(options.mountpoint, kReportAttribute);
    case Action::kReset:
      return AskDisk(options.mountpoint, kResetAttribute);
    case Action::kUnmount:
      return UnmountDisk(options.mountpoint);
    case Action::kServe:
      break;
  }
  return Serve(options);
}
