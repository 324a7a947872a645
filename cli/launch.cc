#include "cli/launch.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "cli/program.h"

namespace ahead::cli {
namespace {

std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// As bash decides whether a file is a script: no zero byte in its first line.
bool IsText(const char* path) {
  char start[80];
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t length = fd < 0 ? 0 : read(fd, start, sizeof start);
  close(fd);
  for (ssize_t i = 0; i < length && start[i] != '\n'; ++i)
    if (start[i] == 0) return false;
  return true;
}

// In the child of a vfork: system calls only. An errno goes to `error_fd`, which execve closes, and to `error`, in the
// parent's memory. (Memory alone would do, were it not that the thread sanitizer makes a fork of a vfork.)
[[noreturn]] void Become(const char* path, char* const* arguments, char* const* shell_arguments, char* const* variables,
                         const SignalScope& signals, const Streams& streams, int error_fd, volatile int& error) {
  const int wanted[] = {streams.input, streams.output, streams.error};
  for (int fd = 0; fd < 3; ++fd)
    if (wanted[fd] >= 0) dup2(wanted[fd], fd);
  signals.RestoreInherited();
  if (streams.prepare != nullptr) streams.prepare();
  execve(path, arguments, variables);
  const int refused = errno;
  if (refused == ENOEXEC && IsText(path)) execve("/bin/sh", shell_arguments, variables);
  error = refused;
  if (error_fd >= 0 && write(error_fd, &refused, sizeof refused) < 0) _exit(kNotExecutable);
  _exit(ShellStatus(refused));
}

}  // namespace

void HoldStandardDescriptors() {
  for (int fd = 0; fd < 3; ++fd)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) open("/dev/null", O_RDWR | O_CLOEXEC);
}

SignalScope::SignalScope(std::initializer_list<int> taken) {
  sigemptyset(&signals_);
  for (const int number : taken) sigaddset(&signals_, number);
  sigprocmask(SIG_BLOCK, &signals_, &inherited_mask_);
  struct sigaction plain = {};
  plain.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &plain, &inherited_child_action_);
}

void SignalScope::RestoreInherited() const {
  sigaction(SIGCHLD, &inherited_child_action_, nullptr);
  sigprocmask(SIG_SETMASK, &inherited_mask_, nullptr);
}

Launched Launch(const std::string& path, const std::vector<std::string>& words, Environment& environment,
                const SignalScope& signals, const Streams& streams) {
  const std::vector<char*> arguments = Pointers(words);
  std::vector<std::string> shell_words = {"sh", path};
  shell_words.insert(shell_words.end(), words.begin() + 1, words.end());
  const std::vector<char*> shell_arguments = Pointers(shell_words);
  char* const* variables = environment.pointers();
  int error_ends[2] = {-1, -1};
  // Where not even two descriptors are left, memory has to do.
  if (pipe2(error_ends, O_CLOEXEC) != 0) error_ends[0] = error_ends[1] = -1;
  volatile int refused = 0;
  const pid_t child = vfork();
  if (child == 0)
    Become(path.c_str(), arguments.data(), shell_arguments.data(), variables, signals, streams, error_ends[1], refused);
  const int error = errno;
  if (error_ends[0] >= 0) {
    close(error_ends[1]);
    int told = 0;
    if (child > 0 && read(error_ends[0], &told, sizeof told) == sizeof told) refused = told;
    close(error_ends[0]);
  }
  if (child < 0) return {-1, LaunchFault::kNoProcess, error};
  if (refused == 0) return {child, LaunchFault::kNone, 0};
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return {-1, LaunchFault::kNotExecuted, refused};
}

}  // namespace ahead::cli
