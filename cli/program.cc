#include "cli/program.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace ahead::cli {
namespace {

using ElfHeader = ElfW(Ehdr);
using ProgramHeader = ElfW(Phdr);

// Returns 0 or the errno that execve would give for the file's type and permissions.
int ExecutableError(const std::string& path) {
  struct stat found;
  if (stat(path.c_str(), &found) != 0) return errno;
  if (S_ISDIR(found.st_mode)) return EISDIR;
  return faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

// The kernel starts the program in secure mode, where the loader ignores an LD_PRELOAD that contains a '/'.
std::string WhyPrivileged(int fd) {
  struct stat found;
  if (fstat(fd, &found) != 0) return "";
  if ((found.st_mode & S_ISUID) != 0 && found.st_uid != geteuid()) return "it is set-user-ID";
  if ((found.st_mode & S_ISGID) != 0 && (found.st_mode & S_IXGRP) != 0 && found.st_gid != getegid())
    return "it is set-group-ID";
  if (geteuid() != 0 && fgetxattr(fd, "security.capability", nullptr, 0) > 0) return "it has file capabilities";
  return "";
}

// Returns false when there is no header to read.
bool ReadHeader(int fd, ElfHeader& header) {
  return pread(fd, &header, sizeof header, 0) == static_cast<ssize_t>(sizeof header) &&
         memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
}

bool IsForeign(const ElfHeader& header) {
  const int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (self < 0) return false;
  const absl::Cleanup closer = [self] { close(self); };
  ElfHeader own;
  return ReadHeader(self, own) &&
         (header.e_ident[EI_CLASS] != own.e_ident[EI_CLASS] || header.e_machine != own.e_machine);
}

std::string WhyForeignOrStatic(int fd, const ElfHeader& header) {
  if (IsForeign(header)) return "it is built for another architecture";
  if (header.e_phentsize != sizeof(ProgramHeader) || header.e_phnum == 0) return "";
  std::vector<ProgramHeader> segments(header.e_phnum);
  const size_t size = segments.size() * sizeof(ProgramHeader);
  if (pread(fd, segments.data(), size, static_cast<off_t>(header.e_phoff)) != static_cast<ssize_t>(size)) return "";
  for (const ProgramHeader& segment : segments)
    if (segment.p_type == PT_INTERP) return "";
  return "it is statically linked";
}

// Returns the interpreter named in a "#!" line, or an empty text.
std::string Interpreter(std::string_view start) {
  if (start.substr(0, 2) != "#!") return "";
  start = start.substr(2, start.find('\n') - 2);
  start.remove_prefix(std::min(start.find_first_not_of(" \t"), start.size()));
  return std::string(start.substr(0, start.find_first_of(" \t")));
}

std::string WhyNotLoaded(const std::string& path, bool follow_script) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return "";
  const absl::Cleanup closer = [fd] { close(fd); };
  char start[256];
  const ssize_t length = pread(fd, start, sizeof start, 0);
  if (length <= 0) return "";
  const std::string_view text(start, static_cast<size_t>(length));
  if (const std::string interpreter = Interpreter(text); !interpreter.empty() && follow_script) {
    const std::string reason = WhyNotLoaded(interpreter, false);
    return reason.empty() ? "" : absl::StrCat("of its interpreter ", interpreter, ": ", reason);
  }
  ElfHeader header;
  if (!ReadHeader(fd, header)) return "";
  if (std::string reason = WhyPrivileged(fd); !reason.empty()) return reason;
  return WhyForeignOrStatic(fd, header);
}

}  // namespace

int ShellStatus(int error) { return error == ENOENT ? kNotFound : kNotExecutable; }

Program FindProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    const int error = ExecutableError(name);
    return error == 0 ? Program{name, 0} : Program{"", error};
  }
  const char* path = getenv("PATH");
  int error = ENOENT;
  // The search path of execvp where there is none.
  const std::vector<std::string> folders = absl::StrSplit(path != nullptr ? path : "/bin:/usr/bin", ':');
  for (const std::string& folder : folders) {
    if (name.empty()) break;
    const std::string candidate = absl::StrCat(folder.empty() ? std::string(".") : folder, "/", name);
    const int reason = ExecutableError(candidate);
    if (reason == 0) return {candidate, 0};
    if (reason == EACCES) error = EACCES;
  }
  return {"", error};
}

std::string WhyNotPreloaded(const std::string& path) { return WhyNotLoaded(path, true); }

}  // namespace ahead::cli
