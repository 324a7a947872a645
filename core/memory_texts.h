// What does the kernel say of memory in its texts: /proc/self/cgroup, the files of a memory cgroup of either version,
// /proc/meminfo, memory.stat and the files of pressure? For the library, which reads them in a program, and for
// `ahead run`. Pure: whoever asks reads the files.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ahead {

// Returns the number that the text of a limit begins with; 0 for "max", what is no number, and what version 1 says in
// place of no limit.
int64_t ParseLimit(const char* text, size_t size);

// Returns the number after `name`, which a line begins with (`MemAvailable:`, `inactive_file`); -1 when there is none.
int64_t NumberAfter(const char* name, const char* text, size_t size);

// Returns the microseconds for which some task was stalled, ever, of a text of pressure; -1 when it says none.
int64_t StalledMicroseconds(const char* text, size_t size);

// The memory cgroups of a process, and those above each, as folders. Of a path that is too long the root is left.
// Thread safety: none.
class CgroupFolders {
 public:
  // Takes `size` bytes of /proc/self/cgroup, which must stay, and the folder in which sys is looked for, "" on a real
  // machine.
  constexpr CgroupFolders() = default;
  void Begin(const char* text, size_t size, const char* root);

  // Goes to the next folder: up to where the hierarchy is mounted, then to the next hierarchy that may have the memory
  // controller, of version 2 at both places where it may be mounted. In a container a path may be one outside of it:
  // then not all folders are there. Returns false when there is none.
  bool Next();

  bool is_v2() const { return is_v2_; }
  // Returns the path of a file in the folder; null when it is too long. Valid until the next call.
  const char* File(const char* name);

 private:
  bool NextHierarchy();
  bool Mount();

  const char* at_ = nullptr;  // the lines that are left
  const char* end_ = nullptr;
  const char* root_ = "";
  const char* path_ = nullptr;  // of the cgroup in its hierarchy
  size_t path_bytes_ = 0;
  int mounts_ = 0;  // where the hierarchy may be mounted, and was not looked yet
  bool is_v2_ = false;
  char text_[1024] = {};
  size_t base_ = 0;  // bytes of the mount's path in text_
  size_t folder_ = 0;
};

// Returns the lesser of two limits, of which 0 is none.
constexpr int64_t LesserLimit(int64_t a, int64_t b) { return a == 0 || (b != 0 && b < a) ? b : a; }

// The files with a limit in a folder, up to a null.
inline constexpr const char* kLimitsV1[] = {"memory.limit_in_bytes", nullptr};
inline constexpr const char* kLimitsV2[] = {"memory.max", "memory.high", nullptr};

// Returns the least limit that the present folder has; 0: none. `read(path, to, size)` reads a file and returns how
// much it was, 0 when there is none.
template <typename Read>
int64_t LimitHere(CgroupFolders& folders, Read read) {
  int64_t least = 0;
  for (const char* const* name = folders.is_v2() ? kLimitsV2 : kLimitsV1; *name != nullptr; ++name) {
    const char* const path = folders.File(*name);
    char digits[32];
    if (path != nullptr) least = LesserLimit(least, ParseLimit(digits, read(path, digits, sizeof(digits))));
  }
  return least;
}

}  // namespace ahead
