// How does each FUSE operation become a question to the source and an answer at its time?
#pragma once

#include "bench/disk/fuse.h"

namespace ahead::disk {

// The operations, each with a Disk as user data. What changes anything is answered EROFS by the read-only mount.
struct Handlers {
  static fuse_lowlevel_ops Table();

  static void Init(void* disk, fuse_conn_info* connection);
  static void Lookup(fuse_req_t request, fuse_ino_t parent, const char* name);
  static void Forget(fuse_req_t request, fuse_ino_t node, uint64_t count);
  static void ForgetMany(fuse_req_t request, size_t count, fuse_forget_data* forgets);
  static void GetAttributes(fuse_req_t request, fuse_ino_t node, fuse_file_info* handle);
  static void ReadLink(fuse_req_t request, fuse_ino_t node);
  static void Open(fuse_req_t request, fuse_ino_t node, fuse_file_info* handle);
  static void Read(fuse_req_t request, fuse_ino_t node, size_t size, off_t offset, fuse_file_info* handle);
  static void Release(fuse_req_t request, fuse_ino_t node, fuse_file_info* handle);
  static void OpenDirectory(fuse_req_t request, fuse_ino_t node, fuse_file_info* handle);
  static void ReadDirectory(fuse_req_t request, fuse_ino_t node, size_t size, off_t offset, fuse_file_info* handle);
  static void ReleaseDirectory(fuse_req_t request, fuse_ino_t node, fuse_file_info* handle);
  static void FileSystemStatus(fuse_req_t request, fuse_ino_t node);
  static void GetExtendedAttribute(fuse_req_t request, fuse_ino_t node, const char* name, size_t size);
};

}  // namespace ahead::disk
