#include "sim/patterns.h"

#include <algorithm>
#include <random>

namespace ahead::sim {
namespace {

constexpr ByteCount kPage = 4_KiB;
constexpr ByteCount kBlock = 64_KiB;
constexpr ByteCount kStride = 256_KiB;
constexpr int64_t kReaders = 8;

// A file with one reader, to which reads are added.
Workload OneFile(ByteCount size) {
  Workload work;
  work.files.push_back({"pattern", 1, 1, size});
  work.readers = 1;
  work.threads = 1;
  return work;
}

void Add(Workload& work, int64_t offset, ByteCount length) {
  WorkStep read;
  read.range = {{offset}, ByteOffset{offset} + length};
  read.fresh = work.steps.empty();
  work.steps.push_back(read);
}

Workload Forward(ByteCount size, ByteCount length, ByteCount block) {
  Workload work = OneFile(size);
  for (int64_t at = 0; at < length.value; at += block.value) Add(work, at, block);
  return work;
}

Workload Sequential64K(ByteCount size) { return Forward(size, size, kBlock); }
Workload Sequential4K(ByteCount size) { return Forward(size, size, kPage); }
Workload Head(ByteCount size) { return Forward(size, std::min(size, 1_MiB), kBlock); }

Workload Backward(ByteCount size) {
  Workload work = OneFile(size);
  const int64_t middle = size.value / 2 / kPage.value;
  const int64_t reads = std::min<int64_t>(3000, middle);
  for (int64_t i = 1; i <= reads; ++i) Add(work, (middle - i) * kPage.value, kPage);
  return work;
}

Workload Stride(ByteCount size) {
  Workload work = OneFile(size);
  const int64_t reads = std::min<int64_t>(1000, size / kStride);
  for (int64_t i = 0; i < reads; ++i) Add(work, i * kStride.value, kPage);
  return work;
}

Workload StrideBack(ByteCount size) {
  Workload work = Stride(size);
  std::reverse(work.steps.begin(), work.steps.end());
  for (WorkStep& read : work.steps) read.fresh = &read == work.steps.data();
  return work;
}

Workload Interleave(ByteCount size) {
  Workload work = OneFile(size);
  const int64_t share = size.value / kReaders / kBlock.value * kBlock.value;
  for (int64_t at = 0; at < share; at += kBlock.value)
    for (int64_t reader = 0; reader < kReaders; ++reader) Add(work, reader * share + at, kBlock);
  return work;
}

Workload Random(ByteCount size) {
  Workload work = OneFile(size);
  std::mt19937_64 random(1);
  const auto pages = static_cast<uint64_t>(size / kPage);
  // Not a distribution of the library: the sequence must be the same everywhere.
  for (int i = 0; i < 2000; ++i) Add(work, static_cast<int64_t>(random() % pages) * kPage.value, kPage);
  return work;
}

}  // namespace

const std::vector<Pattern>& Patterns() {
  static const std::vector<Pattern> patterns = {
      {"seq-64k", "64 KiB from the start", Sequential64K},
      {"seq-4k", "4 KiB from the start", Sequential4K},
      {"backward", "3,000 x 4 KiB from the middle towards the start", Backward},
      {"stride", "1,000 x 4 KiB every 256 KiB", Stride},
      {"stride-back", "the same from the end towards the start", StrideBack},
      {"interleave", "8 readers in turn on one descriptor, 64 KiB, each its eighth", Interleave},
      {"head", "1 MiB in 64 KiB from the start", Head},
      {"random", "2,000 x 4 KiB at random", Random},
  };
  return patterns;
}

const Pattern* FindPattern(const std::string& name) {
  for (const Pattern& pattern : Patterns())
    if (pattern.name == name) return &pattern;
  return nullptr;
}

}  // namespace ahead::sim
