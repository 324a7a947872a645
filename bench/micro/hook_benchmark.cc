// What does a hooked call cost when there is nothing to gain? Cached files and a pipe, each call beside its bare twin.
// Start it under the preload: LD_PRELOAD=libahead.so ahead-micro; without, both sides are libc and the ratio is 1.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "bench/micro/twin.h"

namespace ahead::bench {
namespace {

constexpr int64_t kCalls = 1000;
constexpr int64_t kFileBytes = 16 << 20;
constexpr int kRounds = 400;
constexpr size_t kLineBytes = 64;

[[noreturn]] void Fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

// A cached file of lines; gone with the object. Written around the preload, so that the engine first meets it as read.
class CachedFile {
 public:
  CachedFile() : path_((std::filesystem::temp_directory_path() / "ahead-micro.XXXXXX").string()) {
    const int fd = mkstemp(path_.data());
    if (fd < 0) Fail("mkstemp");
    std::string line(kLineBytes - 1, 'x');
    line += '\n';
    std::string block;
    while (block.size() < (1 << 20)) block += line;
    for (int64_t at = 0; at < kFileBytes; at += static_cast<int64_t>(block.size())) {
      if (Libc<decltype(write)>("write")(fd, block.data(), block.size()) < 0) Fail("write");
    }
    Libc<decltype(close)>("close")(fd);
  }
  CachedFile(const CachedFile&) = delete;
  CachedFile& operator=(const CachedFile&) = delete;
  ~CachedFile() { unlink(path_.c_str()); }

  const char* path() const { return path_.c_str(); }

 private:
  std::string path_;
};

using Open = int(const char*, int, ...);

// Compares preads at `offsets`. Both sides read the same pages in every block: what differs is not what the processor's
// caches hold.
void ComparePreads(benchmark::State& state, const std::vector<int64_t>& offsets) {
  const CachedFile file;
  const size_t bytes = static_cast<size_t>(state.range(0));
  std::vector<char> buffer(bytes);
  const auto side = [&](decltype(pread)* read_at, int fd) -> Side {
    return {[] {},
            [=, &offsets, &buffer] {
              for (int64_t offset : offsets) benchmark::DoNotOptimize(read_at(fd, buffer.data(), bytes, offset));
            }};
  };
  const int hooked = open(file.path(), O_RDONLY);
  const int bare = Libc<Open>("open")(file.path(), O_RDONLY);
  RunTwins(state, side(&pread, hooked), side(Libc<decltype(pread)>("pread"), bare), kCalls, state.range(0));
  close(hooked);
  Libc<decltype(close)>("close")(bare);
}

void BM_Hook_Pread(benchmark::State& state) {
  std::vector<int64_t> offsets(kCalls);
  for (size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<int64_t>(i) * state.range(0);
  ComparePreads(state, offsets);
}
BENCHMARK(BM_Hook_Pread)->Arg(4096)->UseManualTime()->Iterations(kRounds);

void BM_Hook_PreadRandom(benchmark::State& state) {
  std::mt19937 chance(1);
  std::uniform_int_distribution<int64_t> page(0, kFileBytes / 4096 - 1);
  std::vector<int64_t> offsets(kCalls);
  for (int64_t& offset : offsets) offset = page(chance) * 4096;
  ComparePreads(state, offsets);
}
BENCHMARK(BM_Hook_PreadRandom)->Arg(4096)->UseManualTime()->Iterations(kRounds);

void BM_Hook_Read(benchmark::State& state) {
  const CachedFile file;
  const size_t bytes = static_cast<size_t>(state.range(0));
  std::vector<char> buffer(bytes);
  const auto side = [&](decltype(read)* read_next, decltype(lseek)* seek, int fd) -> Side {
    return {[=] { seek(fd, 0, SEEK_SET); },
            [=, &buffer] {
              for (int64_t i = 0; i < kCalls; ++i) benchmark::DoNotOptimize(read_next(fd, buffer.data(), bytes));
            }};
  };
  const int hooked = open(file.path(), O_RDONLY);
  const int bare = Libc<Open>("open")(file.path(), O_RDONLY);
  RunTwins(state, side(&read, &lseek, hooked), side(Libc<decltype(read)>("read"), Libc<decltype(lseek)>("lseek"), bare),
           kCalls, state.range(0));
  close(hooked);
  Libc<decltype(close)>("close")(bare);
}
BENCHMARK(BM_Hook_Read)->Arg(4096)->UseManualTime()->Iterations(kRounds);

// Compares `call`, which reads `bytes` from a FILE, made through the preload and around it.
template <typename Function>
void CompareStdio(benchmark::State& state, Function* hooked_call, Function* bare_call, int64_t calls, int64_t bytes,
                  void (*use)(Function*, char*, size_t, FILE*)) {
  const CachedFile file;
  std::vector<char> buffer(static_cast<size_t>(bytes) + 64);
  const auto side = [&](Function* call, decltype(fseek)* seek, FILE* stream) -> Side {
    return {[=] { seek(stream, 0, SEEK_SET); },
            [=, &buffer] {
              for (int64_t i = 0; i < calls; ++i) use(call, buffer.data(), static_cast<size_t>(bytes), stream);
            }};
  };
  FILE* const hooked = fopen(file.path(), "r");
  FILE* const bare = Libc<decltype(fopen)>("fopen")(file.path(), "r");
  if (hooked == nullptr || bare == nullptr) Fail("fopen");
  RunTwins(state, side(hooked_call, &fseek, hooked), side(bare_call, Libc<decltype(fseek)>("fseek"), bare), calls,
           bytes);
  fclose(hooked);
  Libc<decltype(fclose)>("fclose")(bare);
}

void BM_Hook_FreadUnlocked(benchmark::State& state) {
  CompareStdio<decltype(fread_unlocked)>(state, &fread_unlocked, Libc<decltype(fread_unlocked)>("fread_unlocked"),
                                         kFileBytes / 2 / state.range(0), state.range(0),
                                         [](decltype(fread_unlocked)* call, char* buffer, size_t bytes, FILE* stream) {
                                           benchmark::DoNotOptimize(call(buffer, 1, bytes, stream));
                                         });
}
BENCHMARK(BM_Hook_FreadUnlocked)->Arg(32768)->UseManualTime()->Iterations(kRounds);

void BM_Hook_Fgets(benchmark::State& state) {
  CompareStdio<decltype(fgets)>(state, &fgets, Libc<decltype(fgets)>("fgets"), 4 * kCalls, state.range(0),
                                [](decltype(fgets)* call, char* buffer, size_t bytes, FILE* stream) {
                                  benchmark::DoNotOptimize(call(buffer, static_cast<int>(bytes) + 1, stream));
                                });
}
BENCHMARK(BM_Hook_Fgets)->Arg(kLineBytes)->UseManualTime()->Iterations(kRounds);

void BM_Hook_Getline(benchmark::State& state) {
  CompareStdio<decltype(getline)>(state, &getline, Libc<decltype(getline)>("getline"), 4 * kCalls, state.range(0),
                                  [](decltype(getline)* call, char* buffer, size_t bytes, FILE* stream) {
                                    size_t room = bytes + 64;  // never grown
                                    benchmark::DoNotOptimize(call(&buffer, &room, stream));
                                  });
}
BENCHMARK(BM_Hook_Getline)->Arg(kLineBytes)->UseManualTime()->Iterations(kRounds);

// Not hooked: what it costs is what the refills behind it cost.
void BM_Hook_Getc(benchmark::State& state) {
  CompareStdio<decltype(getc)>(state, &getc, Libc<decltype(getc)>("getc"), 100 * kCalls, state.range(0),
                               [](decltype(getc)* call, char*, size_t, FILE* stream) {
                                 benchmark::DoNotOptimize(call(stream));
                               });
}
BENCHMARK(BM_Hook_Getc)->Arg(1)->UseManualTime()->Iterations(kRounds);

void BM_Hook_PipeRead(benchmark::State& state) {
  std::array<int, 2> ends = {};
  if (pipe(ends.data()) != 0) Fail("pipe");
  const std::vector<char> content(kCalls, 'x');
  const auto side = [&](decltype(read)* read_next) -> Side {
    return {[&] {
              if (write(ends[1], content.data(), content.size()) != kCalls) Fail("write");
            },
            [=] {
              char byte = 0;
              for (int64_t i = 0; i < kCalls; ++i) benchmark::DoNotOptimize(read_next(ends[0], &byte, 1));
            }};
  };
  RunTwins(state, side(&read), side(Libc<decltype(read)>("read")), kCalls, state.range(0));
  for (int end : ends) close(end);
}
BENCHMARK(BM_Hook_PipeRead)->Arg(1)->UseManualTime()->Iterations(kRounds);

}  // namespace
}  // namespace ahead::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("preloaded", ahead::bench::IsHooked("pread") ? "yes" : "no");
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
