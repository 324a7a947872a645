// How the tests run programs: in a private folder, without a shell between, everything they print kept.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace ahead::test {

// A folder that is gone at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "ahead-cli-XXXXXX").string();
    path_ = mkdtemp(name.data()) == nullptr ? std::string() : std::filesystem::canonical(name).string();
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

  // Writes a file, and the folders above it.
  std::string Write(const std::string& name, const std::string& text, int mode = 0644) const {
    std::filesystem::create_directories(std::filesystem::path(*this / name).parent_path());
    std::ofstream(*this / name) << text;
    std::filesystem::permissions(*this / name, static_cast<std::filesystem::perms>(mode));
    return *this / name;
  }

 private:
  std::string path_;
};

inline std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A prefix with this build's `ahead` and the stand-in library.
class Installation {
 public:
  Installation() {
    namespace fs = std::filesystem;
    fs::create_directories(folder_ / "bin");
    fs::create_directories(folder_ / "lib/ahead");
    fs::copy_file(AHEAD, ahead());
    fs::copy_file(STAND_IN, library());
  }
  const std::string& prefix() const { return folder_.path(); }
  std::string ahead() const { return folder_ / "bin/ahead"; }
  std::string library() const { return folder_ / "lib/ahead/libahead.so"; }

 private:
  Folder folder_;
};

struct Ended {
  int wait_status = 0;
  std::string output;
  std::string errors;

  bool exited_with(int status) const { return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == status; }
};

inline std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// A started program, its stdout and stderr in pipes. Killed, if it still runs, at the end.
class Process {
 public:
  // `prepare` runs in the child before the program.
  template <typename Prepare>
  Process(const std::vector<std::string>& words, Prepare prepare) {
    int output[2], errors[2];
    if (pipe2(output, O_CLOEXEC) != 0 || pipe2(errors, O_CLOEXEC) != 0) return;
    std::vector<char*> arguments = Pointers(words);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(output[1], 1);
      dup2(errors[1], 2);
      prepare();
      execv(arguments[0], arguments.data());
      _exit(99);
    }
    close(output[1]);
    close(errors[1]);
    output_ = output[0];
    errors_ = errors[0];
  }
  explicit Process(const std::vector<std::string>& words) : Process(words, [] {}) {}
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    if (pid_ > 0 && !is_reaped_) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(output_);
    close(errors_);
  }

  pid_t pid() const { return pid_; }

  // Returns the next line of its stdout, or of its stderr, without the newline; empty at the end.
  std::string ReadLine() { return LineOf(output_); }
  std::string ReadErrorLine() { return LineOf(errors_); }

  // Waits for a change of state; see waitpid.
  int Wait(int options = 0) {
    int status = 0;
    EXPECT_EQ(waitpid(pid_, &status, options), pid_);
    is_reaped_ = WIFEXITED(status) || WIFSIGNALED(status);
    return status;
  }

  // Reads the rest of what it prints and waits for its end.
  Ended Finish() {
    Ended ended;
    pollfd pipes[] = {{output_, POLLIN, 0}, {errors_, POLLIN, 0}};
    std::string* texts[] = {&ended.output, &ended.errors};
    while (pipes[0].fd >= 0 || pipes[1].fd >= 0) {
      poll(pipes, 2, -1);
      for (int i = 0; i < 2; ++i) {
        if (pipes[i].fd < 0 || pipes[i].revents == 0) continue;
        char buffer[4096];
        const ssize_t count = read(pipes[i].fd, buffer, sizeof buffer);
        if (count > 0)
          texts[i]->append(buffer, static_cast<size_t>(count));
        else
          pipes[i].fd = -1;
      }
    }
    ended.wait_status = Wait();
    return ended;
  }

 private:
  static std::string LineOf(int fd) {
    std::string line;
    for (char c; read(fd, &c, 1) == 1 && c != '\n';) line += c;
    return line;
  }

  pid_t pid_ = -1;
  int output_ = -1;
  int errors_ = -1;
  bool is_reaped_ = false;
};

inline Ended RunProgram(const std::vector<std::string>& words) { return Process(words).Finish(); }

}  // namespace ahead::test
