// A mounted ahead-disk, for tests.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/disk/command.h"

namespace ahead::disk {

namespace fs = std::filesystem;
using nlohmann::json;

// Bytes that differ from page to page and file to file.
inline std::string Bytes(size_t size, unsigned seed) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) {
    seed = seed * 1103515245 + 12345;
    bytes[i] = static_cast<char>(seed >> 16);
  }
  return bytes;
}

inline std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void WriteFile(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// A source with files, folders and links, and an empty folder to mount a disk at.
class MountedDiskTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/ahead-disk-test-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    fs::permissions(folder_, fs::perms::others_exec | fs::perms::others_read, fs::perm_options::add);
    fs::create_directories(source() / "deep" / "deeper");
    fs::create_directory(disk());
    WriteFile(source() / "file", Bytes(1 << 20, 1));
    WriteFile(source() / "odd", Bytes(70'001, 2));
    WriteFile(source() / "empty", "");
    WriteFile(source() / "deep" / "deeper" / "small", "small\n");
    fs::create_symlink("deep/deeper/small", source() / "link");
    fs::create_directory_symlink("/", source() / "outside");
  }

  void TearDown() override {
    if (is_mounted_) RunCommand({AHEAD_DISK, "--unmount", disk()});
    fs::remove_all(folder_);
  }

  // Mounts a disk without waiting times unless `options` say otherwise, through the command `under` if there is one.
  // Skips the test where FUSE is not to be had.
  void Mount(const std::vector<std::string>& options = {}, std::vector<std::string> under = {}) {
    std::vector<std::string> words = std::move(under);
    words.insert(words.end(), {AHEAD_DISK, source(), disk(), "--report", report()});
    const auto model = std::find(options.begin(), options.end(), "--model");
    if (model == options.end()) words.insert(words.end(), {"--latency", "0"});
    words.insert(words.end(), options.begin(), options.end());
    const Outcome outcome = RunCommand(words);
    if (outcome.err.find("/dev/fuse") != std::string::npos) GTEST_SKIP() << outcome.err;
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    is_mounted_ = true;
  }

  json Query() { return json::parse(RunCommand({AHEAD_DISK, "--query", disk()}).out); }
  void Reset() { EXPECT_EQ(RunCommand({AHEAD_DISK, "--reset", disk()}).status, 0); }

  // Returns a descriptor of the disk's process, which lives on when its number is used again.
  int Process() { return static_cast<int>(syscall(SYS_pidfd_open, Query()["pid"].get<pid_t>(), 0)); }
  void WaitForEnd(int process) {
    pollfd ended{process, POLLIN, 0};
    while (poll(&ended, 1, -1) < 0) continue;
    close(process);
    is_mounted_ = false;
  }

  fs::path source() const { return folder_ / "source"; }
  fs::path disk() const { return folder_ / "disk"; }
  fs::path report() const { return folder_ / "report.json"; }

  fs::path folder_;
  bool is_mounted_ = false;
};

#define MOUNT_OR_SKIP(...) \
  Mount(__VA_ARGS__);      \
  if (!is_mounted_) return

}  // namespace ahead::disk
