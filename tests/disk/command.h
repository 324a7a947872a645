// Runs a program to its end and keeps what it said.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace ahead::disk {

struct Outcome {
  int status = -1;  // exit status; 128 + N after signal N
  std::string out;
  std::string err;
};

// Returns everything in the file behind `fd`, and closes it.
inline std::string TakeAll(int fd) {
  std::string text(static_cast<size_t>(lseek(fd, 0, SEEK_END)), '\0');
  const ssize_t size = pread(fd, text.data(), text.size(), 0);
  close(fd);
  return size < 0 ? "" : text.substr(0, static_cast<size_t>(size));
}

// Runs `words` (a program and its arguments) as user `uid`, the caller's own by default, and waits. Its output goes to
// memory files, not pipes: a process it leaves in the background would keep a pipe open.
inline Outcome RunCommand(const std::vector<std::string>& words, uid_t uid = geteuid()) {
  const int out = memfd_create("out", 0);
  const int err = memfd_create("err", 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    if (uid != geteuid() && (setgid(uid) != 0 || setuid(uid) != 0)) _exit(126);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), TakeAll(out), TakeAll(err)};
}

}  // namespace ahead::disk
