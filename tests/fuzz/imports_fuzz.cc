// What other tools printed, damaged in any way, and calls of any order put together of words. What must hold: what is
// imported refers to what is there, is in order, can be kept as a trace and told without names, and every line is
// counted once.
#include <algorithm>
#include <iterator>
#include <string>

#include "stats/trace_anonymize.h"
#include "stats/trace_import.h"
#include "stats/trace_summary.h"
#include "tests/fuzz/target.h"

namespace ahead::fuzz {
namespace {

void Check(TraceImport import) {
  TraceContents& contents = import.contents;
  Require(import.misread_lines <= import.lines, "no more lines are misread than there are");
  Require((import.misread_lines == 0) == (import.first_misread_line == 0), "the first of them is named");
  for (size_t i = 1; i < contents.reads.size(); ++i)
    Require(contents.reads[i - 1].time <= contents.reads[i].time, "reads are in ascending order of time");
  for (size_t i = 1; i < contents.events.size(); ++i)
    Require(contents.events[i - 1].time <= contents.events[i].time, "events are in ascending order of time");
  for (const TracedFile& file : contents.files)
    Require(file.process < contents.processes.size(), "a file is of a process that is there");
  for (const TracedRead& read : contents.reads) {
    Require(read.file < contents.files.size(), "a read is of a file that is there");
    Require(read.range.begin.value >= 0 && read.range.begin <= read.range.end, "a range does not end before it begins");
    Require(read.returned <= read.range.size(), "no more is returned than was asked for");
    Require(read.time.value >= 0 && read.duration.value >= 0, "time does not go back");
    Require(contents.files[read.file].size >= read.range.begin - ByteOffset{} + read.returned,
            "a file holds what was read of it");
  }
  for (const TracedEvent& event : contents.events) {
    Require(event.file < contents.files.size(), "an event is of a file that is there");
    Require(event.range.begin.value >= 0 && event.range.begin <= event.range.end, "a range is one");
  }
  const AccessSummary before = Summarize(contents).all;
  Anonymize(contents);
  const AccessSummary after = Summarize(contents).all;
  Require(before.reads == after.reads && before.bytes == after.bytes && before.steps == after.steps,
          "without names it says the same");
}

// A text of strace of whole lines, whatever their order and numbers.
std::string MakeStrace(Input& input) {
  constexpr const char* kLines[] = {
      "%p open(\"/f%n\", O_RDWR) = %d",
      "%p openat(AT_FDCWD, \"f%n\", O_RDONLY|O_CLOEXEC) = %d",
      "%p read(%d, \"\"..., %n) = %n",
      "%p read(%d,  <unfinished ...>",
      "%p <... read resumed>\"\", 9) = %n",
      "%p pread64(%d, \"\", %n, %n) = %n",
      "%p preadv2(%d, [], 1, -1, 0) = %n",
      "%p write(%d, \"\", %n) = %n",
      "%p lseek(%d, %n, SEEK_SET) = %n",
      "%p dup2(%d, %d) = %d",
      "%p fcntl(%d, F_DUPFD, 0) = %d",
      "%p fcntl(%d, F_SETFD, FD_CLOEXEC) = 0",
      "%p close(%d) = 0",
      "%p close_range(%d, %d, 0) = 0",
      "%p sendfile(1, %d, [%n] => [%n], %n) = %n",
      "%p copy_file_range(%d, NULL, %d, NULL, %n, 0) = %n",
      "%p mmap(NULL, %n, PROT_READ, MAP_SHARED, %d, %n) = 0x7f0000000000",
      "%p fadvise64(%d, %n, %n, POSIX_FADV_SEQUENTIAL) = 0",
      "%p fstat(%d, {st_mode=S_IFREG|0644, st_size=%n, ...}) = 0",
      "%p pipe2([%d, %d], 0) = 0",
      "%p fork() = %p",
      "%p vfork( <unfinished ...>",
      "%p <... vfork resumed>) = %p",
      "%p clone(child_stack=NULL, flags=CLONE_FILES|CLONE_FS|CLONE_THREAD) = %p",
      "%p execve(\"/x\", [\"x\"], 0x1 /* 2 vars */) = 0",
      "%p +++ exited with 0 +++",
      "%p chdir(\"/d%n\") = 0",
      "%p read(%d</p%n>, \"\", %n) = %n",
  };
  std::string text;
  while (!input.empty()) {
    const char* line = kLines[input.Below(std::size(kLines))];
    for (; *line != 0; ++line) {
      if (*line != '%') {
        text += *line;
        continue;
      }
      ++line;
      if (*line == 'p') text += std::to_string(1 + input.Below(4));
      if (*line == 'd') text += std::to_string(3 + input.Below(5));
      if (*line == 'n') text += std::to_string(input.Magnitude(63) - input.Below(2));
    }
    text += '\n';
  }
  return text;
}

}  // namespace
}  // namespace ahead::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace ahead::fuzz;
  if (size == 0) return 0;
  Input input(bytes + 1, size - 1);
  switch (bytes[0] % 3) {
    case 0:
      Check(ahead::ImportStrace(input.Rest()));
      break;
    case 1:
      Check(ahead::ImportDxt(input.Rest()));
      break;
    default:
      Check(ahead::ImportStrace(MakeStrace(input)));
  }
  return 0;
}
