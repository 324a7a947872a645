#include "stats/input.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "stats/table_reader.h"

namespace ahead {
namespace {

// Event tables are a few KiB; what is longer is something else.
constexpr size_t kMaxTextBytes = size_t{1} << 20;

absl::Status SystemError(const char* what) {
  return absl::FailedPreconditionError(absl::StrCat(what, ": ", strerror(errno)));
}

absl::StatusOr<std::string> ReadText(int fd) {
  std::string text;
  char part[4096];
  for (;;) {
    const ssize_t got = read(fd, part, sizeof(part));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError("cannot be read");
    if (got == 0 || text.size() > kMaxTextBytes) return text;
    text.append(part, static_cast<size_t>(got));
  }
}

absl::StatusOr<Snapshot> ReadTables(int fd) {
  const absl::StatusOr<std::string> text = ReadText(fd);
  if (!text.ok()) return text.status();
  if (text->empty()) return absl::FailedPreconditionError("is empty: nothing has been counted in it");
  if (text->size() > kMaxTextBytes) return absl::FailedPreconditionError("is not a statistics file");
  absl::StatusOr<Snapshot> tables = ParseTables(*text);
  if (tables.ok()) return tables;
  return absl::FailedPreconditionError(
      absl::StrCat("is neither a statistics file nor the text of event tables: ", tables.status().message()));
}

std::optional<std::string> WhyNotSegment(const Segment& head, size_t bytes) {
  switch (CheckHead(head.magic, head.block_count, bytes)) {
    case SegmentFault::kNone:
      return std::nullopt;
    case SegmentFault::kOtherVersion:
      return "was written by another version of ahead";
    case SegmentFault::kTooShort:
      return "is a statistics file that was cut short";
    case SegmentFault::kBlank:
      return "is blank: nothing has been counted in it";
    case SegmentFault::kForeign:
      break;
  }
  return "is not a statistics file";
}

}  // namespace

void Input::Unmap::operator()(Segment* segment) const { munmap(segment, bytes); }

absl::StatusOr<Input> Input::Open(const std::string& path, Purpose purpose) {
  const int fd = open(path.c_str(), (purpose == Purpose::kReset ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return SystemError("cannot be opened");
  const absl::Cleanup close_fd = [fd] { close(fd); };
  struct stat now;
  if (fstat(fd, &now) != 0) return SystemError("cannot be examined");
  if (S_ISDIR(now.st_mode)) return absl::FailedPreconditionError("is a folder");

  Input input;
  Segment head;
  head.magic = 1;
  const bool has_head = S_ISREG(now.st_mode) && pread(fd, &head, offsetof(Segment, started_unix_ns), 0) ==
                                                    static_cast<ssize_t>(offsetof(Segment, started_unix_ns));
  const auto bytes = static_cast<size_t>(now.st_size);
  if (!has_head || CheckHead(head.magic, head.block_count, bytes) == SegmentFault::kForeign) {
    absl::StatusOr<Snapshot> tables = ReadTables(fd);
    if (!tables.ok()) return tables.status();
    input.text_ = *std::move(tables);
    return input;
  }
  if (const auto why = WhyNotSegment(head, bytes)) return absl::FailedPreconditionError(*why);
  const size_t length = SegmentBytes(head.block_count);
  const int access = purpose == Purpose::kReset ? PROT_READ | PROT_WRITE : PROT_READ;
  void* mapped = mmap(nullptr, length, access, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) return SystemError("cannot be mapped");
  input.segment_ = {static_cast<Segment*>(mapped), Unmap{length}};
  input.block_count_ = head.block_count;
  return input;
}

}  // namespace ahead
