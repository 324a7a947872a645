// A made-up machine: its proc and sys in a folder.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/cli/process.h"

namespace ahead::test {

class FakeMachine {
 public:
  FakeMachine() { Put("proc/meminfo", "MemTotal:       16777216 kB\nMemFree:  100 kB\nMemAvailable:    8388608 kB\n"); }

  const std::string& root() const { return root_; }
  void Put(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = std::filesystem::path(root_) / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void Remove(const std::string& path) const { std::filesystem::remove_all(std::filesystem::path(root_) / path); }

 private:
  const Folder folder_;
  const std::string root_ = folder_ / "root";
};

}  // namespace ahead::test
