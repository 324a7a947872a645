#include "shim/folders.h"

#include <dirent.h>

#include "shim/guard.h"
#include "shim/recorder.h"
#include "shim/runtime.h"

namespace ahead {

void NoteFolder(int fd) noexcept {
  if (!runtime.is_recording()) return;
  runtime.PrepareToRead();
  const ErrnoSaver errno_saver;
  if (!runtime.MayCall()) return;
  const Section section;
  if (section.entered()) recorder::Folder(fd);
}

void NoteEntry(int fd, uint64_t inode) noexcept {
  if (!runtime.is_recording()) return;
  const ErrnoSaver errno_saver;
  if (!runtime.MayCall()) return;
  const Section section;
  if (section.entered()) recorder::Entry(fd, inode);
}

void NoteEntries(int fd, const void* entries, size_t bytes) noexcept {
  if (!runtime.is_recording()) return;
  const char* const begin = static_cast<const char*>(entries);
  for (size_t at = 0; at + offsetof(dirent64, d_name) <= bytes;) {
    const auto* entry = reinterpret_cast<const dirent64*>(begin + at);
    if (entry->d_reclen == 0) return;
    NoteEntry(fd, entry->d_ino);
    at += entry->d_reclen;
  }
}

}  // namespace ahead
