#include "cli/memory_limit.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "core/safety.h"

namespace ahead::cli {
namespace {

// Of what the machine has available, what a run may keep in use: with the default ratio a sixteenth of it is fetched
// ahead at the most.
constexpr int64_t kShare = 8;
// Version 1 says "no limit" by a number near 2^63.
constexpr int64_t kNoLimit = int64_t{1} << 60;

// Returns the number in a file of one, 0 when there is none or it is no limit.
int64_t LimitIn(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  int64_t limit = 0;
  if (!(file >> text) || !absl::SimpleAtoi(text, &limit) || limit <= 0 || limit >= kNoLimit) return 0;
  return limit;
}

int64_t Least(int64_t a, int64_t b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

// Returns the least limit in files `name` from the folder `base` + `path` up to `base`. In a container the path may be
// one outside of it: then only what can be found of it counts.
int64_t LeastLimit(const std::string& base, std::string path, const std::string& name) {
  int64_t least = 0;
  for (;;) {
    least = Least(least, LimitIn(absl::StrCat(base, path == "/" ? "" : path, "/", name)));
    if (path.empty() || path == "/") return least;
    const size_t slash = path.rfind('/');
    path = slash == std::string::npos ? "" : path.substr(0, slash);
  }
}

int64_t CgroupLimit(const std::string& root) {
  std::ifstream file(root + "/proc/self/cgroup");
  const std::string base = root + "/sys/fs/cgroup";
  int64_t least = 0;
  for (std::string line; std::getline(file, line);) {
    // NUMBER:CONTROLLERS:PATH; version 2 has the number 0 and no controllers.
    const std::vector<absl::string_view> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    const std::string path(parts[2]);
    if (parts[1].empty()) {
      least = Least(least, LeastLimit(base, path, "memory.max"));
      least = Least(least, LeastLimit(base + "/unified", path, "memory.max"));
      continue;
    }
    for (const absl::string_view controller : absl::StrSplit(parts[1], ','))
      if (controller == "memory")
        least = Least(least, LeastLimit(absl::StrCat(base, "/memory"), path, "memory.limit_in_bytes"));
  }
  return LeftToFiles(least);
}

int64_t Available(const std::string& root) {
  std::ifstream file(root + "/proc/meminfo");
  std::string name;
  int64_t kib = 0;
  for (std::string unit; file >> name >> kib; std::getline(file, unit))
    if (name == "MemAvailable:") return kib * 1024;
  return 0;
}

}  // namespace

int64_t MemoryForFiles(const std::string& root) { return Least(CgroupLimit(root), Available(root) / kShare); }

}  // namespace ahead::cli
