#include "cli/preload.h"

#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
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

// The kernel's MAX_ARG_STRLEN: one variable, its name and the zero at its end included.
constexpr size_t kLongestVariablePages = 32;

// The folder of this executable.
std::string OwnFolder() {
  char self[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length > 0) return std::filesystem::path(std::string(self, static_cast<size_t>(length))).parent_path();
  // Without /proc, what the kernel was asked to execute.
  const auto* executed = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (executed == nullptr || realpath(executed, self) == nullptr) return "";
  return std::filesystem::path(self).parent_path();
}

// Says whether the loader takes `entry` for `library`. Without a '/' it is looked up in the loader's folders, not here.
bool IsLibrary(const std::string& entry, const std::string& library) {
  return entry.find('/') != std::string::npos && IsSameFile(entry, library);
}

std::vector<std::string> Entries(const std::string& existing) {
  return absl::StrSplit(existing, absl::ByAnyChar(" :"), absl::SkipEmpty());
}

}  // namespace

absl::StatusOr<std::string> FindLibrary() {
  const std::string folder = OwnFolder();
  if (folder.empty()) return absl::NotFoundError("libahead.so cannot be located: /proc/self/exe is unreadable");
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
  std::vector<std::string> kept;
  bool is_there = false;
  for (const std::string& entry : entries) {
    if (IsLibrary(entry, library)) {
      // A relative path would be another file after the first chdir.
      if (!is_there) kept.push_back(entry[0] == '/' ? entry : library);
      is_there = true;
    } else if (FileName(entry) != FileName(library)) {
      kept.push_back(entry);
    }
  }
  // Word for word where nothing was changed: the separators are the caller's.
  const std::string rest = kept == entries ? existing : absl::StrJoin(kept, ":");
  if (is_there) return rest;
  return kept.empty() ? library : absl::StrCat(library, ":", rest);
}

std::string PreloadWithout(const std::string& existing, const std::string& library) {
  std::vector<std::string> others = Entries(existing);
  std::erase_if(others, [&](const std::string& entry) {
    return FileName(entry) == FileName(library) || IsLibrary(entry, library);
  });
  return absl::StrJoin(others, ":");
}

std::string WhyTooLong(const std::string& preload) {
  const size_t most = kLongestVariablePages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t bytes = sizeof "LD_PRELOAD=" + preload.size();
  if (bytes <= most) return "";
  return absl::StrCat("LD_PRELOAD with libahead.so in it would take ", bytes, " bytes; the kernel takes ", most);
}

}  // namespace ahead::cli
