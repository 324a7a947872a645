// A trace that is given away says nothing of names, and still all that a simulation needs.
#include "stats/trace_anonymize.h"

#include <gmock/gmock.h>

#include "stats/trace_summary.h"
#include "tests/cli/contents.h"

namespace ahead {
namespace {

using test::ContentsBuilder;

std::vector<std::string> NamesOf(const std::vector<std::string>& paths) {
  ContentsBuilder built;
  for (const std::string& path : paths) built.File(path, 1);
  Anonymize(built.contents);
  std::vector<std::string> names;
  for (const TracedFile& file : built.contents.files) names.push_back(file.path);
  return names;
}

TEST(AnonymizeTest, DepthFoldersAndCommonEndingsStay) {
  EXPECT_THAT(
      NamesOf({"/home/me/secret.txt", "/home/me/other.rareending", "/home/you/secret.txt", "/home/me/secret.txt"}),
      testing::ElementsAre("/d1/d2/f1.txt", "/d1/d2/f2", "/d1/d3/f3.txt", "/d1/d2/f1.txt"));
  EXPECT_THAT(NamesOf({"", "name", "/"}), testing::ElementsAre("", "f1", "/"));
}

TEST(AnonymizeTest, NumbersKeepTheirOrderAndNothingElse) {
  ContentsBuilder built;
  const uint32_t a = built.File("/a", 10), b = built.File("/b", 10), c = built.File("/c", 10);
  built.contents.files[a].inode = 5000, built.contents.files[b].inode = 77, built.contents.files[c].inode = 5001;
  built.contents.files[a].device = built.contents.files[c].device = 65024;
  built.Event(TraceKind::kEntry, c).inode = 4000;
  Anonymize(built.contents);
  EXPECT_EQ(built.contents.files[a].inode, 3u);
  EXPECT_EQ(built.contents.files[b].inode, 1u);
  EXPECT_EQ(built.contents.files[c].inode, 4u);
  EXPECT_EQ(built.contents.events[0].inode, 2u);
  EXPECT_EQ(built.contents.files[b].device, 1u);
  EXPECT_EQ(built.contents.files[a].device, 2u);
}

TEST(AnonymizeTest, ProcessesAndTimesBeginAnew) {
  ContentsBuilder built;
  built.contents.realtime_start = 77_s;
  TracedProcess process;
  process.pid = 4242;
  process.parent_pid = 4000;
  process.time = built.now;
  built.contents.processes.push_back(process);
  const uint32_t file = built.File("/f", 100, 4242);
  built.contents.files[file].time = built.now;
  built.Read(file, 0, 10);
  built.Read(file, 10, 10).tid = 4243;
  Anonymize(built.contents);
  EXPECT_EQ(built.contents.processes[0].pid, 1);
  EXPECT_EQ(built.contents.processes[0].parent_pid, 0);
  EXPECT_EQ(built.contents.files[0].pid, 1);
  EXPECT_EQ(built.contents.reads[0].tid, 1);
  EXPECT_EQ(built.contents.reads[0].time, 0_ns);
  EXPECT_EQ(built.contents.reads[0].end, 10_ns);
  EXPECT_NE(built.contents.reads[1].tid, 1);
  EXPECT_EQ(built.contents.realtime_start, 0_ns);
}

TEST(AnonymizeTest, SummaryStaysTheSame) {
  ContentsBuilder built;
  const uint32_t first = built.File("/x/first.mp4", 1 << 20), second = built.File("/x/second", 1 << 20, 200);
  for (int64_t i = 0; i < 20; ++i) {
    built.Read(first, i * 4096, 4096);
    built.Read(second, (20 - i) * 8192, 100 + i % 3);
    built.now = built.now + Nanos{i};
  }
  const TraceSummary before = Summarize(built.contents);
  Anonymize(built.contents);
  const TraceSummary after = Summarize(built.contents);
  EXPECT_EQ(before.all.steps, after.all.steps);
  EXPECT_EQ(before.all.common_strides, after.all.common_strides);
  EXPECT_EQ(before.all.again_bytes, after.all.again_bytes);
  EXPECT_EQ(before.think.total, after.think.total);
  EXPECT_EQ(before.concurrency.busy, after.concurrency.busy);
  EXPECT_EQ(before.files.size(), after.files.size());
  EXPECT_EQ(before.processes, after.processes);
}

}  // namespace
}  // namespace ahead
