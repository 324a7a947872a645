// Traces made of strace's output: forms of lines, and what the calls do to descriptors.
#include <fcntl.h>
#include <gmock/gmock.h>

#include "stats/strace_line.h"
#include "stats/trace_import.h"
#include "tests/cli/process.h"

namespace ahead {
namespace {

using testing::ElementsAre;
using testing::Optional;

TEST(StraceLineTest, ThreadAndTimeStandInFrontInEveryForm) {
  const StraceLine file = ParseStraceLine("2668  1796099699.970767 close(3)        = 0 <0.000010>");
  EXPECT_EQ(file.kind, StraceLine::Kind::kCall);
  EXPECT_EQ(file.tid, 2668);
  EXPECT_THAT(file.time, Optional(Nanos{1796099699'970767000}));
  EXPECT_EQ(file.name, "close");

  const StraceLine terminal = ParseStraceLine("[pid    12] 23:59:59.5 close(3) = 0");
  EXPECT_EQ(terminal.tid, 12);
  EXPECT_TRUE(terminal.is_time_of_day);
  EXPECT_THAT(terminal.time, Optional(Nanos{(int64_t{86399} * 1000 + 500) * 1'000'000}));

  const StraceLine bare = ParseStraceLine("close(3) = 0");
  EXPECT_EQ(bare.kind, StraceLine::Kind::kCall);
  EXPECT_EQ(bare.tid, 0);
  EXPECT_FALSE(bare.time);
}

TEST(StraceLineTest, WhatIsNoCallIsToldApart) {
  using Kind = StraceLine::Kind;
  EXPECT_EQ(ParseStraceLine("7 --- SIGCHLD {si_signo=SIGCHLD} ---").kind, Kind::kOther);
  EXPECT_EQ(ParseStraceLine("7 +++ exited with 0 +++").kind, Kind::kExit);
  EXPECT_EQ(ParseStraceLine("strace: Process 7 attached").kind, Kind::kOther);
  EXPECT_EQ(ParseStraceLine("7 vfork( <unfinished ...>").kind, Kind::kUnfinished);
  EXPECT_EQ(ParseStraceLine("7 <... vfork resumed>) = 8").kind, Kind::kResumed);
  EXPECT_EQ(ParseStraceLine("what a program printed").kind, Kind::kMisread);
}

TEST(StraceCallTest, ArgumentsAreToldApartInQuotesBracketsAndPaths) {
  const auto call =
      ParseStraceCall(R"(3</a, (b>, "x\"),"..., [{iov_base="", iov_len=1}], 4 /* 2 vars */) = 17 <0.000031>)");
  ASSERT_TRUE(call);
  EXPECT_THAT(call->arguments,
              ElementsAre("3</a, (b>", R"("x\"),"...)", R"([{iov_base="", iov_len=1}])", "4 /* 2 vars */"));
  EXPECT_THAT(call->result, Optional(17));
  EXPECT_THAT(call->duration, Optional(31_us));
}

TEST(StraceCallTest, ResultMayBeAnErrorADescriptorOrNothing) {
  const auto failed = ParseStraceCall(R"("x") = -1 ENOENT (No such file or directory) <0.5>)");
  ASSERT_TRUE(failed);
  EXPECT_THAT(failed->result, Optional(-1));
  EXPECT_EQ(failed->error, "ENOENT");
  EXPECT_THAT(failed->duration, Optional(500_ms));
  EXPECT_EQ(ParseStraceCall(R"("x") = 3</a\40b>)")->result_path, R"(/a\40b)");
  EXPECT_EQ(ParseStraceCall("0) = ?")->result, std::nullopt);
  EXPECT_EQ(ParseStraceCall("0) = 0x7f0000000000")->result, 0x7f0000000000);
  EXPECT_EQ(ParseStraceCall("0) = 0xffff800000000000")->result, static_cast<int64_t>(0xffff800000000000));
  EXPECT_FALSE(ParseStraceCall("3, \"no end"));
  EXPECT_FALSE(ParseStraceCall("3) -> 4"));
}

TEST(StraceCallTest, EscapesFieldsAndDevicesAreRead) {
  EXPECT_THAT(ParseStraceString(R"("a\tb\"\\\303\244\x41")"), Optional(std::string("a\tb\"\\\303\244A")));
  EXPECT_FALSE(ParseStraceString("\"cut\"..."));
  constexpr std::string_view kStat = "{st_dev=makedev(0xfe, 0x1), st_ino=77, st_mode=S_IFREG|0644, st_size=12}";
  EXPECT_EQ(StraceField(kStat, "st_size"), "12");
  EXPECT_EQ(StraceField(kStat, "st_dev"), "makedev(0xfe, 0x1)");
  EXPECT_EQ(StraceField(kStat, "size"), "");
  EXPECT_THAT(ParseStraceDevice(StraceField(kStat, "st_dev")), Optional(0xfe01u));
}

// The reads of an import as "PATH OFFSET+RETURNED", and its events as "PATH NAME".
std::vector<std::string> ReadsOf(const TraceImport& import) {
  std::vector<std::string> reads;
  for (const TracedRead& read : import.contents.reads)
    reads.push_back(import.contents.files[read.file].path + " " + std::to_string(read.range.begin.value) + "+" +
                    std::to_string(read.returned.value));
  return reads;
}

std::vector<std::string> ReadsOf(const std::string& text) { return ReadsOf(ImportStrace(text)); }

TEST(StraceImportTest, PositionIsFollowedThroughReadsSeeksAndDuplicates) {
  EXPECT_THAT(ReadsOf("open(\"/f\", O_RDONLY) = 3\n"
                      "read(3, \"\"..., 100) = 100\n"
                      "lseek(3, 1000, SEEK_SET) = 1000\n"
                      "dup2(3, 9) = 9\n"
                      "close(3) = 0\n"
                      "readv(9, [{iov_base=\"\"..., iov_len=5}, {iov_base=\"\", iov_len=6}], 2) = 11\n"
                      "fcntl(9, F_DUPFD_CLOEXEC, 20) = 20\n"
                      "read(20, \"\"..., 10) = 10\n"
                      "pread64(9, \"\"..., 7, 5000) = 7\n"
                      "preadv2(9, [], 1, -1, 0) = 3\n"
                      "read(9, \"\"..., 1) = 1\n"),
              ElementsAre("/f 0+100", "/f 1000+11", "/f 1011+10", "/f 5000+7", "/f 1021+3", "/f 1024+1"));
}

TEST(StraceImportTest, TransfersReadAtTheirOwnOrTheGivenPlace) {
  EXPECT_THAT(ReadsOf("openat(AT_FDCWD, \"/f\", O_RDONLY) = 3\n"
                      "sendfile(1, 3, NULL, 100) = 50\n"
                      "sendfile(1, 3, [700] => [710], 100) = 10\n"
                      "copy_file_range(3, NULL, 4, NULL, 100, 0) = 20\n"
                      "copy_file_range(3, [5], 4, NULL, 100, 0) = 2\n"
                      "splice(3, NULL, 4, NULL, 100, 0) = 8\n"),
              ElementsAre("/f 0+50", "/f 700+10", "/f 50+20", "/f 5+2", "/f 70+8"));
}

TEST(StraceImportTest, ChildSharesThePositionAndItsLinesMayComeFirst) {
  const TraceImport import = ImportStrace(
      "10 1.0 open(\"/f\", O_RDONLY) = 3\n"
      "10 1.1 read(3, \"\"..., 10) = 10\n"
      "10 1.2 vfork( <unfinished ...>\n"
      "11 1.3 read(3, \"\"..., 5) = 5\n"
      "11 1.4 open(\"/g\", O_RDONLY) = 4\n"
      "11 1.5 +++ exited with 0 +++\n"
      "10 1.6 <... vfork resumed>) = 11\n"
      "10 1.7 read(3, \"\"..., 4) = 4\n"
      "10 1.8 read(4, \"\"..., 4) = 4\n");
  EXPECT_THAT(ReadsOf(import), ElementsAre("/f 0+10", "/f 10+5", "/f 15+4"));
  EXPECT_EQ(import.unknown_reads, 1u) << "a child's descriptors are its own";
  ASSERT_EQ(import.contents.processes.size(), 2u);
  EXPECT_EQ(import.contents.processes[1].parent_pid, 10);
  EXPECT_EQ(import.contents.files[import.contents.reads[1].file].pid, 11);
  EXPECT_EQ(import.contents.files[import.contents.reads[1].file].process, 1u);
  EXPECT_TRUE(import.contents.reads[0].fresh);
  EXPECT_FALSE(import.contents.reads[1].fresh);
  EXPECT_EQ(import.contents.reads[0].time, 100_ms);
}

TEST(StraceImportTest, ThreadsShareDescriptorsAndProcess) {
  const TraceImport import = ImportStrace(
      "10 1.0 clone3({flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_THREAD}, 88) = 12\n"
      "12 1.1 open(\"/f\", O_RDONLY) = 3\n"
      "10 1.2 read(3, \"\"..., 10) = 10\n");
  EXPECT_THAT(ReadsOf(import), ElementsAre("/f 0+10"));
  EXPECT_EQ(import.contents.processes.size(), 1u);
}

TEST(StraceImportTest, ExecClosesWhatIsMarked) {
  EXPECT_THAT(ReadsOf("open(\"/kept\", O_RDONLY) = 3\n"
                      "open(\"/gone\", O_RDONLY|O_CLOEXEC) = 4\n"
                      "open(\"/marked\", O_RDONLY) = 5\n"
                      "fcntl(5, F_SETFD, FD_CLOEXEC) = 0\n"
                      "execve(\"/bin/x\", [\"x\"], 0x7ffe /* 3 vars */) = 0\n"
                      "read(3, \"\", 1) = 1\n"
                      "read(4, \"\", 1) = 1\n"
                      "read(5, \"\", 1) = 1\n"),
              ElementsAre("/kept 0+1"));
}

TEST(StraceImportTest, InterruptedReadHasItsBeginAndItsEnd) {
  const TraceImport import = ImportStrace(
      "10 5.0 open(\"/f\", O_RDONLY) = 3\n"
      "10 5.1 read(3,  <unfinished ...>\n"
      "11 5.2 getpid() = 11\n"
      "10 5.4 <... read resumed>\"abc\"..., 4096) = 4096\n");
  ASSERT_EQ(import.contents.reads.size(), 1u);
  EXPECT_EQ(import.contents.reads[0].time, 100_ms);
  EXPECT_EQ(import.contents.reads[0].duration, 300_ms);
  EXPECT_EQ(import.contents.reads[0].range.size(), 4_KiB);
}

TEST(StraceImportTest, RelativePathsAreResolvedWhereTheFolderIsKnown) {
  EXPECT_THAT(ReadsOf("chdir(\"/home/x\") = 0\n"
                      "open(\"../y/f\", O_RDONLY) = 3\n"
                      "read(3, \"\", 1) = 1\n"
                      "openat(AT_FDCWD</other>, \"g\", O_RDONLY) = 4\n"
                      "read(4, \"\", 1) = 1\n"
                      "open(\"/dir\", O_RDONLY|O_DIRECTORY) = 5\n"
                      "openat(5, \"h\", O_RDONLY) = 6\n"
                      "read(6, \"\", 1) = 1\n"
                      "openat(AT_FDCWD, \"i\", O_RDONLY) = 7</real/i>\n"
                      "read(7</real/i>, \"\", 1) = 1\n"),
              ElementsAre("/home/y/f 0+1", "/other/g 0+1", "/dir/h 0+1", "/real/i 0+1"));
  const TraceImport unknown = ImportStrace("open(\"f\", O_RDONLY) = 3\nread(3, \"\", 1) = 1\n");
  EXPECT_THAT(ReadsOf(unknown), ElementsAre("f 0+1"));
  EXPECT_EQ(unknown.relative_paths, 1u);
}

TEST(StraceImportTest, WhatIsNoFileIsLeftOutAndCounted) {
  const TraceImport import = ImportStrace(
      "pipe2([3, 4], O_CLOEXEC) = 0\n"
      "read(3, \"\", 1) = 1\n"
      "open(\"/dev/zero\", O_RDONLY) = 5\n"
      "read(5, \"\", 1) = 1\n"
      "open(\"/tty\", O_RDONLY) = 6\n"
      "fstat(6, {st_mode=S_IFCHR|0620, st_rdev=makedev(0x88, 0), ...}) = 0\n"
      "read(6, \"\", 1) = 1\n"
      "read(0, \"\", 1) = 1\n"
      "read(7</inherited>, \"\", 1) = 1\n"
      "pread64(7</inherited>, \"\", 1, 9) = 1\n");
  EXPECT_EQ(import.special_reads, 3u);
  EXPECT_EQ(import.unknown_reads, 1u);
  EXPECT_EQ(import.unplaced_reads, 1u);
  EXPECT_THAT(ReadsOf(import), ElementsAre("/inherited 9+1"));
}

TEST(StraceImportTest, SizeAndIdentityAreThoseOfStatElseTheEndOfWhatWasRead) {
  const TraceImport import = ImportStrace(
      "open(\"/f\", O_RDONLY) = 3\n"
      "newfstatat(3, \"\", {st_dev=makedev(0xfe, 0), st_ino=4711, st_mode=S_IFREG|0644, st_size=9000, ...}, "
      "AT_EMPTY_PATH) = 0\n"
      "read(3, \"\", 10) = 10\n"
      "open(\"/g\", O_RDWR) = 4\n"
      "pread64(4, \"\", 10, 90) = 10\n"
      "open(\"/h\", O_RDONLY) = 5\n"
      "statx(5, \"\", AT_EMPTY_PATH, STATX_ALL, {stx_mode=S_IFREG|0644, stx_size=77}) = 0\n"
      "read(5, \"\", 1) = 0\n");
  ASSERT_EQ(import.contents.files.size(), 3u);
  EXPECT_EQ(import.contents.files[0].size, 9000_B);
  EXPECT_EQ(import.contents.files[0].inode, 4711u);
  EXPECT_EQ(import.contents.files[0].device, 0xfe00u);
  EXPECT_EQ(import.contents.files[1].size, 100_B);
  EXPECT_EQ(import.contents.files[2].size, 77_B);
  EXPECT_EQ(import.contents.reads[0].facts.file_size, 9000_B);
}

TEST(StraceImportTest, EventsAreOpensClosesAdviceAndMappings) {
  const TraceImport import = ImportStrace(
      "open(\"/f\", O_RDONLY) = 3\n"
      "fadvise64(3, 0, 0, POSIX_FADV_RANDOM) = 0\n"
      "read(3, \"\", 10) = 10\n"
      "readahead(3, 4096, 8192) = 0\n"
      "mmap(NULL, 5000, PROT_READ, MAP_PRIVATE, 3, 0x1000) = 0x7f1200000000\n"
      "mmap(NULL, 5000, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f1300000000\n"
      "dup(3) = 4\n"
      "close(3) = 0\n"
      "close_range(4, 4294967295, 0) = 0\n");
  std::vector<TraceKind> kinds;
  for (const TracedEvent& event : import.contents.events) kinds.push_back(event.kind);
  ASSERT_THAT(kinds, ElementsAre(TraceKind::kOpen, TraceKind::kAdvice, TraceKind::kAdvice, TraceKind::kMapping,
                                 TraceKind::kClose));
  EXPECT_TRUE(import.contents.events[0].opened_here);
  EXPECT_EQ(import.contents.events[1].advice, POSIX_FADV_RANDOM);
  EXPECT_EQ(import.contents.events[2].advice, POSIX_FADV_WILLNEED);
  EXPECT_EQ(import.contents.events[3].range, (ByteRange{{4096}, {9096}}));
  EXPECT_EQ(import.contents.reads[0].advice, HostAdvice::kRandom);
}

TEST(StraceImportTest, SeekThatMovesIsAnEventAndOneThatAsksIsNot) {
  const TraceImport import = ImportStrace(
      "open(\"/f\", O_RDONLY) = 3\n"
      "lseek(3, 0, SEEK_CUR) = 0\n"
      "lseek(3, -5, SEEK_END) = 95\n"
      "read(3, \"\", 5) = 5\n");
  ASSERT_EQ(import.contents.events.size(), 2u);
  EXPECT_EQ(import.contents.events[1].kind, TraceKind::kSeek);
  EXPECT_EQ(import.contents.events[1].range, (ByteRange{{95}, {95}}));
}

TEST(StraceImportTest, FailedReadKeepsItsErrorAndMovesNothing) {
  const TraceImport import = ImportStrace(
      "open(\"/f\", O_RDONLY) = 3\n"
      "read(3, 0x1, 10) = -1 EFAULT (Bad address)\n"
      "read(3, \"\", 10) = 10\n");
  ASSERT_EQ(import.contents.reads.size(), 2u);
  EXPECT_EQ(import.contents.reads[0].error, EFAULT);
  EXPECT_EQ(import.contents.reads[1].range.begin.value, 0);
}

TEST(StraceImportTest, TimeOfDayGoesOnPastMidnight) {
  const TraceImport import = ImportStrace(
      "23:59:59.900000 open(\"/f\", O_RDONLY) = 3\n"
      "00:00:00.100000 read(3, \"\", 10) = 10\n");
  ASSERT_EQ(import.contents.reads.size(), 1u);
  EXPECT_EQ(import.contents.reads[0].time, 200_ms);
}

TEST(StraceImportTest, LinesThatAreNotUnderstoodAreCounted) {
  const TraceImport import = ImportStrace(
      "open(\"/f\", O_RDONLY) = 3\n"
      "hello world\n"
      "read(3, \"cut off\n");
  EXPECT_EQ(import.lines, 3u);
  EXPECT_EQ(import.misread_lines, 2u);
  EXPECT_EQ(import.first_misread_line, 2u);
}

TEST(StraceImportTest, AnyCutOfARecordedSampleIsSurvived) {
  const std::string sample = test::ReadFile(AHEAD_SOURCE "/tests/cli/data/sample.strace");
  ASSERT_GT(sample.size(), 5000u);
  for (size_t size = 0; size < sample.size(); size += 37) {
    std::string changed = sample.substr(0, size);
    if (size > 100) changed[size * 7 % size] = "<>(){}[]\",=-\n"[size % 13];
    ImportStrace(changed);
  }
}

TEST(StraceImportTest, RecordedSampleHoldsWhatTheCommandRead) {
  // sh -c 'md5sum data; dd if=data of=copy bs=4096 skip=2 count=3; head -c 10 <data', data of 300,000 bytes.
  const TraceImport import = ImportStrace(test::ReadFile(AHEAD_SOURCE "/tests/cli/data/sample.strace"));
  EXPECT_EQ(import.misread_lines, 0u);
  EXPECT_EQ(import.unplaced_reads, 0u);
  std::vector<std::string> reads;
  for (const std::string& read : ReadsOf(import))
    if (read.starts_with("/tmp/sample/data ") && !read.ends_with("+0")) reads.push_back(read.substr(17));
  std::vector<std::string> expected;
  for (int at = 0; at < 300000; at += 32768)
    expected.push_back(std::to_string(at) + "+" + std::to_string(std::min(32768, 300000 - at)));
  for (const char* read : {"8192+4096", "12288+4096", "16384+4096", "0+10"}) expected.push_back(read);
  EXPECT_EQ(reads, expected);
  EXPECT_EQ(import.contents.processes.size(), 4u);
}

TEST(DxtImportTest, ReadsOfEachRankAreAReaderAndTheRestIsCounted) {
  const TraceImport import = ImportDxt(
      "# *************************************************\n"
      "# DXT_POSIX module data\n"
      "# DXT, file_id: 8515199880342690440, file_name: /scratch/a, b\n"
      "# DXT, rank: 0, hostname: node1\n"
      "# DXT, write_count: 1, read_count: 2\n"
      "# Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)\n"
      " X_POSIX       0  write        0               0         1048576      4.8324      4.8436\n"
      " X_POSIX       0   read        0          524288            4096      5.0000      5.0010  [  3]\n"
      " X_POSIX       0   read        1          528384            4096      4.9000      4.9010\n"
      "\n"
      "# DXT, file_id: 1, file_name: /scratch/a, b\n"
      "# DXT, rank: 1, hostname: node2\n"
      " X_POSIX       1   read        0               0             100      4.9500      4.9501\n"
      " X_MPIIO       1   read        0               0             100      4.9500      4.9501\n"
      " X_POSIX       1   read        0              -1             100      4.9500      4.9501\n"
      " X_POSIX       1   read        nonsense\n");
  EXPECT_THAT(ReadsOf(import),
              ElementsAre("/scratch/a, b 528384+4096", "/scratch/a, b 0+100", "/scratch/a, b 524288+4096"));
  EXPECT_EQ(import.other_records, 2u);
  EXPECT_EQ(import.unplaced_reads, 1u);
  EXPECT_EQ(import.misread_lines, 1u);
  ASSERT_EQ(import.contents.files.size(), 2u);
  EXPECT_EQ(import.contents.files[0].size, 1_MiB);
  EXPECT_EQ(import.contents.files[0].inode, import.contents.files[1].inode);
  EXPECT_EQ(import.contents.processes.size(), 2u);
  EXPECT_EQ(import.contents.reads[0].time, 4900_ms);
  EXPECT_EQ(import.contents.reads[0].duration, 1_ms);
  EXPECT_TRUE(import.contents.reads[0].fresh);
  EXPECT_FALSE(import.contents.reads[2].fresh);
  EXPECT_EQ(import.contents.events.size(), 4u);
}

}  // namespace
}  // namespace ahead
