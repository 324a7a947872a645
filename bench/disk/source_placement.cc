#include "bench/disk/source_placement.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>
#include <utility>
#include <vector>

namespace ahead::disk {
namespace {

// Adds the files below `directory`, relative to `parent`, as far as they are on `device`.
void AddFiles(int parent, const char* directory, dev_t device, std::vector<sim::PlacedFile>& files) {
  const int listed = openat(parent, directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR* stream = listed < 0 ? nullptr : fdopendir(listed);
  if (stream == nullptr) return;
  while (const dirent* entry = readdir(stream)) {
    const std::string_view name = entry->d_name;
    struct stat attributes;
    if (name == "." || name == ".." || fstatat(listed, entry->d_name, &attributes, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (attributes.st_dev != device) continue;
    if (S_ISREG(attributes.st_mode)) files.push_back({attributes.st_ino, {attributes.st_size}});
    if (S_ISDIR(attributes.st_mode)) AddFiles(listed, entry->d_name, device, files);
  }
  closedir(stream);
}

}  // namespace

sim::Placement PlaceFiles(int root_fd) {
  std::vector<sim::PlacedFile> files;
  struct stat root;
  if (fstat(root_fd, &root) == 0) AddFiles(root_fd, ".", root.st_dev, files);
  return sim::Placement(std::move(files));
}

}  // namespace ahead::disk
