// Reads, forks, closes and reopens at random in threads and processes, and looks after each round whether all bytes
// were right and whether memory or descriptors have grown.
//
// Usage: soak-reader (--rounds N | --seconds N) [--threads N] [--processes N] FILE...
//
// Each 8-byte word of a file is its own number. A round is a fixed number of steps of each thread, after which all
// threads stand still with nothing open: only then are figures comparable. The processes read on meanwhile; one that
// ends is followed by another.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kStepsPerRound = 60;
constexpr int kStepsOfProcess = 40;
constexpr size_t kMostWords = 16384;  // of one read
// What memory may differ between fixed points without having grown: malloc keeps what it once took.
constexpr int64_t kSlackKib = 1024;

struct Arguments {
  int64_t rounds = 0;
  int64_t seconds = 0;
  int threads = 8;
  int processes = 32;
  std::vector<std::string> files;
};

std::atomic<bool> failed{false};

void Fail(const std::string& what) {
  if (!failed.exchange(true)) fprintf(stderr, "soak-reader: %s\n", what.c_str());
}

// One reader's state.
class Reader {
 public:
  Reader(const std::vector<std::string>& files, uint32_t seed) : files_(files), random_(seed), words_(kMostWords) {}

  // Opens a file, reads from it in one of the ways there are, and closes it.
  void Step(bool may_fork) {
    const std::string& path = files_[Below(files_.size())];
    const auto file_words = static_cast<int64_t>(std::filesystem::file_size(path) / sizeof(uint64_t));
    switch (Below(6)) {
      case 0:
        return Fread(path);
      case 1:
        return Map(path, file_words);
      default:
        break;
    }
    int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return Fail(path + ": cannot be opened");
    if (Below(4) == 0) {
      const int copy = dup(fd);
      close(fd);
      fd = copy;
    }
    if (may_fork && Below(8) == 0)
      Fork(fd, file_words);
    else
      ReadSomehow(fd, file_words);
    close(fd);
  }

 private:
  size_t Below(size_t most) { return random_() % most; }

  bool AreWords(ssize_t bytes, int64_t first) {
    if (bytes < 0 || bytes % 8 != 0) return false;
    for (size_t i = 0; i < static_cast<size_t>(bytes) / 8; ++i)
      if (words_[i] != static_cast<uint64_t>(first) + i) return false;
    return true;
  }

  // In sequence, backwards, in strides or here and there, by read or by pread.
  void ReadSomehow(int fd, int64_t file_words) {
    const auto count = static_cast<int64_t>(1 + Below(kMostWords));
    const int64_t steps[] = {count, count, -count, 40'000, 0};
    const int64_t step = steps[Below(5)];
    auto first = static_cast<int64_t>(Below(static_cast<size_t>(file_words)));
    if (step == count && Below(2) == 0) first = 0;
    const bool is_at_offset = Below(2) == 0;
    for (int i = 0; i < 24 && 0 <= first && first < file_words; ++i) {
      const size_t bytes = static_cast<size_t>(count) * sizeof(uint64_t);
      const off_t offset = first * static_cast<off_t>(sizeof(uint64_t));
      if (!is_at_offset) lseek(fd, offset, SEEK_SET);
      const ssize_t got = is_at_offset ? pread(fd, words_.data(), bytes, offset) : read(fd, words_.data(), bytes);
      if (!AreWords(got, first)) return Fail("a read gave the wrong bytes");
      first = step != 0 ? first + step : static_cast<int64_t>(Below(static_cast<size_t>(file_words)));
    }
  }

  void Fread(const std::string& path) {
    FILE* file = fopen(path.c_str(), "rbe");
    if (file == nullptr) return Fail(path + ": cannot be opened");
    int64_t first = 0;
    for (int i = 0; i < 40; ++i) {
      const size_t got = fread(words_.data(), sizeof(uint64_t), 1 + Below(2048), file);
      if (!AreWords(static_cast<ssize_t>(got * sizeof(uint64_t)), first)) Fail("fread gave the wrong bytes");
      first += static_cast<int64_t>(got);
    }
    fclose(file);
  }

  void Map(const std::string& path, int64_t file_words) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const size_t bytes = static_cast<size_t>(file_words) * sizeof(uint64_t);
    void* mapped = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (mapped == MAP_FAILED) return Fail(path + ": cannot be mapped");
    for (int i = 0; i < 64; ++i) {
      const size_t word = Below(static_cast<size_t>(file_words));
      if (static_cast<const volatile uint64_t*>(mapped)[word] != word) Fail("a mapping shows the wrong bytes");
    }
    munmap(mapped, bytes);
  }

  void Fork(int fd, int64_t file_words) {
    const pid_t child = fork();
    if (child == 0) {
      ReadSomehow(fd, file_words);
      _exit(failed ? 1 : 0);
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) Fail("a child of a thread failed");
  }

  const std::vector<std::string>& files_;
  std::mt19937 random_;
  std::vector<uint64_t> words_;
};

struct Figures {
  int64_t resident_kib = 0;
  int64_t data_kib = 0;
  int64_t descriptors = 0;
};

Figures Measure() {
  Figures figures;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) figures.resident_kib = atoll(line.c_str() + 6);
    if (line.rfind("VmData:", 0) == 0) figures.data_kib = atoll(line.c_str() + 7);
  }
  status.close();
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    figures.descriptors += !entry.path().empty();
  return figures;
}

// A process that reads for a while; `status` says whether all was right.
pid_t StartProcess(const Arguments& arguments, uint32_t seed) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  Reader reader(arguments.files, seed);
  for (int step = 0; step < kStepsOfProcess && !failed; ++step) reader.Step(true);
  _exit(failed ? 1 : 0);
}

class Soak {
 public:
  explicit Soak(const Arguments& arguments) : arguments_(arguments) {}

  int Run() {
    const auto begin = std::chrono::steady_clock::now();
    std::barrier<> stand_still(arguments_.threads + 1);
    std::atomic<bool> goes_on{true};
    std::vector<std::thread> threads;
    for (int i = 0; i < arguments_.threads; ++i)
      threads.emplace_back([&, i] {
        Reader reader(arguments_.files, static_cast<uint32_t>(i));
        while (goes_on) {
          for (int step = 0; step < kStepsPerRound && !failed; ++step) reader.Step(true);
          stand_still.arrive_and_wait();
          stand_still.arrive_and_wait();
        }
      });
    std::thread processes([&] { KeepProcesses(goes_on); });
    for (int64_t round = 1; goes_on; ++round) {
      stand_still.arrive_and_wait();
      Note(round);
      const auto elapsed = std::chrono::steady_clock::now() - begin;
      goes_on = !failed && (arguments_.seconds > 0 ? elapsed < std::chrono::seconds(arguments_.seconds)
                                                   : round < arguments_.rounds);
      stand_still.arrive_and_wait();
    }
    for (std::thread& thread : threads) thread.join();
    processes.join();
    Judge();
    return failed ? 1 : 0;
  }

 private:
  void KeepProcesses(const std::atomic<bool>& goes_on) {
    uint32_t seed = 1000;
    std::vector<pid_t> running;
    for (int i = 0; i < arguments_.processes; ++i) running.push_back(StartProcess(arguments_, seed++));
    for (size_t next = 0; !running.empty(); next = running.empty() ? 0 : next % running.size()) {
      // The others are waited for by whoever forked them.
      int status = 1;
      if (running[next] < 0 || waitpid(running[next], &status, 0) != running[next] || status != 0)
        Fail("a process failed");
      ++processes_;
      if (goes_on && !failed)
        running[next++] = StartProcess(arguments_, seed++);
      else
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(next));
    }
  }

  void Note(int64_t round) {
    const Figures now = Measure();
    figures_.push_back(now);
    if ((round & (round - 1)) != 0 && round % 20 != 0) return;
    printf("round %lld: VmRSS %lld KiB, VmData %lld KiB, %lld descriptors, %lld processes ended\n",
           static_cast<long long>(round), static_cast<long long>(now.resident_kib),
           static_cast<long long>(now.data_kib), static_cast<long long>(now.descriptors),
           static_cast<long long>(processes_.load()));
    fflush(stdout);
  }

  // The first quarter is for settling in: after it nothing may grow.
  void Judge() {
    const size_t settled = figures_.size() / 4 + 1;
    if (figures_.size() <= settled) return;
    Figures early;
    for (size_t i = 0; i < settled; ++i) {
      early.resident_kib = std::max(early.resident_kib, figures_[i].resident_kib);
      early.data_kib = std::max(early.data_kib, figures_[i].data_kib);
    }
    const Figures& last = figures_.back();
    if (last.resident_kib > early.resident_kib + kSlackKib) Fail("VmRSS has grown");
    if (last.data_kib > early.data_kib + kSlackKib) Fail("VmData has grown");
    for (const Figures& figures : figures_)
      if (figures.descriptors != figures_.front().descriptors) return Fail("the number of descriptors has changed");
  }

  const Arguments& arguments_;
  std::vector<Figures> figures_;
  std::atomic<int64_t> processes_{0};
};

Arguments Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (word == "--rounds")
      arguments.rounds = atoll(value), ++i;
    else if (word == "--seconds")
      arguments.seconds = atoll(value), ++i;
    else if (word == "--threads")
      arguments.threads = atoi(value), ++i;
    else if (word == "--processes")
      arguments.processes = atoi(value), ++i;
    else
      arguments.files.push_back(word);
  }
  return arguments;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = Parse(argc, argv);
  if (arguments.files.empty() || (arguments.rounds <= 0) == (arguments.seconds <= 0) || arguments.threads <= 0) {
    fprintf(stderr, "usage: soak-reader (--rounds N | --seconds N) [--threads N] [--processes N] FILE...\n");
    return 2;
  }
  return Soak(arguments).Run();
}
