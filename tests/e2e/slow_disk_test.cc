// Programs under `ahead run` on the slow disk: do they read the same bytes, does the disk see what our counters say,
// and is nothing fetched that should not be? Counted figures only: what the disk served, never how long it took.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/disk/command.h"

namespace ahead {
namespace {

namespace fs = std::filesystem;
using disk::Outcome;
using disk::RunCommand;
using nlohmann::json;
using Words = std::vector<std::string>;

constexpr int64_t kPage = 4096;
constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kLarge = 32 * kMiB;

Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void WriteNoise(const fs::path& path, int64_t size, uint64_t seed) {
  std::string bytes(static_cast<size_t>(size), '\0');
  for (size_t i = 0; i < bytes.size(); i += 7) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    bytes[i] = static_cast<char>(seed >> 56);
  }
  std::ofstream(path, std::ios::binary) << bytes;
}

class SlowDiskTest : public testing::Test {
 protected:
  // Takes more options of the disk.
  explicit SlowDiskTest(Words disk = {}) : disk_(std::move(disk)) {}

  void SetUp() override {
    char name[] = "/tmp/ahead-e2e-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    fs::permissions(folder_, fs::perms::others_exec | fs::perms::others_read, fs::perm_options::add);
    fs::create_directories(folder_ / "source" / "tree");
    fs::create_directory(folder_ / "disk");
    WriteNoise(folder_ / "source" / "large", kLarge, 1);
    for (int i = 0; i < 30; ++i)
      WriteNoise(folder_ / "source" / "tree" / ("file" + std::to_string(i)), i * 9001, static_cast<uint64_t>(i));
    const Outcome mount = RunCommand(Words{AHEAD_DISK, (folder_ / "source").string(), (folder_ / "disk").string(),
                                           "--model", "net", "--latency", "500us", "--bandwidth", "1000MB/s",
                                           "--in-flight", "12", "--metadata-latency", "0"} +
                                     disk_);
    if (mount.status != 0) GTEST_SKIP() << "no FUSE here: " << mount.err;
    mounted_ = true;
  }

  void TearDown() override {
    if (mounted_) {
      EXPECT_EQ(RunCommand({"umount", (folder_ / "disk").string()}).status, 0) << "busy after the last program ended";
    }
    fs::remove_all(folder_);
  }

  std::string large() const { return (folder_ / "disk" / "large").string(); }
  std::string tree() const { return (folder_ / "disk" / "tree").string(); }
  std::string statistics() const { return (folder_ / "statistics").string(); }

  // Makes the file cold and the disk's counters zero. A file of FUSE is forgotten when it is opened again, for without
  // keep-cache each open drops its pages; the advice makes that sure.
  void MakeCold() {
    const int fd = open(large().c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_GE(fd, 0);
    ASSERT_EQ(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
    close(fd);
    ASSERT_EQ(RunCommand({AHEAD_DISK, "--reset", (folder_ / "disk").string()}).status, 0);
  }

  // What a cold run of `words` did: its output, the disk's report and our counters.
  struct Result {
    Outcome outcome;
    json disk;
    json counters;

    int64_t disk_pages() const { return disk["bytes"].get<int64_t>() / kPage; }
    int64_t pages(const std::string& event) const {
      int64_t sum = 0;
      for (const auto& [cls, count] : counters["pages"][event].items())
        if (cls != "total") sum += count.get<int64_t>();
      return sum;
    }
  };
  Result Bare(const Words& words) { return Run(words); }
  Result Ahead(const Words& words, const Words& options = {}) {
    fs::remove(statistics());
    Result result = Run(Words{AHEAD, "run", "--stats", statistics()} + options + Words{"--"} + words);
    const Outcome stats = RunCommand({AHEAD, "stats", statistics(), "--format", "json"});
    EXPECT_EQ(stats.status, 0) << stats.err;
    if (stats.status == 0) result.counters = json::parse(stats.out);
    return result;
  }
  Words Pattern(const std::string& pattern, const Words& rest = {}) {
    return Words{AHEAD_PATTERNS, pattern, large()} + rest;
  }

  fs::path folder_;

 private:
  Result Run(const Words& words) {
    MakeCold();
    Result result;
    result.outcome = RunCommand(words);
    const Outcome query = RunCommand({AHEAD_DISK, "--query", (folder_ / "disk").string()});
    EXPECT_EQ(query.status, 0) << query.err;
    if (query.status == 0) result.disk = json::parse(query.out);
    return result;
  }

  const Words disk_;
  bool mounted_ = false;
};

class BadDiskTest : public SlowDiskTest {
 protected:
  BadDiskTest() : SlowDiskTest({"--fail-at", "8MiB+4KiB"}) {}
};

// Fact 14: an error ahead is not asked for twice.
TEST_F(BadDiskTest, IsNotAskedMoreOftenForWhatItCannotRead) {
  // Reads past the error in blocks of 64 KiB, twice, and tries each block again that fails.
  const std::string reader =
      "import os,sys\n"
      "fd=os.open(sys.argv[1],os.O_RDONLY)\n"
      "failed=0\n"
      "for turn in range(2):\n"
      "  for at in range(0,16<<20,65536):\n"
      "    for attempt in range(3):\n"
      "      try: os.pread(fd,65536,at); break\n"
      "      except OSError: failed+=1\n"
      "print(failed)\n";
  const Words words = {"python3", "-c", reader, large()};
  const Result bare = Bare(words);
  if (bare.outcome.status != 0) GTEST_SKIP() << "no python3: " << bare.outcome.err;
  const Result ahead = Ahead(words);
  EXPECT_EQ(ahead.outcome.out, bare.outcome.out);
  EXPECT_EQ(bare.outcome.out, "6\n");
  EXPECT_LE(ahead.disk["failures"].get<int64_t>(), bare.disk["failures"].get<int64_t>());
  // 8 MiB lie before the error, and 8 behind, of which the first 1.5 were fetched for the stream that ended there.
  EXPECT_GT(ahead.pages("readahead_hit"), 10 * kMiB / kPage) << "it goes on behind";
}

std::string Checksum(const Outcome& outcome) { return json::parse(outcome.out)["checksum"].get<std::string>(); }

// Our counters and the disk's agree within 2 %: what we say we fetched, and what the kernel fetched because a read of
// the program's met nothing, is what the disk served.
TEST_F(SlowDiskTest, TheDiskServedWhatTheTablesSayWasFetched) {
  const struct {
    const char* name;
    Words options;
    double least_hit;  // share of the pages read that had been fetched ahead
  } kPatterns[] = {{"seq-pread", {}, 0.99},
                   {"seq-read", {}, 0.99},
                   {"backward", {"--count", "3000"}, 0.99},
                   {"stride", {"--count", "120"}, 0.95},
                   {"stride-back", {"--count", "120"}, 0.95},
                   {"interleave", {}, 0.95}};
  for (const auto& pattern : kPatterns) {
    SCOPED_TRACE(pattern.name);
    const Result bare = Bare(Pattern(pattern.name, pattern.options));
    const Result ahead = Ahead(Pattern(pattern.name, pattern.options));
    ASSERT_EQ(ahead.outcome.status, 0) << ahead.outcome.err;
    EXPECT_EQ(Checksum(ahead.outcome), Checksum(bare.outcome));
    const auto fetched = static_cast<double>(ahead.pages("readahead") + ahead.pages("cache_miss"));
    EXPECT_NEAR(fetched, static_cast<double>(ahead.disk_pages()), 0.02 * fetched);
    EXPECT_EQ(ahead.pages("readahead_unsure"), 0);
    EXPECT_EQ(ahead.disk["bytes_repeated"], 0);
    EXPECT_EQ(ahead.disk["opens"], bare.disk["opens"]) << "an open of ours would drop the file's pages";
    const int64_t read = json::parse(ahead.outcome.out)["bytes"].get<int64_t>() / kPage;
    EXPECT_GE(static_cast<double>(ahead.pages("readahead_hit")), pattern.least_hit * static_cast<double>(read));
    EXPECT_LE(ahead.pages("readahead_hit") + ahead.pages("readahead_waste"), ahead.pages("readahead"));
  }
}

TEST_F(SlowDiskTest, SequentialReadsFetchEachPageOnceAndNothingElse) {
  const Result ahead = Ahead(Pattern("seq-pread"));
  EXPECT_EQ(ahead.disk["bytes"], kLarge);
  EXPECT_EQ(ahead.pages("readahead"), kLarge / kPage);
  EXPECT_EQ(ahead.pages("readahead_hit"), kLarge / kPage);
  EXPECT_EQ(ahead.disk["requests"], kLarge / (128 << 10));
  EXPECT_GT(ahead.disk["max_in_flight"], 2) << "more than the kernel has by itself";
}

TEST_F(SlowDiskTest, RandomReadsFetchNothing) {
  const Words random = Pattern("random", {"--count", "1000"});
  const Result bare = Bare(random);
  const Result ahead = Ahead(random);
  EXPECT_EQ(Checksum(ahead.outcome), Checksum(bare.outcome));
  EXPECT_LE(ahead.disk["requests"].get<double>(), 1.01 * bare.disk["requests"].get<double>());
  EXPECT_LE(ahead.disk["bytes"].get<double>(), 1.01 * bare.disk["bytes"].get<double>());
}

TEST_F(SlowDiskTest, TheHeadOfAFileCostsAtMostThreeTimesWhatWasRead) {
  const Result ahead = Ahead(Pattern("head", {"--bytes", "1048576"}));
  EXPECT_LE(ahead.disk["bytes"], 3 * kMiB);
  EXPECT_EQ(ahead.pages("readahead_hit"), kMiB / kPage);
}

TEST_F(SlowDiskTest, RatioZeroFetchesNothing) {
  const Result bare = Bare(Pattern("seq-pread"));
  const Result ahead = Ahead(Pattern("seq-pread"), {"--ratio", "0"});
  EXPECT_EQ(ahead.disk["requests"], bare.disk["requests"]);
  EXPECT_EQ(ahead.pages("readahead"), 0);
}

TEST_F(SlowDiskTest, OffFetchesAndCountsNothing) {
  const Result ahead = Ahead(Pattern("seq-pread"), {"--off", "1"});
  EXPECT_EQ(ahead.disk["bytes"], kLarge);
  EXPECT_EQ(ahead.pages("readahead"), 0);
}

TEST_F(SlowDiskTest, RealProgramsReadTheSameBytes) {
  const Words programs[] = {{"sha256sum", large()},
                            {"md5sum", large()},
                            {"cat", large()},
                            {"dd", "if=" + large(), "bs=4k", "status=none"},
                            {"grep", "-c", "a", large()},
                            {"wc", large()},
                            {"tac", large()},
                            {"tail", "-c", "100000", large()},
                            {"head", "-c", "100000", large()},
                            {"sort", large()},
                            {"cmp", large(), (folder_ / "source" / "large").string()},
                            {"tar", "--sort=name", "-cf", "-", "-C", tree(), "."},
                            {"sh", "-c", "find " + tree() + " -type f | sort | xargs sha256sum"},
                            {"sh", "-c", "sha256sum < " + large()}};
  for (const Words& program : programs) {
    SCOPED_TRACE(testing::PrintToString(program));
    const Result bare = Bare(program);
    const Result ahead = Ahead(program);
    EXPECT_EQ(ahead.outcome.status, bare.outcome.status);
    EXPECT_TRUE(ahead.outcome.out == bare.outcome.out)
        << bare.outcome.out.size() << " and " << ahead.outcome.out.size();
    EXPECT_EQ(ahead.outcome.err, bare.outcome.err);
    EXPECT_EQ(ahead.disk["opens"], bare.disk["opens"]);
  }
}

TEST_F(SlowDiskTest, ProgramsThatReadThroughStdioAreSeen) {
  for (const char* program : {"md5sum", "sha256sum", "sort"}) {
    const Result ahead = Ahead({program, large()});
    EXPECT_GE(ahead.pages("readahead_hit"), kLarge / kPage * 99 / 100) << program;
  }
}

TEST_F(SlowDiskTest, CopiesAreTheSame) {
  const std::string copy = (folder_ / "copy").string();
  ASSERT_EQ(Ahead({"cp", large(), copy}).outcome.status, 0);
  EXPECT_EQ(RunCommand({"cmp", copy, (folder_ / "source" / "large").string()}).status, 0);
}

// As another user, on files that are not his, the page cache cannot be looked at: EPERM, and no RWF_NOWAIT on FUSE.
TEST_F(SlowDiskTest, WorksByTimingAloneForAUserWhoMayNotLook) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become uid 65534";
  MakeCold();
  const Words words{"env", "LD_PRELOAD=" + fs::path(AHEAD).parent_path().parent_path().string() + "/shim/libahead.so",
                    AHEAD_PATTERNS, "seq-pread", large()};
  const Outcome outcome = RunCommand(words, 65534);
  if (outcome.status == 126 || outcome.status == 127) GTEST_SKIP() << "uid 65534 cannot reach the build folder";
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json report = json::parse(RunCommand({AHEAD_DISK, "--query", (folder_ / "disk").string()}).out);
  EXPECT_EQ(report["bytes"], kLarge);
  EXPECT_EQ(report["bytes_repeated"], 0);
  EXPECT_GE(report["max_in_flight"], 8) << "it fetched ahead";
}

}  // namespace
}  // namespace ahead
