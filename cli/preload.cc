#include "cli/preload.h"

#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <filesystem>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace ahead::cli {
namespace {

// AHEAD_LIBRARY_FROM_BIN is the way from the installed bin folder to the library, set by CMake.
constexpr const char* kPlaces[] = {AHEAD_LIBRARY_FROM_BIN, "../lib/ahead/libahead.so", "../shim/libahead.so"};

std::string FileName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool IsSameFile(const std::string& a, const std::string& b) {
  struct stat first, second;
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

std::vector<std::string> Entries(const std::string& existing) {
  return absl::StrSplit(existing, absl::ByAnyChar(" :"), absl::SkipEmpty());
}

}  // namespace

absl::StatusOr<std::string> FindLibrary() {
  char self[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self);
  if (length <= 0 || static_cast<size_t>(length) == sizeof self)
    return absl::NotFoundError("libahead.so cannot be located: /proc/self/exe is unreadable");
  const std::string executable(self, static_cast<size_t>(length));
  const std::string folder = executable.substr(0, executable.rfind('/'));
  std::vector<std::string> tried;
  for (const char* place : kPlaces) {
    const std::string path = std::filesystem::path(folder + "/" + place).lexically_normal();
    char resolved[PATH_MAX];
    if (realpath(path.c_str(), resolved) != nullptr) return std::string(resolved);
    if (tried.empty() || tried.back() != path) tried.push_back(path);
  }
  return absl::NotFoundError(absl::StrCat("libahead.so not found; tried ", absl::StrJoin(tried, ", ")));
}

std::string WhyNotExpressible(const std::string& path) {
  const size_t at = path.find_first_of(" :$");
  if (at == std::string::npos) return "";
  return absl::StrCat("LD_PRELOAD cannot name '", path, "', because of the '", path.substr(at, 1),
                      "' in it; install ahead in a folder without ' ', ':' and '$'");
}

std::string PreloadWith(const std::string& existing, const std::string& library) {
  const std::vector<std::string> entries = Entries(existing);
  std::vector<std::string> others;
  for (const std::string& entry : entries) {
    if (IsSameFile(entry, library)) return existing;
    if (FileName(entry) != FileName(library)) others.push_back(entry);
  }
  // Word for word where nothing was dropped: the separators are the caller's.
  const std::string kept = others.size() == entries.size() ? existing : absl::StrJoin(others, ":");
  return kept.empty() ? library : absl::StrCat(library, ":", kept);
}

std::string PreloadWithout(const std::string& existing, const std::string& library) {
  std::vector<std::string> others = Entries(existing);
  std::erase_if(others, [&](const std::string& entry) {
    return FileName(entry) == FileName(library) || IsSameFile(entry, library);
  });
  return absl::StrJoin(others, ":");
}

}  // namespace ahead::cli
