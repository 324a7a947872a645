// Where do the files of the source lie on the disk that is imitated?
#pragma once

#include "sim/devices/placement.h"

namespace ahead::disk {

// Returns the places of all regular files below the directory `root_fd` (O_PATH will do), by their inode numbers and
// sizes of now. Other file systems below it are left out, as is what cannot be listed.
sim::Placement PlaceFiles(int root_fd);

}  // namespace ahead::disk
