#include "tests/shim/host.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>

#include "stats/segment_map.h"

extern char** environ;

namespace ahead::shim_test {
namespace {

constexpr std::chrono::seconds kPatience{100};
constexpr long kTmpfs = 0x01021994;

std::vector<char*> Pointers(Words& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

Words EnvironmentWith(const Words& variables) {
  Words environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (text.rfind("LD_PRELOAD=", 0) != 0 && text.rfind("AHEAD_", 0) != 0) environment.push_back(text);
  }
  environment.insert(environment.end(), variables.begin(), variables.end());
  return environment;
}

struct Pipe {
  int ends[2];
  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0) std::abort();
  }
};

// Collects what comes through both pipes until their other ends are closed or patience ends.
void Collect(int out, int err, Outcome& outcome, pid_t child) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  pollfd ends[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
  std::string* texts[2] = {&outcome.out, &outcome.err};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    if (std::chrono::steady_clock::now() > deadline) kill(child, SIGKILL);
    poll(ends, 2, 1000);
    for (int i = 0; i < 2; ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      char part[4096];
      const ssize_t got = read(ends[i].fd, part, sizeof part);
      if (got > 0)
        texts[i]->append(part, static_cast<size_t>(got));
      else
        ends[i].fd = -1;
    }
  }
}

}  // namespace

Outcome RunBare(const Words& argv, const Words& variables) {
  Words words = argv;
  Words environment = EnvironmentWith(variables);
  const Pipe out;
  const Pipe err;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err.ends[1], 2);
  pid_t child = 0;
  Outcome outcome;
  const int error =
      posix_spawnp(&child, words[0].c_str(), &actions, nullptr, Pointers(words).data(), Pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  close(out.ends[1]);
  close(err.ends[1]);
  if (error != 0) {
    outcome.status = 127;
  } else {
    Collect(out.ends[0], err.ends[0], outcome, child);
    int status = 0;
    waitpid(child, &status, 0);
    outcome.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  close(out.ends[0]);
  close(err.ends[0]);
  return outcome;
}

Outcome RunPreloaded(const Words& argv, Words variables) {
  variables.push_back("LD_PRELOAD=" AHEAD_LIBRARY);
  return RunBare(argv, variables);
}

std::string Host(const std::string& name) { return std::string(AHEAD_HOSTS "/") + name; }

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "ahead-shim-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) std::abort();
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

bool TemporaryFolder::IsOnDisk() const {
  struct statfs now;
  return statfs(path_.c_str(), &now) == 0 && now.f_type != kTmpfs;
}

std::string TemporaryFolder::WriteText(const std::string& name, size_t bytes) const {
  std::mt19937 random(1);
  std::string text;
  while (text.size() < bytes) {
    const size_t length = random() % 50 == 0 ? 6000 : random() % 120;
    for (size_t i = 0; i < length; ++i) text.push_back(static_cast<char>('a' + random() % 26));
    text.push_back('\n');
  }
  text.resize(bytes);
  const std::string path = Path(name);
  std::ofstream(path, std::ios::binary) << text;
  // Dirty pages cannot be dropped from the cache.
  const int fd = open(path.c_str(), O_RDONLY);
  fsync(fd);
  close(fd);
  return path;
}

std::unique_ptr<Block> ReadStatistics(const std::string& path) {
  SegmentView segment = MapSegmentFile(path.c_str(), MapMode::kOpen);
  if (!segment) return nullptr;
  auto total = std::make_unique<Block>();
  AddCounts(segment->retired, *total);
  for (uint32_t i = 0; i < segment->block_count; ++i) AddCounts(segment.blocks()[i], *total);
  UnmapSegment(segment);
  return total;
}

uint64_t Pages(const Block& block, Event event) {
  uint64_t pages = 0;
  for (size_t cls = 0; cls < kClassCount; ++cls) pages += block.ledger.pages(event, static_cast<Class>(cls));
  return pages;
}

}  // namespace ahead::shim_test
