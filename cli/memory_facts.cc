#include "cli/memory_facts.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "core/memory_texts.h"

namespace ahead::cli {
namespace {

// Returns how much was read, 0 when there is nothing to be read.
size_t ReadUpTo(const char* path, char* to, size_t size) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t got = read(fd, to, size);
  close(fd);
  return got > 0 ? static_cast<size_t>(got) : 0;
}

// These files are of one page; /proc/self/cgroup may be of more.
std::string TextOf(const std::string& path) {
  std::string text(16384, '\0');
  text.resize(ReadUpTo(path.c_str(), text.data(), text.size()));
  return text;
}

int64_t NumberIn(const std::string& text, const char* name) {
  return std::max<int64_t>(0, NumberAfter(name, text.data(), text.size()));
}

// Returns what a cgroup with this limit leaves to the data of files: what is not used, and what the kernel takes back
// first. Of the pages that were read more than once it takes as many until they are no more than the others.
int64_t LeftWithin(CgroupFolders& folders, int64_t limit) {
  const auto text_of = [&](const char* name) {
    const char* const path = folders.File(name);
    return path == nullptr ? std::string() : TextOf(path);
  };
  const std::string used = text_of(folders.is_v2() ? "memory.current" : "memory.usage_in_bytes");
  const int64_t usage = ParseLimit(used.data(), used.size());
  if (usage == 0) return limit;
  const std::string stat = text_of("memory.stat");
  const int64_t inactive = NumberIn(stat, folders.is_v2() ? "inactive_file" : "total_inactive_file");
  const int64_t active = NumberIn(stat, folders.is_v2() ? "active_file" : "total_active_file");
  return std::max<int64_t>(0, limit - usage + inactive + active / 2);
}

std::string Cgroups(const std::string& root) { return TextOf(root + "/proc/self/cgroup"); }

// `cgroups`: their text, here and below.
void LookAtCgroups(const std::string& cgroups, const std::string& root, MemoryNow& now) {
  CgroupFolders folders;
  folders.Begin(cgroups.data(), cgroups.size(), root.c_str());
  while (folders.Next()) {
    const int64_t limit = LimitHere(folders, ReadUpTo);
    if (limit == 0) continue;
    const ByteCount left{LeftWithin(folders, limit)};
    now.left = now.limit == ByteCount{} ? left : std::min(now.left, left);
    now.limit = {LesserLimit(now.limit.value, limit)};
  }
}

// Returns the cgroup's own, "" where there is none. The root of version 2 has that of the machine, and no type.
std::string PressureFileOfCgroup(const std::string& cgroups, const std::string& root) {
  CgroupFolders folders;
  folders.Begin(cgroups.data(), cgroups.size(), root.c_str());
  const auto is_there = [&](const char* name) {
    const char* const path = folders.File(name);
    return path != nullptr && access(path, R_OK) == 0;
  };
  while (folders.Next())
    if (folders.is_v2() && is_there("cgroup.type") && is_there("memory.pressure"))
      return folders.File("memory.pressure");
  return "";
}

std::string PressureFileOf(const std::string& cgroups, const std::string& root) {
  if (std::string own = PressureFileOfCgroup(cgroups, root); !own.empty()) return own;
  const std::string of_machine = root + "/proc/pressure/memory";
  return access(of_machine.c_str(), R_OK) == 0 ? of_machine : "";
}

MemoryNow LookAtBoundsOf(const std::string& cgroups, const std::string& root) {
  MemoryNow now;
  LookAtCgroups(cgroups, root, now);
  const std::string machine = TextOf(root + "/proc/meminfo");
  now.total = {NumberIn(machine, "MemTotal:") * 1024};
  now.available = {NumberIn(machine, "MemAvailable:") * 1024};
  return now;
}

}  // namespace

std::string PressureFile(const std::string& root) { return PressureFileOf(Cgroups(root), root); }

MemoryNow LookAtBounds(const std::string& root) { return LookAtBoundsOf(Cgroups(root), root); }

MemoryFacts LookAtMemory(const std::string& root) {
  const std::string cgroups = Cgroups(root);
  MemoryFacts found;
  found.now = LookAtBoundsOf(cgroups, root);
  const std::string path = PressureFileOf(cgroups, root);
  found.now.is_pressure_own = path != root + "/proc/pressure/memory";
  const std::string pressure = path.empty() ? "" : TextOf(path);
  found.stalled_microseconds = StalledMicroseconds(pressure.data(), pressure.size());
  return found;
}

}  // namespace ahead::cli
