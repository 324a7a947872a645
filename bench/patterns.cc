// Reads one file in one pattern and prints, as one JSON line, how long that took and a checksum of what came back, so
// that two arms of a benchmark can be compared. The clock runs around the reads only; opening is timed apart, because a
// disk may wait for metadata as well. Run `ahead-patterns --help` for the patterns, one a row of the table in README.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>

namespace ahead {
namespace {

constexpr int64_t kKiB = 1024;
constexpr int64_t kMiB = 1024 * kKiB;
constexpr int64_t kPage = 4 * kKiB;
constexpr int64_t kLargeBlock = 64 * kKiB;
constexpr int64_t kReaders = 8;
// The share of the file that `hot` reads from, as LevelDB's readhot.
constexpr int64_t kHotPercent = 1;
constexpr int64_t kSecond = 1'000'000'000;

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "ahead-patterns: %s: %s\n", what.c_str(), std::strerror(errno));
  std::exit(1);
}

int64_t Now() { return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Folds every word read, in order, into one value. Four independent lanes, so that 256 MiB cost about 30 ms and the
// checksum does not become what is measured.
class Checksum {
 public:
  void Add(const char* bytes, int64_t size) {
    int64_t at = 0;
    for (; at + 32 <= size; at += 32) {
      for (size_t lane = 0; lane < 4; ++lane) Mix(lane, bytes + at + 8 * lane, 8);
    }
    for (; at < size; at += 8) Mix(0, bytes + at, static_cast<size_t>(std::min<int64_t>(8, size - at)));
  }
  uint64_t value() const {
    uint64_t all = 0;
    for (uint64_t lane : lanes_) all = (all ^ lane) * kPrime;
    return all;
  }

 private:
  static constexpr uint64_t kPrime = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio, as in Knuth's multiplicative hash

  void Mix(size_t lane, const char* bytes, size_t size) {
    uint64_t word = 0;
    std::memcpy(&word, bytes, size);
    lanes_[lane] = (lanes_[lane] ^ word ^ (lanes_[lane] >> 32)) * kPrime;
  }

  std::array<uint64_t, 4> lanes_ = {1, 2, 3, 4};
};

// Counts reads and their times.
class Meter {
 public:
  void Start() { start_ = last_ = Now(); }

  // Counts one finished read of `size` bytes, of which `sampled` at `bytes` enter the checksum.
  void Count(const char* bytes, int64_t size, int64_t sampled) {
    const int64_t now = Now();
    longest_ = std::max(longest_, now - last_);
    ++reads_;
    bytes_ += size;
    if (split_ == 0 && now - start_ >= kSecond) {
      split_ = now;
      split_bytes_ = bytes_;
    }
    checksum_.Add(bytes, sampled);
    last_ = Now();
  }

  void Print(const std::string& mode, int64_t open_ns) const {
    std::printf("{\"mode\":\"%s\",\"reads\":%" PRId64 ",\"bytes\":%" PRId64 ",\"open_ns\":%" PRId64
                ",\"elapsed_ns\":%" PRId64 ",\"longest_read_ns\":%" PRId64,
                mode.c_str(), reads_, bytes_, open_ns, last_ - start_, longest_);
    PrintRate("bytes_per_s", bytes_, last_ - start_);
    PrintRate("first_second_bytes_per_s", split_ == 0 ? bytes_ : split_bytes_, (split_ == 0 ? last_ : split_) - start_);
    PrintRate("after_first_second_bytes_per_s", bytes_ - split_bytes_, split_ == 0 ? 0 : last_ - split_);
    std::printf(",\"checksum\":\"%016" PRIx64 "\"}\n", checksum_.value());
  }

 private:
  // Prints null where no time passed: the run ended before there was anything to measure.
  static void PrintRate(const char* name, int64_t bytes, int64_t ns) {
    if (ns <= 0) {
      std::printf(",\"%s\":null", name);
    } else {
      std::printf(",\"%s\":%.0f", name,
                  static_cast<double>(bytes) * static_cast<double>(kSecond) / static_cast<double>(ns));
    }
  }

  int64_t start_ = 0;
  int64_t last_ = 0;
  int64_t longest_ = 0;
  int64_t reads_ = 0;
  int64_t bytes_ = 0;
  int64_t split_ = 0;
  int64_t split_bytes_ = 0;
  Checksum checksum_;
};

// One run: the open file, its bounds as the options cut them, and the meter all patterns report to.
class Run {
 public:
  Run(int fd, int64_t size, int64_t bytes, int64_t count, int64_t step, uint64_t seed)
      : fd_(fd), size_(size), bytes_(bytes), count_(count), step_(step), random_(seed) {}

  void SeqPread() { Forward(0, Length(size_)); }

  void SeqRead() {
    for (int64_t left = Length(size_); left > 0;) {
      const int64_t got = ReadNext(std::min(left, kPage));
      if (got == 0) break;
      left -= got;
    }
  }

  void Backward() { BackwardFrom(size_ / 2 / kPage * kPage); }
  void BackwardEnd() { BackwardFrom(size_); }

  void Stride() {
    const int64_t reads = Reads(size_ / step_);
    for (int64_t i = 0; i < reads; ++i) ReadAt(i * step_, kPage);
  }

  void StrideBack() {
    const int64_t last = (size_ - kPage) / step_;
    const int64_t reads = Reads(last + 1);
    for (int64_t i = 0; i < reads; ++i) ReadAt((last - i) * step_, kPage);
  }

  // One column of a table in row groups: 32 rows of 64 KiB, then on to the next group, 4 MiB from the last.
  void StrideTwoLevel() {
    constexpr int64_t kRow = 64 * kKiB;
    constexpr int64_t kRows = 32;
    constexpr int64_t kGroup = 4 * kMiB;
    const int64_t reads = Reads(size_ / kGroup * kRows);
    for (int64_t i = 0; i < reads; ++i) ReadAt(i / kRows * kGroup + i % kRows * kRow, kPage);
  }

  // A stride whose reads lie up to a page before or after their place.
  void StrideJitter() {
    std::uniform_int_distribution<int64_t> off(-1, 1);
    const int64_t reads = Reads(size_ / step_ - 1);
    for (int64_t i = 1; i <= reads; ++i) ReadAt(i * step_ + off(random_) * kPage, kPage);
  }

  // 4, 8 and 16 KiB of each MiB, one read each.
  void Rows() {
    const int64_t rows = Reads(size_ / kMiB);
    for (int64_t row = 0; row < rows; ++row) {
      ReadAt(row * kMiB, kPage);
      ReadAt(row * kMiB + 100 * kKiB, 2 * kPage);
      ReadAt(row * kMiB + 500 * kKiB, 4 * kPage);
    }
  }

  // 1 MiB, 512 KiB and 1 MiB of each 8 MiB, as the chunks of three columns in groups of rows.
  void Runs() {
    const int64_t groups = Reads(size_ / (8 * kMiB));
    for (int64_t group = 0; group < groups; ++group) {
      Forward(group * 8 * kMiB, kMiB);
      Forward(group * 8 * kMiB + 2560 * kKiB, 512 * kKiB);
      Forward(group * 8 * kMiB + 4608 * kKiB, kMiB);
    }
  }

  void Interleave() {
    const int64_t share = size_ / kReaders / kLargeBlock * kLargeBlock;
    const int64_t length = std::min(share, Length(size_) / kReaders);
    for (int64_t at = 0; at < length; at += kLargeBlock) {
      for (int64_t reader = 0; reader < kReaders; ++reader) {
        ReadAt(reader * share + at, std::min(kLargeBlock, length - at));
      }
    }
  }

  void MmapSeq() {
    const int64_t length = Length(size_);
    void* mapping = mmap(nullptr, static_cast<size_t>(length), PROT_READ, MAP_SHARED, fd_, 0);
    if (mapping == MAP_FAILED) Fail("mmap");
    const char* bytes = static_cast<const char*>(mapping);
    // A word a page: reading more would measure the memory, not the disk.
    for (int64_t at = 0; at < length; at += kPage) {
      const int64_t page = std::min(kPage, length - at);
      std::array<char, 8> word = {};
      std::memcpy(word.data(), bytes + at, static_cast<size_t>(std::min<int64_t>(8, page)));
      meter_.Count(word.data(), page, 8);
    }
    munmap(mapping, static_cast<size_t>(length));
  }

  void Head() {
    const int64_t length = std::min(size_, bytes_ > 0 ? bytes_ : kMiB);
    for (int64_t at = 0; at < length; at += kLargeBlock) ReadNext(std::min(kLargeBlock, length - at));
    close(fd_);
  }

  void Random() { RandomWithin(size_ / kPage); }
  void Hot() { RandomWithin(std::max<int64_t>(1, size_ / kPage * kHotPercent / 100)); }

  void PhaseShift() {
    const int64_t half = size_ / 2 / kLargeBlock * kLargeBlock;
    Forward(0, half / 2);
    Random();
    BackwardFrom(half);
    Forward(half, size_ / 4);
    Stride();
  }

  Meter& meter() { return meter_; }

 private:
  int64_t Length(int64_t whole) const { return bytes_ > 0 ? std::min(bytes_, whole) : whole; }
  int64_t Reads(int64_t whole) const { return count_ > 0 ? std::min(count_, whole) : whole; }

  void Forward(int64_t begin, int64_t length) {
    for (int64_t at = 0; at < length; at += kLargeBlock) ReadAt(begin + at, std::min(kLargeBlock, length - at));
  }

  void BackwardFrom(int64_t end) {
    const int64_t reads = std::min(count_ > 0 ? count_ : 3000, end / kPage);
    for (int64_t i = 1; i <= reads; ++i) ReadAt(end - i * kPage, kPage);
  }

  void RandomWithin(int64_t pages) {
    std::uniform_int_distribution<int64_t> pick(0, pages - 1);
    const int64_t reads = count_ > 0 ? count_ : 2000;
    for (int64_t i = 0; i < reads; ++i) ReadAt(pick(random_) * kPage, kPage);
  }

  void ReadAt(int64_t offset, int64_t size) {
    const ssize_t got = pread(fd_, buffer_.data(), static_cast<size_t>(size), offset);
    if (got < 0) Fail("pread");
    meter_.Count(buffer_.data(), got, got);
  }

  int64_t ReadNext(int64_t size) {
    const ssize_t got = read(fd_, buffer_.data(), static_cast<size_t>(size));
    if (got < 0) Fail("read");
    if (got > 0) meter_.Count(buffer_.data(), got, got);
    return got;
  }

  int fd_;
  int64_t size_;
  int64_t bytes_;
  int64_t count_;
  int64_t step_;
  std::mt19937_64 random_;
  Meter meter_;
  alignas(4096) std::array<char, kLargeBlock> buffer_ = {};
};

struct Pattern {
  const char* name;
  void (Run::*run)();
  const char* help;
};

constexpr Pattern kPatterns[] = {
    {"seq-pread", &Run::SeqPread, "pread 64 KiB from the start"},
    {"seq-read", &Run::SeqRead, "read 4 KiB from the start"},
    {"backward", &Run::Backward, "pread 4 KiB from the middle towards the start, --count of them (3000)"},
    {"backward-end", &Run::BackwardEnd, "the same from the end of the file"},
    {"stride", &Run::Stride, "pread 4 KiB every --step, --count of them (to the end)"},
    {"stride-back", &Run::StrideBack, "the same from the end towards the start"},
    {"stride-2level", &Run::StrideTwoLevel, "pread 4 KiB of each of 32 rows of 64 KiB, then on to the next 4 MiB"},
    {"stride-jitter", &Run::StrideJitter, "stride, each read up to a page before or after its place"},
    {"rows", &Run::Rows, "pread 4, 8 and 16 KiB of each MiB, --count MiB of them (to the end)"},
    {"runs", &Run::Runs, "pread 64 KiB: 1 MiB, 512 KiB and 1 MiB of each 8 MiB, --count of these (to the end)"},
    {"interleave", &Run::Interleave, "8 readers in turn on one descriptor, pread 64 KiB, each its eighth"},
    {"mmap-seq", &Run::MmapSeq, "touch each page of a mapping from the start"},
    {"head", &Run::Head, "read --bytes (1 MiB) from the start in 64 KiB, then close"},
    {"random", &Run::Random, "pread 4 KiB at random, --count of them (2000)"},
    {"hot", &Run::Hot, "the same within the first 1 % of the file"},
    {"phase_shift", &Run::PhaseShift, "sequential, random, backward, sequential, stride, one after the other"},
};

std::string PatternHelp() {
  std::string all = "Reads FILE in one pattern and prints the time as a JSON line.\n\nPatterns:\n";
  for (const Pattern& pattern : kPatterns) {
    std::string name = pattern.name;
    name.resize(14, ' ');
    all += "  " + name + pattern.help + "\n";
  }
  return all;
}

}  // namespace
}  // namespace ahead

int main(int argc, char** argv) {
  using ahead::kPatterns;
  CLI::App app(ahead::PatternHelp(), "ahead-patterns");
  std::string mode;
  std::string file;
  int64_t count = 0;
  int64_t bytes = 0;
  int64_t step = 256 * ahead::kKiB;
  uint64_t seed = 1;
  app.add_option("PATTERN", mode, "one of the patterns above")->required();
  app.add_option("FILE", file, "the file to read")->required();
  app.add_option("--count", count, "number of reads, for patterns that count reads")->check(CLI::PositiveNumber);
  app.add_option("--bytes", bytes, "bytes to read, for patterns that count bytes; default: the whole file")
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--step", step, "from one read of stride and stride-back to the next (256KiB)")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(ahead::kPage, INT64_MAX));
  app.add_option("--seed", seed, "seed of the random patterns")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const auto* pattern = std::find_if(std::begin(kPatterns), std::end(kPatterns),
                                     [&mode](const ahead::Pattern& each) { return mode == each.name; });
  if (pattern == std::end(kPatterns)) {
    std::fprintf(stderr, "ahead-patterns: no pattern '%s'; --help lists them\n", mode.c_str());
    return 2;
  }

  const int64_t before_open = ahead::Now();
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) ahead::Fail(file);
  struct stat status = {};
  if (fstat(fd, &status) != 0) ahead::Fail(file);
  if (status.st_size < ahead::kPage) {
    std::fprintf(stderr, "ahead-patterns: %s: smaller than a page\n", file.c_str());
    return 1;
  }
  const int64_t open_ns = ahead::Now() - before_open;

  const auto run = std::make_unique<ahead::Run>(fd, status.st_size, bytes, count, step, seed);
  run->meter().Start();
  (run.get()->*pattern->run)();
  run->meter().Print(mode, open_ns);
  return 0;
}
