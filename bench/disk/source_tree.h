// Which file of the source does the kernel mean? Its node numbers, each with a descriptor of the source file. Names are
// resolved one component at a time below a descriptor, never through a symbolic link, so that nothing outside the
// source can be reached.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "bench/disk/counters.h"

namespace ahead::disk {

// A file, directory or link that the kernel knows. `fd` is an O_PATH descriptor.
struct Node {
  int fd = -1;
  FileKey key;
  uint64_t lookups = 0;  // how many the kernel will take back with forget

  explicit Node(int fd_, FileKey key_) : fd(fd_), key(key_) {}
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
};

// Thread safety: Lookup and Forget may be called from any thread.
class SourceTree {
 public:
  // Takes ownership of `root_fd`, an O_PATH descriptor of the source directory.
  explicit SourceTree(int root_fd);

  // Returns the node with the kernel's number `id`. REQUIRES: looked up and not forgotten.
  Node& At(uint64_t id);

  // Finds `name` in directory `parent` and counts one look-up. Returns the number for the kernel and fills
  // `attributes`; 0 with errno set when there is none.
  uint64_t Lookup(uint64_t parent, const char* name, struct stat& attributes);

  // Takes back `count` look-ups; the last one frees the node.
  void Forget(uint64_t id, uint64_t count);

 private:
  std::mutex mutex_;
  Node root_;
  std::unordered_map<FileKey, std::unique_ptr<Node>, FileKeyHash> nodes_;
};

}  // namespace ahead::disk
