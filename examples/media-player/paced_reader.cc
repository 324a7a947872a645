// Reads a file as a media player does: a frame at its time, at a constant rate, and no faster. Prints how many frames
// came late, and by how much: what a viewer sees as stutter. A late frame shifts those after it, as a player's clock
// does.
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  CLI::App app("Reads FILE at a constant rate and says how often it had to wait.", "paced-reader");
  std::string file;
  int64_t rate = 20'000'000;
  int64_t frames_per_second = 25;
  app.add_option("FILE", file, "the file to read")->required();
  app.add_option("--rate", rate, "bytes per second")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--frames", frames_per_second, "frames per second")->capture_default_str()->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);

  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    std::fprintf(stderr, "paced-reader: %s: %s\n", file.c_str(), std::strerror(errno));
    return 1;
  }
  const std::chrono::nanoseconds frame_time(1'000'000'000 / frames_per_second);
  std::vector<char> frame(static_cast<size_t>(std::max<int64_t>(1, rate / frames_per_second)));
  int64_t frames = 0;
  int64_t late = 0;
  std::chrono::nanoseconds longest(0);
  std::chrono::nanoseconds stalled(0);
  auto due = Clock::now() + frame_time;
  for (;;) {
    const auto begin = Clock::now();
    size_t filled = 0;
    while (filled < frame.size()) {
      const ssize_t got = read(fd, frame.data() + filled, std::min<size_t>(frame.size() - filled, 64 << 10));
      if (got < 0) {
        std::fprintf(stderr, "paced-reader: %s: %s\n", file.c_str(), std::strerror(errno));
        return 1;
      }
      if (got == 0) break;
      filled += static_cast<size_t>(got);
    }
    if (filled == 0) break;
    ++frames;
    const auto end = Clock::now();
    longest = std::max<std::chrono::nanoseconds>(longest, end - begin);
    if (end > due) {
      ++late;
      stalled += end - due;
      due = end;
    }
    std::this_thread::sleep_until(due);
    due += frame_time;
  }
  const auto ms = [](std::chrono::nanoseconds time) { return std::chrono::duration<double, std::milli>(time).count(); };
  std::printf("%lld frames, %lld late, stalled %.0f ms in all, longest wait for a frame %.1f ms\n",
              static_cast<long long>(frames), static_cast<long long>(late), ms(stalled), ms(longest));
  return 0;
}
