#include "cli/preloadable.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <string_view>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/program.h"

namespace ahead::cli {
namespace {

using ElfHeader = ElfW(Ehdr);
using ProgramHeader = ElfW(Phdr);
using NoteHeader = ElfW(Nhdr);

// fs/exec.c: an interpreter may be a script again, five times; what is longer fails to start.
constexpr int kDeepestScript = 5;
// BINPRM_BUF_SIZE: what the kernel looks at.
constexpr size_t kStartBytes = 256;
constexpr size_t kNoteBytes = 4096;

std::string_view FileName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// What this very program is: the library was built with it.
struct Own {
  const ElfHeader* header = nullptr;
  std::string loader;
};

Own FindOwn() {
  Own own;
  dl_iterate_phdr(
      [](dl_phdr_info* program, size_t, void* result) {
        auto& found = *static_cast<Own*>(result);
        for (int i = 0; i < program->dlpi_phnum; ++i) {
          const ProgramHeader& segment = program->dlpi_phdr[i];
          const void* place = reinterpret_cast<const void*>(program->dlpi_addr + segment.p_vaddr);
          if (segment.p_type == PT_LOAD && segment.p_offset == 0) found.header = static_cast<const ElfHeader*>(place);
          if (segment.p_type == PT_INTERP) found.loader = static_cast<const char*>(place);
        }
        return 1;  // the program itself comes first; the libraries are not asked
      },
      &own);
  return own;
}

bool IsSameFile(const struct stat& a, const std::string& b) {
  struct stat other;
  return stat(b.c_str(), &other) == 0 && a.st_dev == other.st_dev && a.st_ino == other.st_ino;
}

// Capabilities that only may be inherited do not make a program privileged by themselves.
bool GivesCapabilities(const std::string& path) {
  vfs_ns_cap_data given = {};
  if (getxattr(path.c_str(), "security.capability", &given, sizeof given) < static_cast<ssize_t>(XATTR_CAPS_SZ_1))
    return false;
  return (given.magic_etc & VFS_CAP_FLAGS_EFFECTIVE) != 0 || given.data[0].permitted != 0 ||
         given.data[1].permitted != 0;
}

// When the kernel starts a program in secure mode, the loader ignores an LD_PRELOAD that contains a '/'. As the kernel
// decides it (security/commoncap.c): the ids the program runs with are not the caller's real ones, or it gains
// capabilities and the caller is not root.
std::string WhyPrivileged(const std::string& path, const struct stat& file) {
  struct statvfs mount;
  const bool is_honoured = statvfs(path.c_str(), &mount) != 0 || (mount.f_flag & ST_NOSUID) == 0;
  const bool may_gain = is_honoured && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1;
  constexpr mode_t kSetGroup = S_ISGID | S_IXGRP;
  if (may_gain && (file.st_mode & S_ISUID) != 0 && file.st_uid != getuid()) return "it is set-user-ID";
  if (may_gain && (file.st_mode & kSetGroup) == kSetGroup && file.st_gid != getgid()) return "it is set-group-ID";
  if (is_honoured && getuid() != 0 && GivesCapabilities(path)) return "it has file capabilities";
  return "";
}

// The executable and what its header says.
class Elf {
 public:
  // Returns false when `fd` is no executable of our class, or its header cannot be read.
  bool Read(int fd, const ElfHeader& header) {
    if (header.e_phentsize != sizeof(ProgramHeader) || header.e_phnum == 0) return false;
    fd_ = fd;
    segments_.resize(header.e_phnum);
    const size_t size = segments_.size() * sizeof(ProgramHeader);
    return pread(fd, segments_.data(), size, static_cast<off_t>(header.e_phoff)) == static_cast<ssize_t>(size);
  }

  // Returns the path of the loader, or an empty text when there is none.
  std::string Loader() const {
    for (const ProgramHeader& segment : segments_)
      if (segment.p_type == PT_INTERP) return std::string(Contents(segment, PATH_MAX).c_str());
    return "";
  }

  // The Go linker puts a note of its own, named "Go", into every program.
  bool IsGo() const {
    constexpr uint32_t kBuildId = 4;
    return std::any_of(segments_.begin(), segments_.end(), [this](const ProgramHeader& segment) {
      return segment.p_type == PT_NOTE && HasNote(Contents(segment, kNoteBytes), "Go", kBuildId);
    });
  }

 private:
  std::string Contents(const ProgramHeader& segment, size_t most) const {
    std::string text(std::min<size_t>(segment.p_filesz, most), 0);
    const ssize_t got = pread(fd_, text.data(), text.size(), static_cast<off_t>(segment.p_offset));
    text.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return text;
  }

  static bool HasNote(const std::string& notes, std::string_view owner, uint32_t type) {
    const auto padded = [](size_t size) { return (size + 3) & ~size_t{3}; };
    for (size_t at = 0; at + sizeof(NoteHeader) <= notes.size();) {
      NoteHeader note;
      memcpy(&note, notes.data() + at, sizeof note);
      const size_t name = at + sizeof note;
      if (note.n_type == type && owner == notes.c_str() + name) return true;
      at = name + padded(note.n_namesz) + padded(note.n_descsz);
    }
    return false;
  }

  int fd_ = -1;
  std::vector<ProgramHeader> segments_;
};

Inactivity WhyNotLoaded(const std::string& path, int fd, const ElfHeader& header) {
  const Own own = FindOwn();
  if (own.header != nullptr && header.e_ident[EI_CLASS] != own.header->e_ident[EI_CLASS])
    return {header.e_ident[EI_CLASS] == ELFCLASS32 ? "it is a 32-bit program" : "it is a 64-bit program", true};
  if (own.header != nullptr && header.e_machine != own.header->e_machine)
    return {"it is built for another architecture", true};
  struct stat file;
  if (fstat(fd, &file) != 0) return {};
  if (std::string reason = WhyPrivileged(path, file); !reason.empty()) return {reason};
  Elf elf;
  // The loader may be called as a command: it loads the program that is its argument, and us with it.
  if (!elf.Read(fd, header) || IsSameFile(file, own.loader)) return {};
  const std::string loader = elf.Loader();
  if (loader.empty()) return {"it is statically linked"};
  if (FileName(loader).starts_with("ld-musl-")) return {"it is linked to musl, not to glibc", true};
  if (!own.loader.empty() && FileName(loader) != FileName(own.loader))
    return {absl::StrCat("its loader is ", loader, ", not glibc's ", std::string(FileName(own.loader))), true};
  if (elf.IsGo()) return {"its reads are made by Go's own runtime, which no preloaded library sees"};
  return {};
}

std::string_view Trim(std::string_view text) {
  constexpr const char* kBlank = " \t";
  const size_t begin = std::min(text.find_first_not_of(kBlank), text.size());
  return text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

// The program that env starts, found in PATH as env finds it. `argument`: all that follows in the "#!" line, one word
// to env unless -S takes it apart. Returns an empty text when that cannot be told.
std::string StartedByEnv(std::string_view argument) {
  std::vector<std::string> words = {std::string(argument)};
  for (const std::string_view split : {"-S", "--split-string="})
    if (argument.starts_with(split))
      words = absl::StrSplit(std::string(argument.substr(split.size())), absl::ByAnyChar(" \t"), absl::SkipEmpty());
  for (const std::string& word : words)
    if (word[0] != '-' && word.find('=') == std::string::npos) return FindProgram(word).path;
  return "";
}

// Returns the program that reads the text which begins with `start`, or an empty text.
std::string InterpreterOf(std::string_view start) {
  const std::string_view line = start.substr(0, start.find('\n'));
  if (!line.starts_with("#!")) return line.find('\0') == std::string_view::npos ? "/bin/sh" : "";
  const std::string_view command = Trim(line.substr(2));
  const size_t blank = std::min(command.find_first_of(" \t"), command.size());
  std::string interpreter(command.substr(0, blank));
  const std::string_view argument = Trim(command.substr(blank));
  if (FileName(interpreter) != "env" || argument.empty()) return interpreter;
  std::string started = StartedByEnv(argument);
  return started.empty() ? interpreter : started;
}

Inactivity WhyInactiveAt(const std::string& path, int depth) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    // One that may be executed but not read is hardly a script.
    struct stat file;
    return {stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode) ? WhyPrivileged(path, file) : "", false};
  }
  const absl::Cleanup closer = [fd] { close(fd); };
  char start[kStartBytes];
  const ssize_t length = pread(fd, start, sizeof start, 0);
  if (length <= 0) return {};
  const auto size = static_cast<size_t>(length);
  ElfHeader header;
  if (size >= sizeof header && memcmp(start, ELFMAG, SELFMAG) == 0) {
    memcpy(&header, start, sizeof header);
    return WhyNotLoaded(path, fd, header);
  }
  const std::string interpreter = InterpreterOf({start, size});
  if (interpreter.empty() || depth == kDeepestScript) return {};
  Inactivity found = WhyInactiveAt(interpreter, depth + 1);
  if (!found.reason.empty() && !found.reason.starts_with("of its"))
    found.reason = absl::StrCat("of its interpreter ", interpreter, ": ", found.reason);
  return found;
}

}  // namespace

Inactivity WhyInactive(const std::string& path) { return WhyInactiveAt(path, 0); }

}  // namespace ahead::cli
