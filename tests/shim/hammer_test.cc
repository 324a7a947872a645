// Many threads at once on one file, one description and one FILE, with opens, closes, dups and forks in between.
// Without the preload: the test calls what the hooks call, so that the thread sanitizer can look at all of it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "shim/descriptors.h"
#include "shim/reads.h"
#include "shim/real.h"
#include "shim/stdio.h"
#include "tests/shim/fuse_folder.h"

namespace ahead::shim_test {
namespace {

constexpr int kThreads = 8;
constexpr int kSteps = 400;                         // of a thread
constexpr uint64_t kFileWords = uint64_t{1} << 18;  // 2 MiB
constexpr size_t kMostWords = 8192;                 // of one read

// What the hooks do, on a path of our choice.
int Open(const std::string& path) {
  const int fd = real::open(path.c_str(), O_RDONLY | O_CLOEXEC, 0);
  NoteOpened(fd);
  return fd;
}
void Close(int fd) {
  NoteClosing(fd);
  real::close(fd);
}
int Duplicate(int fd) {
  const int copy = real::dup(fd);
  NoteDuplicated(fd, copy);
  return copy;
}
void Seek(int fd, off_t offset) {
  if (real::lseek(fd, offset, SEEK_SET) >= 0) NoteMoved(fd, offset);
}
ssize_t ReadWords(int fd, std::vector<uint64_t>& words, size_t count) {
  return Read<real::read>(fd, static_cast<void*>(words.data()), count * sizeof(uint64_t));
}
ssize_t ReadWordsAt(int fd, std::vector<uint64_t>& words, size_t count, uint64_t first) {
  return ReadAt<real::pread>(fd, static_cast<void*>(words.data()), count * sizeof(uint64_t),
                             static_cast<off_t>(first * sizeof(uint64_t)));
}
size_t FreadWords(FILE* file, std::vector<uint64_t>& words, size_t count) {
  return ReadItems<real::fread>(file, count * sizeof(uint64_t), Taking<size_t>{sizeof(uint64_t)},
                                static_cast<void*>(words.data()), sizeof(uint64_t), count, file);
}

// Says whether `bytes` bytes are the words from `first` on: each word of the file is its own number.
bool AreWords(const std::vector<uint64_t>& words, ssize_t bytes, uint64_t first) {
  if (bytes < 0 || bytes % 8 != 0) return false;
  for (size_t i = 0; i < static_cast<size_t>(bytes) / 8; ++i)
    if (words[i] != first + i) return false;
  return true;
}

// The file, on a disk of this machine and, where one can be mounted, on a slow one.
class HammerTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    const std::string local = folder_.Path("words");
    std::vector<uint64_t> words(kFileWords);
    for (uint64_t i = 0; i < kFileWords; ++i) words[i] = i;
    FILE* file = fopen(local.c_str(), "wb");
    ASSERT_EQ(fwrite(words.data(), sizeof(uint64_t), words.size(), file), words.size());
    ASSERT_EQ(fclose(file), 0);
    path_ = local;
    if (!GetParam()) return;
    disk_ = std::make_unique<FuseFolder>();
    if (!disk_->is_mounted()) GTEST_SKIP() << "no FUSE disk can be mounted";
    path_ = disk_->Copy(local, "words");
  }

  // Runs `body(random)` in all threads; each stops at its first wrong byte, by returning false.
  static void InThreads(const std::function<bool(std::mt19937&)>& body) {
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < kThreads; ++i)
      threads.emplace_back([&, i] {
        std::mt19937 random(i);
        if (!body(random)) ++wrong;
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0) << "threads that read something wrong";
  }

  TemporaryFolder folder_;
  std::unique_ptr<FuseFolder> disk_;
  std::string path_;
};

// Reads on for a while: in sequence, backwards, in strides or anywhere.
bool ReadSome(int fd, std::mt19937& random, std::vector<uint64_t>& words) {
  const size_t count = 1 + random() % kMostWords;
  const auto start = static_cast<int64_t>(random() % kFileWords);
  const int64_t steps[] = {static_cast<int64_t>(count), -static_cast<int64_t>(count), 9'000, -9'000, 0};
  const int64_t step = steps[random() % 5];
  for (int64_t first = start, n = 0; n < 12 && first >= 0 && first < static_cast<int64_t>(kFileWords);
       first += step, ++n)
    if (!AreWords(words, ReadWordsAt(fd, words, count, static_cast<uint64_t>(first)), static_cast<uint64_t>(first)))
      return false;
  return true;
}

// The same at the description's offset, which is this thread's alone.
bool ReadOn(int fd, std::mt19937& random, std::vector<uint64_t>& words) {
  uint64_t first = random() % kFileWords;
  Seek(fd, static_cast<off_t>(first * sizeof(uint64_t)));
  for (int n = 0; n < 12; ++n) {
    const ssize_t bytes = ReadWords(fd, words, 1 + random() % kMostWords);
    if (!AreWords(words, bytes, first)) return false;
    first += static_cast<uint64_t>(bytes) / sizeof(uint64_t);
  }
  return true;
}

// A child of fork reads through what it inherited and through a descriptor of its own.
bool ReadInChild(const std::string& path, int fd, std::mt19937& random) {
  const pid_t child = fork();
  if (child == 0) {
    std::vector<uint64_t> words(kMostWords);
    bool right = ReadSome(fd, random, words);
    const int own = Open(path);
    right = right && ReadOn(own, random, words);
    Close(own);
    _exit(right ? 0 : 1);
  }
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

TEST_P(HammerTest, OneFileReadThroughManyDescriptionsGivesEachItsBytes) {
  InThreads([&](std::mt19937& random) {
    std::vector<uint64_t> words(kMostWords);
    int fd = Open(path_);
    bool right = fd >= 0;
    for (int step = 0; right && step < kSteps; ++step) {
      switch (random() % 8) {
        case 0:
          Close(fd);
          fd = Open(path_);
          break;
        case 1: {
          const int copy = Duplicate(fd);
          right = ReadSome(copy, random, words);
          Close(fd);
          fd = copy;
          break;
        }
        case 2:
        case 3:
          right = ReadOn(fd, random, words);
          break;
        case 4:
          right = step % 16 != 0 || ReadInChild(path_, fd, random);
          break;
        default:
          right = ReadSome(fd, random, words);
      }
    }
    Close(fd);
    return right;
  });
}

TEST_P(HammerTest, OneDescriptionIsSharedOutWithoutLossOrRepetition) {
  const int fd = Open(path_);
  for (int pass = 0; pass < 3; ++pass) {
    Seek(fd, 0);
    std::atomic<uint64_t> words_read{0};
    std::atomic<uint64_t> sum{0};
    InThreads([&](std::mt19937& random) {
      std::vector<uint64_t> words(kMostWords);
      const int mine = random() % 2 == 0 ? fd : Duplicate(fd);
      for (bool more = true; more;) {
        const ssize_t bytes = ReadWords(mine, words, 1 + random() % 512);
        if (bytes < 0 || (bytes > 0 && !AreWords(words, bytes, words[0]))) return false;
        more = bytes > 0;
        const auto count = static_cast<size_t>(bytes) / sizeof(uint64_t);
        words_read += count;
        for (size_t i = 0; i < count; ++i) sum += words[i];
        // Reads elsewhere through the same description must not disturb the offset.
        if (random() % 16 == 0 && !ReadSome(mine, random, words)) return false;
      }
      if (mine != fd) Close(mine);
      return true;
    });
    EXPECT_EQ(words_read, kFileWords);
    EXPECT_EQ(sum, kFileWords * (kFileWords - 1) / 2);
  }
  Close(fd);
}

TEST_P(HammerTest, OneFileStructureIsSharedOutWithoutLossOrRepetition) {
  FILE* file = fopen(path_.c_str(), "rb");
  ASSERT_NE(file, nullptr);
  NoteOpened(OwnDescriptorOf(file));
  std::atomic<uint64_t> words_read{0};
  std::atomic<uint64_t> sum{0};
  InThreads([&](std::mt19937& random) {
    std::vector<uint64_t> words(kMostWords);
    for (size_t count = 1; count > 0;) {
      count = FreadWords(file, words, 1 + random() % 1024);
      words_read += count;
      for (size_t i = 0; i < count; ++i) sum += words[i];
    }
    return true;
  });
  EXPECT_EQ(words_read, kFileWords);
  EXPECT_EQ(sum, kFileWords * (kFileWords - 1) / 2);
  NoteClosing(OwnDescriptorOf(file));
  fclose(file);
}

TEST_P(HammerTest, NumbersThatAreClosedAndOpenedByOthersGiveTheBytesOfTheirFile) {
  // Each thread replaces what it finds; a number is used and closed by whoever took it out.
  std::vector<std::atomic<int>> shared(4);
  for (std::atomic<int>& fd : shared) fd = Open(path_);
  InThreads([&](std::mt19937& random) {
    std::vector<uint64_t> words(kMostWords);
    for (int step = 0; step < kSteps; ++step) {
      std::atomic<int>& place = shared[random() % shared.size()];
      const int fd = place.exchange(-1);
      if (fd < 0) continue;
      if (!ReadSome(fd, random, words)) return false;
      const int next = random() % 2 == 0 ? Duplicate(fd) : Open(path_);
      Close(fd);
      place = next;
    }
    return true;
  });
  for (std::atomic<int>& fd : shared) Close(fd);
}

TEST_P(HammerTest, MoreFilesThanKeepTheirPlaceGiveTheirBytes) {
  constexpr size_t kFiles = 40;
  std::vector<std::string> paths;
  for (size_t i = 0; i < kFiles; ++i) {
    const std::string name = "words" + std::to_string(i);
    paths.push_back(folder_.Path(name));
    std::filesystem::copy_file(folder_.Path("words"), paths.back());
    if (GetParam()) paths.back() = disk_->Copy(paths.back(), name);
  }
  InThreads([&](std::mt19937& random) {
    std::vector<uint64_t> words(kMostWords);
    for (int step = 0; step < kSteps / 2; ++step) {
      const int fd = Open(paths[random() % kFiles]);
      const bool right = ReadSome(fd, random, words) && ReadOn(fd, random, words);
      Close(fd);
      if (!right) return false;
    }
    return true;
  });
}

INSTANTIATE_TEST_SUITE_P(LocalAndSlow, HammerTest, testing::Bool(),
                         [](const auto& where) { return where.param ? "SlowDisk" : "LocalDisk"; });

}  // namespace
}  // namespace ahead::shim_test
