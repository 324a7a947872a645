// What does the start of a program cost under the preload? Starts one command again and again, a block of starts an
// arm, arms in random order within a round, and prints the nanoseconds of each block as JSON. Arms differ in the
// environment alone: `bare` twice (the second is the A/A arm), `preload` with LD_PRELOAD, and, when this program is
// itself run under `ahead run`, `session` with that run's AHEAD_SESSION as well.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace ahead {
namespace {

struct Arm {
  std::string name;
  std::vector<std::string> settings;
};

// Returns our environment without LD_PRELOAD and AHEAD_*, and with the arm's settings.
std::vector<std::string> EnvironmentOf(const Arm& arm) {
  std::vector<std::string> environment = arm.settings;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, "LD_PRELOAD=", 11) != 0 && std::strncmp(*entry, "AHEAD_", 6) != 0) {
      environment.emplace_back(*entry);
    }
  }
  return environment;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Starts `command` `count` times, one after the other. Returns the nanoseconds it took, or -1 when one start failed.
int64_t TimeBlock(const std::vector<char*>& command, const std::vector<char*>& environment, int count) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  const auto begin = std::chrono::steady_clock::now();
  bool is_good = true;
  for (int i = 0; i < count && is_good; ++i) {
    pid_t child = 0;
    int status = 1;
    is_good = posix_spawn(&child, command[0], &actions, nullptr, command.data(), environment.data()) == 0 &&
              waitpid(child, &status, 0) == child && status == 0;
  }
  const auto end = std::chrono::steady_clock::now();
  posix_spawn_file_actions_destroy(&actions);
  return is_good ? std::chrono::nanoseconds(end - begin).count() : -1;
}

std::vector<Arm> Arms(const std::string& library) {
  std::vector<Arm> arms = {{"bare", {}}, {"bare-again", {}}};
  if (!library.empty()) arms.push_back({"preload", {"LD_PRELOAD=" + library}});
  const char* session = std::getenv("AHEAD_SESSION");
  if (!library.empty() && session != nullptr) {
    arms.push_back({"session", {"LD_PRELOAD=" + library, std::string("AHEAD_SESSION=") + session}});
  }
  return arms;
}

}  // namespace
}  // namespace ahead

int main(int argc, char** argv) {
  CLI::App app("Times the start of COMMAND with and without the preload, in blocks of starts.", "ahead-starts");
  std::string library;
  std::vector<std::string> command;
  int rounds = 40;
  int starts = 50;
  app.add_option("--library", library, "libahead.so; without it only bare arms are run");
  app.add_option("--rounds", rounds, "blocks of each arm")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--starts", starts, "starts a block")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("COMMAND", command, "path and arguments of what is started")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

  std::vector<ahead::Arm> arms = ahead::Arms(library);
  const std::vector<char*> arguments = ahead::Pointers(command);
  std::map<std::string, std::vector<int64_t>> blocks;
  std::mt19937 chance(1);
  for (int round = -1; round < rounds; ++round) {  // round -1 warms up
    std::shuffle(arms.begin(), arms.end(), chance);
    for (const ahead::Arm& arm : arms) {
      std::vector<std::string> environment = ahead::EnvironmentOf(arm);
      const int64_t block_ns = ahead::TimeBlock(arguments, ahead::Pointers(environment), starts);
      if (block_ns < 0) {
        std::fprintf(stderr, "ahead-starts: %s failed in arm %s\n", command[0].c_str(), arm.name.c_str());
        return 1;
      }
      if (round >= 0) blocks[arm.name].push_back(block_ns);
    }
  }
  std::printf("{\"starts_per_block\":%d,\"block_ns\":{", starts);
  const char* comma = "";
  for (const auto& [name, times] : blocks) {
    std::printf("%s\"%s\":[", comma, name.c_str());
    for (size_t i = 0; i < times.size(); ++i)
      std::printf("%s%lld", i == 0 ? "" : ",", static_cast<long long>(times[i]));
    std::printf("]");
    comma = ",";
  }
  std::printf("}}\n");
  return 0;
}
