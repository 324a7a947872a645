// How does the command that was typed become a disk in the background?
#pragma once

#include "bench/disk/disk_options.h"

namespace ahead::disk {

// Checks the paths, goes to the background unless told otherwise, and serves. Returns the exit status in the process
// that was started: 0 as soon as the mount is ready when it goes to the background. Failures print one line.
int Serve(DiskOptions options);

}  // namespace ahead::disk
