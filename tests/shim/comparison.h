// The question most tests of hosts ask: is what a program prints, and how it ends, the same under the preload?
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/shim/fuse_folder.h"
#include "tests/shim/host.h"

namespace ahead::shim_test {

// Stands in the arguments of a host for the file it shall read.
inline constexpr char kFile[] = "FILE";

class ComparisonTest : public testing::Test {
 protected:
  explicit ComparisonTest(size_t text_bytes = 3'000'000);

  // Compares a bare and a preloaded run on a file of a local disk and, with statistics kept, on one of a FUSE disk
  // where there is one. `argv`: kFile stands for the file. Returns what the last preloaded run printed.
  Outcome ExpectSame(const Words& argv);
  // Compares two runs whose arguments are as they are. `bare`, `preloaded`: variables of each.
  Outcome ExpectSameAs(const Words& argv, const Words& bare, const Words& preloaded);

  TemporaryFolder folder_;
  const std::string text_;
  FuseFolder disk_;
};

}  // namespace ahead::shim_test
