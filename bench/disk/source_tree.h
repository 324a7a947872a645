// Which file of the source does the kernel mean? Its node numbers, resolved to files of the source one name at a time
// below a directory's descriptor and never through a symbolic link, so that nothing outside the source can be reached.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "bench/disk/counters.h"
#include "bench/disk/descriptor.h"

namespace ahead::disk {

// The files, directories and links that the kernel knows. Only directories keep a descriptor: a limit of 20,000 open
// files must not be one of the files that a walk may visit.
//
// Thread safety: Forget may be called from any thread, the rest from one.
class SourceTree {
 public:
  // Takes ownership of `root_fd`, an O_PATH descriptor of the source directory.
  explicit SourceTree(int root_fd);

  // Finds `name` in directory `parent` and counts one look-up. Returns the number for the kernel and fills
  // `attributes`; 0 with errno set when there is none.
  uint64_t Lookup(uint64_t parent, const char* name, struct stat& attributes);

  // Takes back `count` look-ups; with the last one the number is forgotten.
  void Forget(uint64_t id, uint64_t count);

  // Opens node `id` as O_PATH. Returns none with errno set: ESTALE when another file bears its name by now.
  // REQUIRES: looked up and not forgotten.
  Descriptor OpenPath(uint64_t id) const;

  // Opens node `id` for reading with `flags` in addition. Returns none with errno set. REQUIRES: as OpenPath.
  Descriptor Open(uint64_t id, int flags) const;

 private:
  struct Node {
    FileKey key;
    uint64_t lookups = 0;  // how many the kernel will take back
    Descriptor directory;  // O_PATH; none for anything else, which is found by:
    std::shared_ptr<Node> parent;
    std::string name;
  };

  const std::shared_ptr<Node>& At(uint64_t id) const;

  std::mutex mutex_;
  std::shared_ptr<Node> root_;
  std::unordered_map<FileKey, std::shared_ptr<Node>, FileKeyHash> nodes_;
};

}  // namespace ahead::disk
