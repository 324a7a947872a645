// The entry points through which descriptors come to other programs. Each makes its call as it is; what was told to the
// kernel of those descriptors is taken back before it (handing_on.h). exec* run in children of vfork as well, in their
// parents' memory.
#include <alloca.h>
#include <stdarg.h>

#include "shim/handing_on.h"
#include "shim/real.h"

namespace ahead::hook {

#define AHEAD_HOOK(name, result, parameters) \
  __attribute__((visibility("default"))) result name parameters __asm__(#name);
#include "shim/hooks.def"
#undef AHEAD_HOOK

namespace {

template <typename Fork>
pid_t Forked(Fork fork) {
  // Twice, for other threads open files meanwhile.
  NoteFork();
  const pid_t child = fork();
  NoteFork();
  return child;
}

// Counts the arguments after the first, the null that ends them included.
size_t CountArguments(const char* first, va_list& rest) {
  size_t count = 1;
  if (first == nullptr) return count;
  while (va_arg(rest, const char*) != nullptr) ++count;
  return count;
}

void TakeArguments(const char* first, size_t count, va_list& rest, char** arguments) {
  arguments[0] = const_cast<char*>(first);
  for (size_t i = 1; i <= count; ++i) arguments[i] = first == nullptr ? nullptr : va_arg(rest, char*);
}

}  // namespace

pid_t fork() {
  return Forked([] { return real::fork(); });
}
pid_t __fork() {
  return Forked([] { return real::__fork(); });
}
pid_t _Fork() {
  return Forked([] { return real::_Fork(); });
}
pid_t forkpty(int* terminal, char* name, const termios* settings, const winsize* size) {
  return Forked([&] { return real::forkpty(terminal, name, settings, size); });
}

int execve(const char* path, char* const* arguments, char* const* environment) {
  BeforeHandingOn();
  return real::execve(path, arguments, environment);
}
int execv(const char* path, char* const* arguments) {
  BeforeHandingOn();
  return real::execv(path, arguments);
}
int execvp(const char* name, char* const* arguments) {
  BeforeHandingOn();
  return real::execvp(name, arguments);
}
int execvpe(const char* name, char* const* arguments, char* const* environment) {
  BeforeHandingOn();
  return real::execvpe(name, arguments, environment);
}
int fexecve(int fd, char* const* arguments, char* const* environment) {
  BeforeHandingOn();
  return real::fexecve(fd, arguments, environment);
}
int execveat(int folder, const char* path, char* const* arguments, char* const* environment, int flags) {
  BeforeHandingOn();
  return real::execveat(folder, path, arguments, environment, flags);
}

// Arguments in the call cannot be passed on as they are: they are put into an array, on the stack as in glibc.
#define AHEAD_ARGUMENTS                                                              \
  va_list rest;                                                                      \
  va_start(rest, first);                                                             \
  const size_t count = CountArguments(first, rest);                                  \
  va_end(rest);                                                                      \
  char** const arguments = static_cast<char**>(alloca((count + 1) * sizeof(char*))); \
  va_start(rest, first);                                                             \
  TakeArguments(first, count, rest, arguments)

int execl(const char* path, const char* first, ...) {
  AHEAD_ARGUMENTS;
  va_end(rest);
  return ahead::hook::execv(path, arguments);
}
int execlp(const char* name, const char* first, ...) {
  AHEAD_ARGUMENTS;
  va_end(rest);
  return ahead::hook::execvp(name, arguments);
}
int execle(const char* path, const char* first, ...) {
  AHEAD_ARGUMENTS;
  char* const* const environment = va_arg(rest, char* const*);
  va_end(rest);
  return ahead::hook::execve(path, arguments, environment);
}

int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
  BeforeHandingOn();
  return real::posix_spawn(child, path, actions, attributes, arguments, environment);
}
int posix_spawnp(pid_t* child, const char* name, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
  BeforeHandingOn();
  return real::posix_spawnp(child, name, actions, attributes, arguments, environment);
}
int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t* actions, int fd, int copy) {
  WithdrawForGood(fd);
  return real::posix_spawn_file_actions_adddup2(actions, fd, copy);
}
int system(const char* command) {
  BeforeHandingOn();
  return real::system(command);
}
FILE* popen(const char* command, const char* mode) {
  BeforeHandingOn();
  return real::popen(command, mode);
}
int wordexp(const char* words, wordexp_t* expansion, int flags) {
  BeforeHandingOn();
  return real::wordexp(words, expansion, flags);
}

// After the call, which has found the message to be readable.
ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  const ssize_t sent = real::sendmsg(fd, message, flags);
  if (sent >= 0 && message->msg_controllen != 0) NoteSent(*message);
  return sent;
}
int sendmmsg(int fd, mmsghdr* messages, unsigned count, int flags) {
  const int sent = real::sendmmsg(fd, messages, count, flags);
  for (int i = 0; i < sent; ++i)
    if (messages[i].msg_hdr.msg_controllen != 0) NoteSent(messages[i].msg_hdr);
  return sent;
}

}  // namespace ahead::hook
