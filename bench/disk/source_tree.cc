#include "bench/disk/source_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

namespace ahead::disk {
namespace {

constexpr uint64_t kRootId = 1;  // FUSE_ROOT_ID

}  // namespace

Node::~Node() {
  if (fd >= 0) close(fd);
}

SourceTree::SourceTree(int root_fd) : root_(root_fd, {}) {}

Node& SourceTree::At(uint64_t id) { return id == kRootId ? root_ : *reinterpret_cast<Node*>(id); }

uint64_t SourceTree::Lookup(uint64_t parent, const char* name, struct stat& attributes) {
  if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strchr(name, '/') != nullptr) return errno = EINVAL, 0;
  const int fd = openat(At(parent).fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return 0;
  if (fstatat(fd, "", &attributes, AT_EMPTY_PATH) != 0) {
    const int error = errno;
    close(fd);
    return errno = error, 0;
  }
  const FileKey key{attributes.st_dev, attributes.st_ino};
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Node>& node = nodes_[key];
  if (node == nullptr) {
    node = std::make_unique<Node>(fd, key);
  } else {
    close(fd);
  }
  ++node->lookups;
  return reinterpret_cast<uint64_t>(node.get());
}

void SourceTree::Forget(uint64_t id, uint64_t count) {
  if (id == kRootId) return;
  const std::lock_guard lock(mutex_);
  Node& node = At(id);
  node.lookups -= count;
  if (node.lookups == 0) nodes_.erase(FileKey(node.key));
}

}  // namespace ahead::disk
