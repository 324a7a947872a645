// Reads files the way a row of the sizing table says and tells when each read began and ended, so that the script can
// ask the same run any question: who waited, how fast was the third second, how far ahead of the reader was the disk.
// It judges nothing. `ahead-load --help` lists the shapes.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <barrier>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bench/sizing/picker.h"

namespace ahead {
namespace {

constexpr int64_t kPage = 4 << 10;
constexpr int64_t kSecond = 1'000'000'000;
constexpr size_t kLargestBlock = 1 << 20;

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "ahead-load: %s: %s\n", what.c_str(), std::strerror(errno));
  std::exit(1);
}

int64_t Now() { return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void SleepUntil(int64_t time) {
  std::this_thread::sleep_until(std::chrono::steady_clock::time_point(std::chrono::nanoseconds(time)));
}

// One read; `label` is the stream or the phase it belongs to.
struct Read {
  int64_t label;
  int64_t begin;
  int64_t end;
  int64_t offset;
  int64_t size;
};

// The reads of one thread and the file they go to.
class Reader {
 public:
  Reader(const std::string& path, int64_t block) : block_(block) {
    fd_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status = {};
    if (fd_ < 0 || fstat(fd_, &status) != 0) Fail(path);
    size_ = status.st_size;
  }

  // Reads on where the last ReadNext ended. Returns what came: 0 at the end.
  int64_t ReadNext(int64_t label) {
    const int64_t begin = Now();
    const ssize_t got = read(fd_, Buffer(), static_cast<size_t>(block_));
    if (got < 0) Fail("read");
    if (got > 0) reads_.push_back({label, begin, Now(), position_, got});
    position_ += got;
    return got;
  }

  void ReadAt(int64_t label, int64_t offset, int64_t size) {
    const int64_t begin = Now();
    const ssize_t got = pread(fd_, Buffer(), static_cast<size_t>(size), offset);
    if (got < 0) Fail("pread");
    reads_.push_back({label, begin, Now(), offset, got});
  }

  // Says FADV_RANDOM for all of the file, as a program that knows would.
  void AdviseRandom() {
    if (const int error = posix_fadvise(fd_, 0, 0, POSIX_FADV_RANDOM); error != 0) {
      errno = error;
      Fail("posix_fadvise");
    }
  }

  void Seek(int64_t offset) {
    if (lseek(fd_, offset, SEEK_SET) < 0) Fail("lseek");
    position_ = offset;
  }

  void Expect(size_t reads) { reads_.reserve(reads); }
  int64_t size() const { return size_; }
  int64_t block() const { return block_; }
  const std::vector<Read>& reads() const { return reads_; }

 private:
  // All threads read into one buffer, which nobody looks at: with hundreds of readers in a small cgroup theirs would be
  // what fills it.
  static char* Buffer() {
    alignas(kPage) static std::array<char, kLargestBlock> buffer;
    return buffer.data();
  }

  int fd_ = -1;
  int64_t size_ = 0;
  int64_t block_;
  int64_t position_ = 0;
  std::vector<Read> reads_;
};

struct Options {
  std::vector<std::string> files;
  std::string events;
  int64_t block = 64 << 10;
  double seconds = 0;
  int64_t rate = 0;
  int64_t paced = 0;
  int64_t rounds = 16;
  double round_ms = 0;
  int64_t jumps = 0;
  int64_t shortest = 512 << 10;
  int64_t longest = 4 << 20;
  std::vector<std::string> phases;
  std::string shape = "uniform";
  bool advises_random = false;
  int64_t turn = 0;
};

std::vector<Reader> OpenAll(const Options& options) {
  std::vector<Reader> readers;
  for (const std::string& file : options.files) readers.emplace_back(file, options.block);
  return readers;
}

int64_t StopTime(const Options& options) {
  return options.seconds > 0 ? Now() + static_cast<int64_t>(options.seconds * 1e9) : INT64_MAX;
}

// Reads `reader` from its start to its end or until time `stop`, at `rate` bytes a second or, with 0, as fast as it
// goes.
void ReadThrough(Reader& reader, int64_t label, int64_t rate, int64_t stop) {
  const int64_t start = Now();
  for (int64_t done = 0; Now() < stop;) {
    const int64_t got = reader.ReadNext(label);
    if (got == 0) break;
    done += got;
    // By the schedule and not by the last read: one that was late is made up for.
    if (rate > 0) SleepUntil(start + done * kSecond / rate);
  }
}

// A thread for each file; the first --paced of them at --rate.
std::vector<Reader> Streams(const Options& options) {
  std::vector<Reader> readers = OpenAll(options);
  const auto count = static_cast<int64_t>(readers.size());
  std::barrier start(count);
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      Reader& reader = readers[static_cast<size_t>(i)];
      reader.Expect(1024);
      start.arrive_and_wait();
      ReadThrough(reader, i, i < options.paced ? options.rate : 0, StopTime(options));
    });
  }
  for (std::thread& thread : threads) thread.join();
  return readers;
}

// One thread, a block of each file a round. With --round-ms paced, each round in another order: no stream is exactly on
// time.
std::vector<Reader> Turns(const Options& options) {
  std::vector<Reader> readers = OpenAll(options);
  std::vector<size_t> order(readers.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::mt19937_64 random(1);
  const double step_ns = options.round_ms * 1e6 / static_cast<double>(readers.size());
  double due = static_cast<double>(Now());
  const int64_t stop = StopTime(options);
  for (int64_t round = 0; round < options.rounds && Now() < stop; ++round) {
    if (options.round_ms > 0) {
      // By hand: std::shuffle is another one in each library.
      for (size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random() % k]);
    }
    for (const size_t i : order) {
      readers[i].ReadNext(static_cast<int64_t>(i));
      due += step_ns;
      if (options.round_ms > 0) SleepUntil(static_cast<int64_t>(due));
    }
  }
  return readers;
}

// One file, one descriptor, --seconds of each phase after the other. Each kind reads a third of the file, from where
// its last phase ended: forward in the first, random pages in the second, backward in the third, from its end.
std::vector<Reader> Phases(const Options& options) {
  std::vector<Reader> readers = OpenAll(options);
  Reader& reader = readers[0];
  const int64_t third = reader.size() / 3 / kPage * kPage;
  int64_t forward = 0;
  int64_t backward = 3 * third;
  std::mt19937_64 random(1);
  std::uniform_int_distribution<int64_t> pick(third / kPage, 2 * third / kPage - 1);
  for (size_t phase = 0; phase < options.phases.size(); ++phase) {
    const auto label = static_cast<int64_t>(phase);
    const std::string& name = options.phases[phase];
    const int64_t stop = StopTime(options);
    while (Now() < stop && forward < third && backward > 2 * third) {
      if (name == "sequential") {
        reader.ReadAt(label, forward, reader.block());
        forward += reader.block();
      } else if (name == "backward") {
        backward -= kPage;
        reader.ReadAt(label, backward, kPage);
      } else {
        reader.ReadAt(label, pick(random) * kPage, kPage);
      }
    }
  }
  return readers;
}

// Waits for its turn: a byte from stdin. Gives it back with one to stdout.
void TakeTurn() {
  char turn = 0;
  if (read(STDIN_FILENO, &turn, 1) != 1) Fail("stdin");
}
void GiveTurn() {
  if (write(STDOUT_FILENO, ".", 1) != 1) Fail("stdout");
}

// Pages of one file, --reads of them, by one descriptor. Label 0: at random; 1: of the sequential part of `mixed`.
std::vector<Reader> Pick(const Options& options) {
  std::vector<Reader> readers = OpenAll(options);
  Reader& reader = readers[0];
  reader.Expect(static_cast<size_t>(options.rounds));
  if (options.advises_random) reader.AdviseRandom();
  Picker picker(options.shape, reader.size() / kPage);
  for (int64_t i = 0; i < options.rounds; ++i) {
    if (options.turn > 0 && i % options.turn == 0) TakeTurn();
    const Picker::Pick next = picker.Next();
    reader.ReadAt(next.is_sequential ? 1 : 0, next.page * kPage, kPage);
    if (options.turn > 0 && (i + 1) % options.turn == 0) GiveTurn();
  }
  return readers;
}

// A player: --rate bytes a second for --seconds, or --jumps runs of --shortest to --longest bytes, each at another
// place.
std::vector<Reader> Play(const Options& options) {
  std::vector<Reader> readers = OpenAll(options);
  Reader& reader = readers[0];
  std::mt19937_64 random(1);
  const int64_t stop = StopTime(options);
  if (options.jumps == 0) {
    ReadThrough(reader, 0, options.rate, stop);
    return readers;
  }
  for (int64_t jump = 0; jump < options.jumps; ++jump) {
    const int64_t length = std::uniform_int_distribution<int64_t>(options.shortest, options.longest)(random);
    const int64_t blocks = (reader.size() - options.longest) / reader.block();
    reader.Seek(std::uniform_int_distribution<int64_t>(0, blocks)(random) * reader.block());
    const int64_t start = Now();
    for (int64_t done = 0; done < length && Now() < stop;) {
      done += reader.ReadNext(jump);
      SleepUntil(start + done * kSecond / options.rate);
    }
  }
  return readers;
}

// Writes a line a read to --events and a summary to stdout.
void Tell(const std::vector<Reader>& readers, const Options& options) {
  int64_t first = INT64_MAX;
  int64_t last = 0;
  int64_t bytes = 0;
  int64_t reads = 0;
  FILE* out = options.events.empty() ? nullptr : std::fopen(options.events.c_str(), "we");
  if (out == nullptr && !options.events.empty()) Fail(options.events);
  for (const Reader& reader : readers) {
    for (const Read& read : reader.reads()) {
      first = std::min(first, read.begin);
      last = std::max(last, read.end);
      bytes += read.size;
      ++reads;
      if (out != nullptr) {
        std::fprintf(out, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", read.label, read.begin,
                     read.end, read.offset, read.size);
      }
    }
  }
  if (out != nullptr && std::fclose(out) != 0) Fail(options.events);
  std::printf("{\"reads\":%" PRId64 ",\"bytes\":%" PRId64 ",\"begin_ns\":%" PRId64 ",\"elapsed_ns\":%" PRId64 "}\n",
              reads, bytes, reads > 0 ? first : 0, reads > 0 ? last - first : 0);
}

int Start(int argc, char** argv) {
  CLI::App app("Reads files in a shape and tells when each read began and ended.", "ahead-load");
  Options options;
  const CLI::AsSizeValue size(false);
  app.require_subcommand(1);
  app.fallthrough();
  app.add_option("--events", options.events, "write `label begin end offset size` of each read there, times in ns");
  app.add_option("--block", options.block, "bytes a read (64KiB)")
      ->transform(size)
      ->check(CLI::Range(int64_t{1}, static_cast<int64_t>(kLargestBlock)));
  app.add_option("--seconds", options.seconds, "end after so long; of each phase")->check(CLI::NonNegativeNumber);
  app.add_option("--rate", options.rate, "bytes a second of a paced reader")->transform(size);
  const auto add = [&](const char* name, const char* help) {
    CLI::App* shape = app.add_subcommand(name, help);
    shape->add_option("FILE", options.files, "what to read")->required();
    return shape;
  };
  CLI::App* streams = add("streams", "a thread for each FILE, from the start");
  streams->add_option("--paced", options.paced, "so many, the first, read at --rate");
  CLI::App* turns = add("turns", "one thread, a block of each FILE in turn");
  turns->add_option("--rounds", options.rounds, "blocks of each")->capture_default_str();
  turns->add_option("--round-ms", options.round_ms, "time of a round; its order is then random");
  CLI::App* phases = add("phases", "one FILE, one descriptor, one phase after the other");
  phases->add_option("--phase", options.phases, "what they are, in order")
      ->required()
      ->check(CLI::IsMember({"sequential", "random", "backward"}));
  CLI::App* pick = add("pick", "pages of one FILE, by one descriptor");
  pick->add_option("--shape", options.shape, "uniform, zipf, clustered (16 pages), mixed (a tenth sequential)")
      ->check(CLI::IsMember({"uniform", "zipf", "clustered", "mixed"}));
  pick->add_option("--reads", options.rounds, "how many");
  pick->add_flag("--advise-random", options.advises_random, "say FADV_RANDOM first");
  pick->add_option("--turn", options.turn, "wait for a byte from stdin before each so many, and write one after them");
  CLI::App* play = add("play", "one FILE at --rate");
  play->add_option("--jumps", options.jumps, "runs, each at another place (0: one, from the start)");
  play->add_option("--shortest", options.shortest, "run (512KiB)")->transform(size);
  play->add_option("--longest", options.longest, "run (4MiB)")->transform(size);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if ((*play || options.paced > 0) && options.rate <= 0) {
    std::fprintf(stderr, "ahead-load: a paced reader needs --rate\n");
    return 2;
  }
  if (*phases && options.seconds <= 0) {
    std::fprintf(stderr, "ahead-load: phases need --seconds\n");
    return 2;
  }
  Tell(*streams  ? Streams(options)
       : *turns  ? Turns(options)
       : *phases ? Phases(options)
       : *pick   ? Pick(options)
                 : Play(options),
       options);
  return 0;
}

}  // namespace
}  // namespace ahead

int main(int argc, char** argv) { return ahead::Start(argc, argv); }
