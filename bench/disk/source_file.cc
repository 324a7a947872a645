#include "bench/disk/source_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <string_view>

namespace ahead::disk {
namespace {

// Half of the kernel's default vm.max_map_count: the rest is for everybody else's mappings in this process.
constexpr size_t kMostMapped = 32000;

bool SameTime(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

}  // namespace

std::shared_ptr<SourceFile> SourceFile::Map(int fd, const struct stat& attributes) {
  std::shared_ptr<SourceFile> file(new SourceFile(attributes));
  if (attributes.st_size == 0) return file;
  void* data = mmap(nullptr, static_cast<size_t>(attributes.st_size), PROT_READ, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED) return nullptr;
  file->data_ = static_cast<char*>(data);
  return file;
}

SourceFile::~SourceFile() {
  if (data_ != nullptr) munmap(data_, static_cast<size_t>(attributes_.st_size));
}

bool SourceFile::Matches(const struct stat& attributes) const {
  return attributes.st_dev == attributes_.st_dev && attributes.st_ino == attributes_.st_ino &&
         attributes.st_size == attributes_.st_size && SameTime(attributes.st_mtim, attributes_.st_mtim);
}

void SourceFile::BringIn(ByteOffset offset, ByteCount size) {
  if (brought_in_ || size <= 0_B) return;
  constexpr int64_t kPage = 4096;
  const int64_t begin = offset.value / kPage * kPage;
  const int64_t end = (offset + size).value;
  madvise(data_ + begin, static_cast<size_t>(end - begin), MADV_POPULATE_READ);
  if (begin == 0 && end == attributes_.st_size) brought_in_ = true;
}

std::shared_ptr<SourceFile> SourceFiles::Get(int fd) {
  struct stat attributes;
  if (fstat(fd, &attributes) != 0) return nullptr;
  const FileKey key{attributes.st_dev, attributes.st_ino};
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    recent_.splice(recent_.begin(), recent_, found->second);
    if (recent_.front()->Matches(attributes)) return recent_.front();
    recent_.pop_front();
    by_key_.erase(found);
  }
  auto file = SourceFile::Map(fd, attributes);
  if (file == nullptr) return nullptr;
  recent_.push_front(file);
  by_key_[key] = recent_.begin();
  if (recent_.size() > kMostMapped) {
    by_key_.erase(recent_.back()->key());
    recent_.pop_back();
  }
  return file;
}

void SourceFiles::Preload(int fd) {
  struct sysinfo memory;
  struct stat root;
  if (sysinfo(&memory) != 0 || fstat(fd, &root) != 0) return;
  ByteCount budget{static_cast<int64_t>(memory.freeram + memory.bufferram) * memory.mem_unit / 2};
  PreloadDirectory(fd, root.st_dev, budget);
}

void SourceFiles::PreloadDirectory(int fd, dev_t device, ByteCount& budget) {
  const int listed = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* directory = listed < 0 ? nullptr : fdopendir(listed);
  if (directory == nullptr) return;
  while (const dirent* entry = readdir(directory)) {
    const std::string_view name = entry->d_name;
    struct stat attributes;
    if (name == "." || name == ".." || fstatat(fd, entry->d_name, &attributes, AT_SYMLINK_NOFOLLOW) != 0) continue;
    // Only what lies on the source's own disk, and nothing whose opening has effects.
    const bool is_file = S_ISREG(attributes.st_mode) && ByteCount{attributes.st_size} <= budget;
    if (attributes.st_dev != device || !(is_file || S_ISDIR(attributes.st_mode)) || recent_.size() >= kMostMapped)
      continue;
    const int child = openat(fd, entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (child < 0) continue;
    if (!is_file) {
      PreloadDirectory(child, device, budget);
    } else if (const auto file = Get(child)) {
      file->BringIn({0}, file->size());
      budget = budget - file->size();
    }
    close(child);
  }
  closedir(directory);
}

}  // namespace ahead::disk
