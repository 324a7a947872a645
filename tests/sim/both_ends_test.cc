// Files that are begun at both ends: archives and tables from the end, films and programs from the head. How long does
// each take on a link of 2 ms, beside the kernel alone and perfect knowledge of what is open?
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "sim/lab.h"

namespace ahead::sim {
namespace {

constexpr int64_t kKiB = 1024;
constexpr int64_t kFiles = 40;

struct Part {
  int64_t begin;
  int64_t length;
};

// The first reads of a file of `size` bytes in its format.
using Opening = std::vector<Part> (*)(int64_t size);

// End of central directory, the directory, then the members in order.
std::vector<Part> Zip(int64_t size) {
  return {{size - 22, 22}, {size - 22 * kKiB, 22 * kKiB - 22}, {0, 30}, {30, 8 * kKiB}, {8 * kKiB + 30, 64 * kKiB}};
}

// Magic number, length of the footer, the footer, then two columns.
std::vector<Part> Parquet(int64_t size) {
  return {{0, 4}, {size - 8, 8}, {size - 30 * kKiB, 30 * kKiB - 8}, {4, 40 * kKiB}, {size / 2, 40 * kKiB}};
}

// Head, index at the end in blocks of 32 KiB, then the data behind the head.
std::vector<Part> Mp4(int64_t size) {
  return {{0, 32 * kKiB},
          {size - 50 * kKiB, 32 * kKiB},
          {size - 18 * kKiB, 18 * kKiB},
          {32 * kKiB, 32 * kKiB},
          {64 * kKiB, 32 * kKiB}};
}

// Header, section headers, names of sections, symbols, names of symbols.
std::vector<Part> Elf(int64_t size) {
  return {{0, 64},
          {size - 2560, 2560},
          {size - 3 * kKiB, 512},
          {size - 50 * kKiB, 24 * kKiB},
          {size - 26 * kKiB, 23 * kKiB}};
}

// Processes open files of 1 to 8 MiB in a folder one after the other, each so many of them. `is_so(file)`: whether it
// is read as the format says; others are read from their head, 64 KiB.
Workload Folder(Opening opening, const std::function<bool(int64_t)>& is_so, int64_t files_of_process = kFiles) {
  Workload work;
  work.threads = work.processes = static_cast<uint32_t>(kFiles / files_of_process);
  for (uint32_t process = 0; process < work.processes; ++process) work.process_of.push_back(process);
  Nanos now = 1_s;
  for (int64_t file = 0; file < kFiles; ++file) {
    const int64_t size = (1 + file % 8) * 1024 * kKiB + file * 1000;
    const auto number = static_cast<uint32_t>(file);
    work.files.push_back({"/disk/folder/" + std::to_string(file), 1, number + 2, {size}});
    const std::vector<Part> parts = is_so(file) ? opening(size) : std::vector<Part>{{0, 64 * kKiB}};
    const auto step = [&](StepKind kind, Part part) {
      WorkStep next;
      next.kind = kind;
      next.file = next.reader = number;
      next.thread = static_cast<uint32_t>(file / files_of_process);
      next.fresh = kind == StepKind::kOpen || (kind == StepKind::kRead && part.begin == parts[0].begin);
      next.range = {{part.begin}, {part.begin + part.length}};
      next.begin = next.end = now;
      now = now + 50_us;
      work.steps.push_back(next);
    };
    step(StepKind::kOpen, {});
    for (const Part& part : parts) step(StepKind::kRead, part);
    step(StepKind::kClose, {});
  }
  work.readers = static_cast<uint32_t>(kFiles);
  return work;
}

LabScore Perform(const Workload& work, LabPolicyKind kind) {
  LabPolicy policy;
  policy.kind = kind;
  return RunCell(work, *FindLabDevice("net-2ms"), policy);
}

struct Format {
  const char* name;
  Opening opening;
  double time;  // at most, beside perfect knowledge
};

std::ostream& operator<<(std::ostream& out, const Format& format) { return out << format.name; }

double Of(int64_t part, int64_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

class BothEndsTest : public testing::TestWithParam<Format> {};

TEST_P(BothEndsTest, FileTakesHardlyMoreThanOneLatency) {
  const Workload work = Folder(GetParam().opening, [](int64_t) { return true; });
  const LabScore kernel = Perform(work, LabPolicyKind::kKernelLike);
  const LabScore ahead = Perform(work, LabPolicyKind::kAdaptive);
  const LabScore oracle = Perform(work, LabPolicyKind::kOracleOpen);
  EXPECT_LE(Of(ahead.elapsed.value, oracle.elapsed.value), GetParam().time);
  EXPECT_LE(ahead.requests, oracle.requests + 4);
  EXPECT_LE(ahead.bytes.value, kernel.bytes.value + kernel.bytes.value / 3);
}

TEST_P(BothEndsTest, ProcessesOfARunLearnAsOneDoes) {
  const auto is_so = [](int64_t) { return true; };
  const LabScore one = Perform(Folder(GetParam().opening, is_so), LabPolicyKind::kAdaptive);
  const LabScore twenty = Perform(Folder(GetParam().opening, is_so, 2), LabPolicyKind::kAdaptive);
  EXPECT_LE(twenty.requests, one.requests + 2);
  EXPECT_LE(Of(twenty.elapsed.value, one.elapsed.value), 1.02);
}

TEST_P(BothEndsTest, WrongHabitCostsOneTail) {
  const Workload work = Folder(GetParam().opening, [](int64_t file) { return file < 8; });
  const LabScore kernel = Perform(work, LabPolicyKind::kKernelLike);
  const LabScore ahead = Perform(work, LabPolicyKind::kAdaptive);
  // Of the first files more may be fetched than they need, a first window for each of three.
  EXPECT_LE(ahead.bytes.value, kernel.bytes.value + (3 * 128 + 64) * kKiB);
}

TEST_P(BothEndsTest, MixedFolderCostsNothing) {
  for (const int64_t every : {2, 3, 5}) {
    const Workload work = Folder(GetParam().opening, [&](int64_t file) { return file * 7919 % 101 % every == 0; });
    const LabScore kernel = Perform(work, LabPolicyKind::kKernelLike);
    const LabScore ahead = Perform(work, LabPolicyKind::kAdaptive);
    EXPECT_LE(Of(ahead.bytes.value, kernel.bytes.value), 1.04) << "one of " << every;
    EXPECT_LE(ahead.elapsed.value, kernel.elapsed.value);
  }
}

// A table's columns lie anywhere: the first of them waits again.
INSTANTIATE_TEST_SUITE_P(Formats, BothEndsTest,
                         testing::Values(Format{"zip", Zip, 1.17}, Format{"parquet", Parquet, 2},
                                         Format{"mp4", Mp4, 1.17}, Format{"elf", Elf, 1.17}),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace ahead::sim
