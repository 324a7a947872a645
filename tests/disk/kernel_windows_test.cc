// Does the simulated kernel ask for what the real one asks for, when a cold file is read in the same way?
#include <gtest/gtest.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "sim/lab.h"
#include "tests/disk/access_list.h"
#include "tests/disk/command.h"
#include "tests/disk/played_list.h"

namespace ahead::disk {
namespace {

namespace fs = std::filesystem;

struct Window {
  const char* name;
  ByteCount window;
  ByteCount max_request;
};

std::string Spell(ByteRange pages) {
  return std::to_string(pages.begin.value / 4096) + "+" + std::to_string(pages.size() / 4_KiB) + " ";
}

std::string Simulated(const AccessList& list, const Window& window) {
  std::string requests;
  for (const sim::KernelRequest& request : sim::KernelRequests(list.work(), window.window, window.max_request))
    requests += Spell(request.range);
  return requests;
}

// Returns why this machine's kernel is not the one that the model is of, or "".
std::string OtherKernel() {
  utsname system{};
  uname(&system);
  int major = 0;
  int minor = 0;
  sscanf(system.release, "%d.%d", &major, &minor);
  if ((major == 6 && minor >= 16 && minor <= 18) || getenv("AHEAD_ANY_KERNEL") != nullptr) return "";
  return std::string("the model is of Linux 6.16 to 6.18, this is ") + system.release +
         "; AHEAD_ANY_KERNEL=1 compares all the same";
}

// All lists are played on one mount, each on a file of its own.
class KernelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/ahead-windows-test-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    fs::create_directory(source());
    fs::create_directory(disk());
    for (const AccessList& list : lists_) {
      std::ofstream(source() / list.name()).flush();
      fs::resize_file(source() / list.name(), static_cast<uintmax_t>(list.work().files[0].size.value));
    }
  }

  void TearDown() override {
    if (is_mounted_) RunCommand({AHEAD_DISK, "--unmount", disk()});
    fs::remove_all(folder_);
  }

  // Mounts a disk that never has so many requests that the kernel drops some, unless `options` say otherwise.
  void Mount(const Window& window, const std::vector<std::string>& options) {
    if (const std::string other = OtherKernel(); !other.empty()) GTEST_SKIP() << other;
    if (window.window > 128_KiB && geteuid() != 0) GTEST_SKIP() << "only root may set more than 128 KiB";
    std::vector<std::string> words = {AHEAD_DISK,
                                      source(),
                                      disk(),
                                      "--in-flight",
                                      "1024",
                                      "--bandwidth",
                                      "unlimited",
                                      "--readahead",
                                      std::to_string(window.window.value),
                                      "--max-request",
                                      std::to_string(window.max_request.value),
                                      "--log",
                                      folder_ / "log"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome outcome = RunCommand(words);
    if (outcome.err.find("/dev/fuse") != std::string::npos) GTEST_SKIP() << outcome.err;
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    is_mounted_ = true;
  }

  // Returns what each file was asked for, in order, by its name.
  std::map<std::string, std::vector<ByteRange>> Requests() {
    std::map<ino_t, std::string> names;
    for (const AccessList& list : lists_) {
      struct stat attributes {};
      EXPECT_EQ(stat((source() / list.name()).c_str(), &attributes), 0);
      names[attributes.st_ino] = list.name();
    }
    std::map<std::string, std::vector<ByteRange>> requests;
    std::ifstream log(folder_ / "log");
    int64_t time, offset, size;
    ino_t inode;
    while (log >> time >> offset >> size >> inode) requests[names[inode]].push_back({{offset}, {offset + size}});
    return requests;
  }

  // The same, spelt.
  std::map<std::string, std::string> Asked() {
    std::map<std::string, std::string> asked;
    for (const auto& [name, requests] : Requests())
      for (const ByteRange& request : requests) asked[name] += Spell(request);
    return asked;
  }

  fs::path source() const { return folder_ / "source"; }
  fs::path disk() const { return folder_ / "disk"; }

  const std::vector<AccessList> lists_ = AccessLists();
  fs::path folder_;
  bool is_mounted_ = false;
};

const auto name_of = [](const auto& each) { return each.param.name; };
constexpr Window kUsual[] = {
    {"64KiB", 64_KiB, 1_MiB}, {"128KiB", 128_KiB, 1_MiB}, {"128KiB_in_64KiB", 128_KiB, 64_KiB}, {"1MiB", 1_MiB, 1_MiB}};

class KernelWindowsTest : public KernelTest, public ::testing::WithParamInterface<Window> {};
INSTANTIATE_TEST_SUITE_P(Usual, KernelWindowsTest, ::testing::ValuesIn(kUsual), name_of);
INSTANTIATE_TEST_SUITE_P(Extreme, KernelWindowsTest,
                         ::testing::Values(Window{"none", 0_B, 1_MiB}, Window{"8MiB", 8_MiB, 1_MiB}), name_of);

TEST_P(KernelWindowsTest, SimulatedKernelAsksForWhatTheRealOneDoes) {
  Mount(GetParam(), {"--latency", "0"});
  if (!is_mounted_) return;
  for (const AccessList& list : lists_)
    ASSERT_TRUE(Play(list.work(), disk() / list.name(), disk(), Pace::kStepwise)) << list.name();
  std::map<std::string, std::string> asked = Asked();
  for (const AccessList& list : lists_) EXPECT_EQ(Simulated(list, GetParam()), asked[list.name()]) << list.name();
}

class FreeReadersTest : public KernelTest, public ::testing::WithParamInterface<Window> {};
INSTANTIATE_TEST_SUITE_P(Usual, FreeReadersTest, ::testing::ValuesIn(kUsual), name_of);

// What reads ask for does not depend on what has arrived; what faults map and what advice drops does.
TEST_P(FreeReadersTest, ReadersWhoDoNotWaitForTheDiskAskForTheSame) {
  Mount(GetParam(), {"--latency", "200us"});
  if (!is_mounted_) return;
  const auto depends = [](const sim::WorkStep& step) {
    return step.kind == sim::StepKind::kTouch || step.advice == HostAdvice::kDontNeed;
  };
  std::vector<const AccessList*> played;
  for (const AccessList& list : lists_) {
    if (std::none_of(list.work().steps.begin(), list.work().steps.end(), depends)) played.push_back(&list);
  }
  for (const AccessList* list : played)
    ASSERT_TRUE(Play(list->work(), disk() / list->name(), disk(), Pace::kFree)) << list->name();
  std::map<std::string, std::string> asked = Asked();
  for (const AccessList* list : played) EXPECT_EQ(Simulated(*list, GetParam()), asked[list->name()]) << list->name();
}

// Design, fact 2: once the kernel has read ahead by itself, it drops what it is asked for while three quarters of
// max_background are on their way. All calls are made while the first requests are: they take 300 ms.
TEST_F(KernelTest, CallsThatTheRealKernelDropsTheSimulatedOneDropsAsWell) {
  const Window window{"", 128_KiB, 1_MiB};
  Mount(window, {"--latency", "300ms", "--metadata-latency", "0", "--in-flight", "12"});
  if (!is_mounted_) return;
  for (const AccessList& list : lists_) {
    if (!list.name().starts_with("crowd-")) continue;
    ASSERT_TRUE(Play(list.work(), disk() / list.name(), disk(), Pace::kFree));
    sim::LabDevice device;
    device.parameters = sim::NetParameters{300_ms, 0};
    sim::Workload work = list.work();
    for (sim::WorkStep& step : work.steps) step.begin = step.end = {};
    const auto kernel = std::find_if(sim::LabPolicies().begin(), sim::LabPolicies().end(),
                                     [](const auto& policy) { return policy.kind == sim::LabPolicyKind::kKernelLike; });
    const sim::LabScore simulated = sim::RunCell(work, device, *kernel);
    const std::vector<ByteRange> requests = Requests()[list.name()];
    int64_t bytes = 0;
    for (const ByteRange& request : requests) bytes += request.size().value;
    EXPECT_EQ(simulated.requests, static_cast<int64_t>(requests.size())) << list.name();
    EXPECT_EQ(simulated.bytes.value, bytes) << list.name();
  }
}

}  // namespace
}  // namespace ahead::disk
