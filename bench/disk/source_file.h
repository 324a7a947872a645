// Where do the bytes come from? Files of the source, mapped once and kept mapped, so that an answer costs one copy (out
// of the page cache into the reader's page) and so that dropping caches makes the slow disk cold but not its source.
#pragma once

#include <sys/stat.h>

#include <list>
#include <memory>
#include <unordered_map>

#include "bench/disk/counters.h"
#include "core/units.h"

namespace ahead::disk {

// A file of the source as it was at one moment, mapped whole. Its memory is never touched by code of ours: the kernel
// reads it for us and reports EFAULT where it has been truncated since.
class SourceFile {
 public:
  // Maps the file behind `fd`, which the caller may close afterwards. Empty files have no mapping. Returns null, with
  // errno set, when it cannot be mapped.
  static std::shared_ptr<SourceFile> Map(int fd, const struct stat& attributes);
  ~SourceFile();
  SourceFile(const SourceFile&) = delete;
  SourceFile& operator=(const SourceFile&) = delete;

  // Returns whether the file is still the one that was mapped.
  bool Matches(const struct stat& attributes) const;

  // Brings [offset, offset + size) into memory and maps it, waiting for the source's own disk; nothing to do after the
  // whole file has been brought in. REQUIRES: the range lies inside the file.
  void BringIn(ByteOffset offset, ByteCount size);

  const char* data() const { return data_; }
  ByteCount size() const { return {attributes_.st_size}; }
  FileKey key() const { return {attributes_.st_dev, attributes_.st_ino}; }

 private:
  explicit SourceFile(const struct stat& attributes) : attributes_(attributes) {}

  struct stat attributes_;
  char* data_ = nullptr;
  bool brought_in_ = false;
};

// The mapped files, each once, the least recently opened dropped beyond a limit. Thread safety: one thread.
class SourceFiles {
 public:
  // Returns the file behind `fd`, mapped now or before. Null with errno set when it cannot be mapped.
  std::shared_ptr<SourceFile> Get(int fd);

  // Brings the tree below the directory `fd` into memory, up to half of what is free.
  void Preload(int fd);

 private:
  using Recent = std::list<std::shared_ptr<SourceFile>>;

  void PreloadDirectory(int fd, dev_t device, ByteCount& budget);

  Recent recent_;  // most recently opened first
  std::unordered_map<FileKey, Recent::iterator, FileKeyHash> by_key_;
};

}  // namespace ahead::disk
