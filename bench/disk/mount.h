// How does the disk come to its mount point, live there and leave it?
#pragma once

#include "bench/disk/disk_options.h"

namespace ahead::disk {

// Mounts, goes to the background unless told otherwise, and serves until unmounted or told to end; then unmounts and
// writes the report. Returns the exit status, in the process that was started: 0 as soon as the mount is ready when it
// goes to the background. Failures print one line.
int Serve(DiskOptions options);

}  // namespace ahead::disk
