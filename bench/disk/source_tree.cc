#include "bench/disk/source_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

namespace ahead::disk {
namespace {

constexpr uint64_t kRootId = 1;  // FUSE_ROOT_ID

FileKey KeyOf(const struct stat& attributes) { return {attributes.st_dev, attributes.st_ino}; }

// Opens `name` in `directory` itself, not what it may link to, and fills its attributes.
Descriptor OpenName(const Descriptor& directory, const char* name, struct stat& attributes) {
  Descriptor opened(openat(directory.get(), name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (opened && fstatat(opened.get(), "", &attributes, AT_EMPTY_PATH) != 0) return Descriptor();
  return opened;
}

}  // namespace

SourceTree::SourceTree(int root_fd) : root_(std::make_shared<Node>()) { root_->directory = Descriptor(root_fd); }

// A number is the address of the map's own pointer to the node, which stays where it is until the node is forgotten.
const std::shared_ptr<SourceTree::Node>& SourceTree::At(uint64_t id) const {
  return id == kRootId ? root_ : *reinterpret_cast<const std::shared_ptr<Node>*>(id);
}

uint64_t SourceTree::Lookup(uint64_t parent, const char* name, struct stat& attributes) {
  if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strchr(name, '/') != nullptr) return errno = EINVAL, 0;
  if (!At(parent)->directory) return errno = ENOTDIR, 0;
  Descriptor opened = OpenName(At(parent)->directory, name, attributes);
  if (!opened) return 0;
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Node>& node = nodes_[KeyOf(attributes)];
  if (node == nullptr) node = std::make_shared<Node>();
  node->key = KeyOf(attributes);
  ++node->lookups;
  if (S_ISDIR(attributes.st_mode)) {
    node->directory = std::move(opened);
  } else {
    node->parent = At(parent);
    node->name = name;
  }
  return reinterpret_cast<uint64_t>(&node);
}

void SourceTree::Forget(uint64_t id, uint64_t count) {
  if (id == kRootId) return;
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Node> node = At(id);
  node->lookups -= count;
  if (node->lookups == 0) nodes_.erase(node->key);
}

Descriptor SourceTree::OpenPath(uint64_t id) const {
  const Node& node = *At(id);
  if (node.directory) return Descriptor(openat(node.directory.get(), ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct stat attributes;
  Descriptor opened = OpenName(node.parent->directory, node.name.c_str(), attributes);
  if (!opened || KeyOf(attributes) == node.key) return opened;
  errno = ESTALE;
  return Descriptor();
}

Descriptor SourceTree::Open(uint64_t id, int flags) const {
  const Descriptor path = OpenPath(id);
  if (!path) return Descriptor();
  return Descriptor(open(("/proc/self/fd/" + std::to_string(path.get())).c_str(), flags | O_RDONLY | O_CLOEXEC));
}

}  // namespace ahead::disk
