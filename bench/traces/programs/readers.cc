// Many readers in one process: threads that share a descriptor, and hundreds of slow streams. Reads what it is told to
// and prints a sum of what came; bench/traces records it.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace ahead {
namespace {

constexpr int64_t kThreads = 16;
constexpr int64_t kBlock = 64 << 10;
constexpr int64_t kStreams = 800;
constexpr int64_t kSlowBlock = 32 << 10;

[[noreturn]] void Fail(const std::string& what) {
  std::perror(what.c_str());
  std::exit(1);
}

int Open(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) Fail(path);
  return fd;
}

// Stands for what a thread does besides, and leaves the processors to the others.
constexpr std::chrono::microseconds kPause{2000};

uint64_t Sum(const std::vector<char>& bytes) {
  uint64_t sum = 0;
  for (size_t at = 0; at < bytes.size(); at += 64) sum = sum * 31 + static_cast<unsigned char>(bytes[at]);
  return sum;
}

// Reads `blocks` blocks of `fd`, number `first` and each `step` after it, and returns their sum.
uint64_t ReadBlocks(int fd, int64_t first, int64_t step, int64_t blocks) {
  std::vector<char> buffer(kBlock);
  uint64_t sum = 0;
  for (int64_t i = 0; i < blocks; ++i) {
    if (pread(fd, buffer.data(), buffer.size(), (first + i * step) * kBlock) < 0) Fail("pread");
    sum += Sum(buffer);
    std::this_thread::sleep_for(kPause);
  }
  return sum;
}

enum class Share { kParts, kInterleaved };

void ReadByThreads(const std::string& path, Share share) {
  const int fd = Open(path);
  struct stat status = {};
  if (fstat(fd, &status) != 0) Fail(path);
  const int64_t each = status.st_size / kBlock / kThreads;
  std::barrier start(kThreads);
  std::atomic<uint64_t> sum = 0;
  std::vector<std::thread> threads;
  for (int64_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([=, &start, &sum] {
      start.arrive_and_wait();
      if (share == Share::kParts)
        sum += ReadBlocks(fd, thread * each, 1, each);
      else
        sum += ReadBlocks(fd, thread, kThreads, each);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("%016" PRIx64 "\n", sum.load());
  close(fd);
}

// All files of `folder` are read at the same slow rate, in an order that changes from round to round: no stream is
// exactly on time.
void ReadSlowly(const std::string& folder, int64_t count, std::chrono::milliseconds round) {
  std::vector<int> streams;
  for (int64_t number = 0; number < kStreams; ++number) {
    char name[16];
    std::snprintf(name, sizeof(name), "/%03d", static_cast<int>(number));
    streams.push_back(Open(folder + name));
  }
  std::mt19937_64 random(1);
  std::vector<char> buffer(kSlowBlock);
  auto due = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < count; ++i) {
    // By hand: std::shuffle is another one in each library.
    for (size_t k = streams.size(); k > 1; --k) std::swap(streams[k - 1], streams[random() % k]);
    for (const int fd : streams) {
      if (read(fd, buffer.data(), buffer.size()) < 0) Fail("read");
      due += std::chrono::nanoseconds(round) / kStreams;
      std::this_thread::sleep_until(due);
    }
  }
  for (const int fd : streams) close(fd);
}

}  // namespace
}  // namespace ahead

int main(int argc, char** argv) {
  CLI::App app("Reads with many readers in one process.", "ahead-readers");
  std::string path;
  int64_t count = 24;
  int64_t round_ms = 200;
  app.require_subcommand(1);
  CLI::App* parts = app.add_subcommand("threads-parts", "16 threads, one descriptor, each its own part of FILE");
  CLI::App* interleaved = app.add_subcommand("threads-interleaved", "the same, each every sixteenth block of 64 KiB");
  CLI::App* slow = app.add_subcommand("slow-streams", "the 800 files 000 to 799 of FOLDER, 32 KiB of each a round");
  parts->add_option("FILE", path)->required();
  interleaved->add_option("FILE", path)->required();
  slow->add_option("FOLDER", path)->required();
  slow->add_option("--count", count, "rounds")->capture_default_str();
  slow->add_option("--round-ms", round_ms, "time of a round")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  if (*slow)
    ahead::ReadSlowly(path, count, std::chrono::milliseconds(round_ms));
  else
    ahead::ReadByThreads(path, *parts ? ahead::Share::kParts : ahead::Share::kInterleaved);
  return 0;
}
