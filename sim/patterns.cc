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

Workload Interleave(ByteCount size) {
  Workload work = OneFile(size);
  const int64_t share = size.value / kReaders / kBlock.value * kBlock.value;
  for (int64_t at = 0; at < share; at += kBlock.value)
    for (int64_t reader = 0; reader < kReaders; ++reader) Add(work, reader * share + at, kBlock);
  return work;
}

// Reads of `count` every `step` bytes.
Workload Every(ByteCount size, ByteCount step, ByteCount count, int64_t most) {
  Workload work = OneFile(size);
  const int64_t reads = std::min<int64_t>(most, size / step);
  for (int64_t i = 0; i < reads; ++i) Add(work, i * step.value, count);
  return work;
}

Workload Stride2(ByteCount size) { return Every(size, kPage * 2, kPage, 4000); }
Workload Stride4(ByteCount size) { return Every(size, kPage * 4, kPage, 4000); }
Workload Stride8(ByteCount size) { return Every(size, kPage * 8, kPage, 4000); }
Workload StrideLarge(ByteCount size) { return Every(size, 1_MiB, kBlock, 1000); }

Workload Reversed(Workload work) {
  std::reverse(work.steps.begin(), work.steps.end());
  for (WorkStep& read : work.steps) read.fresh = &read == work.steps.data();
  return work;
}

Workload StrideBack(ByteCount size) { return Reversed(Stride(size)); }
Workload StrideLargeBack(ByteCount size) { return Reversed(StrideLarge(size)); }

// In each row of `row` bytes the runs of `columns`, each by reads of at most `count`.
Workload Rows(ByteCount size, ByteCount row, const std::vector<ByteRange>& columns, ByteCount count) {
  Workload work = OneFile(size);
  for (int64_t begin = 0; begin + row.value <= size.value; begin += row.value)
    for (const ByteRange& column : columns)
      for (int64_t at = column.begin.value; at < column.end.value; at += count.value)
        Add(work, begin + at, std::min(count, ByteCount{column.end.value - at}));
  return work;
}

ByteRange Column(ByteCount begin, ByteCount length) { return {{begin.value}, {begin.value + length.value}}; }

Workload Stride2Level(ByteCount size) {
  return Rows(size, 1_MiB, {Column(0_KiB, 4_KiB), Column(100_KiB, 8_KiB), Column(500_KiB, 16_KiB)}, kBlock);
}
Workload Stride2LevelBack(ByteCount size) { return Reversed(Stride2Level(size)); }

// 4 KiB of each of 32 rows of 64 KiB, then on to the next 4 MiB: a column of a table in groups of rows.
Workload Rows32(ByteCount size) {
  Workload work = OneFile(size);
  for (int64_t group = 0; group + (4 << 20) <= size.value && work.steps.size() < 3000; group += 4 << 20)
    for (int64_t row = 0; row < 32; ++row) Add(work, group + row * (64 << 10), kPage);
  return work;
}
Workload Rows32Back(ByteCount size) { return Reversed(Rows32(size)); }

Workload Columns(ByteCount size) {
  return Rows(size, 1_MiB, {Column(0_KiB, 16_KiB), Column(100_KiB, 32_KiB), Column(500_KiB, 16_KiB)}, kPage);
}

Workload Runs(ByteCount size) {
  return Rows(size, 8_MiB, {Column(0_MiB, 1_MiB), Column(2560_KiB, 512_KiB), Column(4608_KiB, 1_MiB)}, 128_KiB);
}

// 0, 1 or 2 pages, by chance; the same everywhere.
int64_t Jitter(std::mt19937_64& random) { return static_cast<int64_t>(random() % 3) * kPage.value; }

Workload StrideJitter(ByteCount size) {
  Workload work = OneFile(size);
  std::mt19937_64 random(1);
  for (int64_t i = 0; i + 1 < size / kStride && i < 1000; ++i) Add(work, i * kStride.value + Jitter(random), kPage);
  return work;
}

Workload StrideJitterLarge(ByteCount size) {
  Workload work = OneFile(size);
  std::mt19937_64 random(1);
  for (int64_t i = 0; i + 1 < size / 1_MiB; ++i) Add(work, i * (1 << 20) + Jitter(random), 96_KiB);
  return work;
}

// 64 KiB each, of which some begin a page before the last one ended, and some change places.
Workload SequentialJitter(ByteCount size) {
  Workload work = OneFile(size);
  std::mt19937_64 random(1);
  for (int64_t at = 0; at + 2 * kBlock.value <= size.value; at += 2 * kBlock.value) {
    const bool swapped = at > 0 && random() % 4 == 0;
    const int64_t overlap = at > 0 ? Jitter(random) / 2 / kPage.value * kPage.value : 0;
    Add(work, swapped ? at + kBlock.value : at - overlap, kBlock);
    Add(work, swapped ? at - overlap : at + kBlock.value, kBlock);
  }
  return work;
}

Workload BackwardJitter(ByteCount size) {
  Workload work = OneFile(size);
  std::mt19937_64 random(1);
  for (int64_t at = size.value / 2; at >= 2 * kBlock.value && work.steps.size() < 1000; at -= 2 * kBlock.value) {
    const bool swapped = random() % 4 == 0;
    const int64_t overlap = Jitter(random) / 2 / kPage.value * kPage.value;
    Add(work, at - (swapped ? 2 : 1) * kBlock.value + overlap, kBlock);
    Add(work, at - (swapped ? 1 : 2) * kBlock.value + overlap, kBlock);
  }
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

const std::vector<Pattern>& GapPatterns() {
  static const std::vector<Pattern> patterns = {
      {"stride-2", "4,000 x 4 KiB every 8 KiB", Stride2},
      {"stride-4", "4,000 x 4 KiB every 16 KiB", Stride4},
      {"stride-8", "4,000 x 4 KiB every 32 KiB", Stride8},
      {"stride-64k", "64 KiB of each MiB", StrideLarge},
      {"stride-64k-back", "the same from the end towards the start", StrideLargeBack},
      {"stride-2level", "4, 8 and 16 KiB of each MiB, one read each", Stride2Level},
      {"stride-2level-back", "the same from the end towards the start", Stride2LevelBack},
      {"rows-32", "4 KiB of each of 32 rows of 64 KiB, then on to the next 4 MiB", Rows32},
      {"rows-32-back", "the same from the end towards the start", Rows32Back},
      {"columns", "16, 32 and 16 KiB of each MiB, by reads of 4 KiB", Columns},
      {"runs", "1 MiB, 512 KiB and 1 MiB of each 8 MiB, by reads of 128 KiB", Runs},
      {"stride-jitter", "1,000 x 4 KiB every 256 KiB, and by chance a page or two later", StrideJitter},
      {"stride-96k-jitter", "96 KiB of each MiB, and by chance a page or two later", StrideJitterLarge},
      {"seq-jitter", "64 KiB from the start, some a page early, some before the one before", SequentialJitter},
      {"backward-jitter", "1,000 x 64 KiB from the middle towards the start, so too", BackwardJitter},
  };
  return patterns;
}

const Pattern* FindPattern(const std::string& name) {
  for (const std::vector<Pattern>* patterns : {&Patterns(), &GapPatterns()})
    for (const Pattern& pattern : *patterns)
      if (pattern.name == name) return &pattern;
  return nullptr;
}

}  // namespace ahead::sim
