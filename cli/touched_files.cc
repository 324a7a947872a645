#include "cli/touched_files.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <set>

#include "absl/strings/str_cat.h"
#include "cli/program.h"

namespace ahead::cli {
namespace {

constexpr char kData = 'D';
constexpr char kCode = 'C';

#ifdef SYS_open
constexpr long kOldOpen = SYS_open;
#else
constexpr long kOldOpen = -1;  // newer architectures have openat only
#endif

bool IsOpen(uint64_t number) {
  return number == SYS_openat || number == SYS_openat2 || static_cast<long>(number) == kOldOpen;
}

// Lets the tracer see each call that opens a file, and each mmap.
bool InstallFilter() {
  constexpr auto kNumber = static_cast<uint32_t>(offsetof(seccomp_data, nr));
  std::array<sock_filter, 7> program = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(kOldOpen), 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
  }};
  sock_fprog filter = {static_cast<unsigned short>(program.size()), program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// The work of the process that watches.
class Watcher {
 public:
  // `status_fd`: where the wait status of the command goes when it has ended.
  Watcher(pid_t command, int list_fd, int status_fd) : command_(command), list_fd_(list_fd), status_fd_(status_fd) {
    known_.insert(command);
  }

  // Follows the command and what it leaves running in the background: without a tracer, the filter would make every
  // open of theirs fail.
  void FollowAll() {
    int status = 0;
    pid_t thread;
    while ((thread = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
      if (thread <= 0) continue;
      if (WIFSTOPPED(status))
        Stopped(thread, status);
      else if (thread == command_ && write(status_fd_, &status, sizeof status) < 0)
        return;
    }
  }

 private:
  void Stopped(pid_t thread, int status) {
    const int number = WSTOPSIG(status);
    const int event = status >> 16;
    int passed_on = 0;
    bool stop_at_exit = false;
    if (number == (SIGTRAP | 0x80)) {
      SawReturn(thread);
    } else if (number == SIGTRAP && event == PTRACE_EVENT_SECCOMP) {
      stop_at_exit = SawCall(thread);
    } else if (number == SIGTRAP && event == 0 && !is_started_) {
      is_started_ = true;
      ptrace(PTRACE_SETOPTIONS, thread, nullptr,
             PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                 PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC);
    } else if (event == 0 && !(number == SIGSTOP && known_.insert(thread).second)) {
      passed_on = number;  // but not the stop that a new child begins with
    }
    ptrace(stop_at_exit ? PTRACE_SYSCALL : PTRACE_CONT, thread, nullptr, passed_on);
  }

  // At the start of a call. Returns whether its result matters.
  bool SawCall(pid_t thread) {
    __ptrace_syscall_info call = {};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof call, &call) <= 0 || call.op != PTRACE_SYSCALL_INFO_SECCOMP)
      return false;
    const auto& arguments = call.seccomp.args;
    if (call.seccomp.nr == SYS_mmap) {
      constexpr uint64_t kExecute = PROT_EXEC;
      if ((arguments[2] & kExecute) != 0 && static_cast<int>(arguments[4]) >= 0)
        Note(kCode, thread, static_cast<int>(arguments[4]));
      return false;
    }
    return IsOpen(call.seccomp.nr);
  }

  void SawReturn(pid_t thread) {
    __ptrace_syscall_info call = {};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof call, &call) <= 0 || call.op != PTRACE_SYSCALL_INFO_EXIT) return;
    if (!call.exit.is_error && call.exit.rval >= 0) Note(kData, thread, static_cast<int>(call.exit.rval));
  }

  void Note(char kind, pid_t thread, int fd) {
    const std::string link = absl::StrCat("/proc/", thread, "/fd/", fd);
    struct stat file;
    if (stat(link.c_str(), &file) != 0 || !S_ISREG(file.st_mode) || file.st_size == 0) return;
    // The link's permissions tell how the file was opened.
    struct stat opened;
    if (lstat(link.c_str(), &opened) != 0 || (opened.st_mode & S_IRUSR) == 0) return;
    char path[PATH_MAX];
    const ssize_t length = readlink(link.c_str(), path, sizeof path);
    if (length <= 0 || path[0] != '/') return;
    std::string entry(1, kind);
    entry.append(path, static_cast<size_t>(length));
    if (!written_.insert(entry).second) return;
    if (write(list_fd_, entry.c_str(), entry.size() + 1) < 0) return;
  }

  pid_t command_;
  int list_fd_;
  int status_fd_;
  bool is_started_ = false;
  std::set<pid_t> known_;
  std::set<std::string> written_;
};

// In the child, before the program. Without a tracer the filter would make every open fail.
void AskToBeWatched() {
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0) InstallFilter();
}

[[noreturn]] void EndAs(int status) {
  if (WIFSIGNALED(status)) {
    signal(WTERMSIG(status), SIG_DFL);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    raise(WTERMSIG(status));
  }
  _exit(WEXITSTATUS(status));
}

// Lets go of everything but two descriptors: whoever waits for the end of a pipe must not wait for the watcher.
void KeepOnly(int one, int other) {
  const auto low = static_cast<unsigned>(std::min(one, other));
  const auto high = static_cast<unsigned>(std::max(one, other));
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; ++fd) dup2(nothing, fd);
  if (low > 3) close_range(3, low - 1, 0);
  if (high > low + 1) close_range(low + 1, high - 1, 0);
  close_range(high + 1, ~0U, 0);
}

// Watches the command from a process that nobody waits for, and ends as the command does.
// Tells the number of the command through `command_fd`.
[[noreturn]] void WatchAndEnd(const std::function<Launched()>& launch, int list_fd, int command_fd) {
  int status_ends[2];
  if (pipe2(status_ends, O_CLOEXEC) != 0) _exit(kNotExecutable);
  if (fork() == 0) {
    close(status_ends[0]);
    const Launched command = launch();
    if (write(command_fd, &command.pid, sizeof command.pid) < 0) _exit(kNotExecutable);
    int status = ShellStatus(command.error) << 8;  // as waitpid would tell
    if (command.pid < 0 && write(status_ends[1], &status, sizeof status) < 0) _exit(kNotExecutable);
    KeepOnly(list_fd, status_ends[1]);
    if (command.pid > 0) Watcher(command.pid, list_fd, status_ends[1]).FollowAll();
    _exit(0);
  }
  close(status_ends[1]);
  close(command_fd);
  int status = 0;
  if (read(status_ends[0], &status, sizeof status) != sizeof status) _exit(kNotExecutable);
  EndAs(status);
}

bool IsSystemPath(const std::string& path) {
  constexpr const char* kFolders[] = {"/usr/",  "/lib/", "/lib32/", "/lib64/", "/libx32/", "/bin/",
                                      "/sbin/", "/etc/", "/proc/",  "/sys/",   "/dev/"};
  return std::any_of(std::begin(kFolders), std::end(kFolders),
                     [&](const char* folder) { return path.starts_with(folder); });
}

}  // namespace

OpenWatch::OpenWatch() : list_fd_(memfd_create("ahead-opened", MFD_CLOEXEC)) {}

OpenWatch::~OpenWatch() {
  if (list_fd_ >= 0) close(list_fd_);
}

Launched OpenWatch::Start(const std::string& path, const std::vector<std::string>& words, Environment& environment,
                          const SignalScope& signals, const Streams& streams) {
  int command_ends[2];
  if (pipe2(command_ends, O_CLOEXEC) != 0) return {-1, LaunchFault::kNoProcess, errno};
  const pid_t watcher = fork();
  if (watcher == 0) {
    Streams watched = streams;
    watched.prepare = AskToBeWatched;
    close(command_ends[0]);
    WatchAndEnd([&] { return Launch(path, words, environment, signals, watched); }, list_fd_, command_ends[1]);
  }
  const int error = errno;
  close(command_ends[1]);
  Launched launched = {watcher, LaunchFault::kNone, 0};
  if (watcher > 0 && read(command_ends[0], &launched.command, sizeof launched.command) < 0) launched.command = -1;
  close(command_ends[0]);
  return watcher < 0 ? Launched{-1, LaunchFault::kNoProcess, error} : launched;
}

std::vector<std::string> OpenWatch::Files() const {
  struct stat list;
  if (list_fd_ < 0 || fstat(list_fd_, &list) != 0) return {};
  std::string text(static_cast<size_t>(list.st_size), 0);
  if (pread(list_fd_, text.data(), text.size(), 0) != list.st_size) return {};
  std::set<std::string> data;
  std::set<std::string> code;
  for (size_t at = 0; at < text.size();) {
    const std::string entry = text.c_str() + at;
    at += entry.size() + 1;
    (entry[0] == kCode ? code : data).insert(entry.substr(1));
  }
  std::vector<std::string> files;
  struct stat file;
  for (const std::string& path : data)
    if (!code.contains(path) && stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode)) files.push_back(path);
  return files;
}

std::vector<std::string> FilesNamedBy(const std::vector<std::string>& words) {
  namespace fs = std::filesystem;
  std::set<std::string> files;
  std::error_code ignored;
  for (size_t i = 1; i < words.size(); ++i) {
    if (fs::is_regular_file(words[i], ignored)) files.insert(fs::absolute(words[i], ignored).lexically_normal());
    if (!fs::is_directory(words[i], ignored)) continue;
    fs::recursive_directory_iterator entries(words[i], fs::directory_options::skip_permission_denied, ignored);
    for (; entries != fs::recursive_directory_iterator(); entries.increment(ignored))
      if (entries->symlink_status(ignored).type() == fs::file_type::regular)
        files.insert(fs::absolute(entries->path(), ignored).lexically_normal());
  }
  return {files.begin(), files.end()};
}

void RemoveSystemFiles(std::vector<std::string>& files, const std::vector<std::string>& words) {
  for (size_t i = 1; i < words.size(); ++i)
    if (IsSystemPath(words[i] + "/")) return;
  std::erase_if(files, IsSystemPath);
}

}  // namespace ahead::cli
