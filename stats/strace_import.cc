// Follows descriptors through the calls that strace shows. A child's first lines may stand before the line in which its
// parent learns of it; therefore the text is gone through twice, first for who is whose child.
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <filesystem>
#include <string>
#include <unordered_map>

#include "stats/strace_line.h"
#include "stats/strace_lines.h"
#include "stats/text.h"
#include "stats/trace_import.h"
#include "stats/traced_world.h"

namespace ahead {
namespace {

bool IsClone(std::string_view name) { return name == "clone" || name == "clone3" || name == "fork" || name == "vfork"; }

int ErrorOf(std::string_view name) {
  static const std::unordered_map<std::string_view, int> kErrors = {
      {"EAGAIN", EAGAIN}, {"EINTR", EINTR},   {"EIO", EIO},       {"EBADF", EBADF}, {"EFAULT", EFAULT},
      {"EINVAL", EINVAL}, {"EISDIR", EISDIR}, {"ENOMEM", ENOMEM}, {"EPERM", EPERM}, {"EOVERFLOW", EOVERFLOW},
  };
  const auto known = kErrors.find(name);
  return known == kErrors.end() ? EIO : known->second;
}

// Returns the range of a mapping or of advice; nothing when there is no such range of a file.
std::optional<ByteRange> RangeOf(std::optional<int64_t> offset, std::optional<int64_t> length) {
  if (!offset || !length || *offset < 0 || *length < 0) return std::nullopt;
  if (*offset > kLargestFile.value || *length > kLargestFile.value) return std::nullopt;
  return ByteRange{{*offset}, {*offset + *length}};
}

// Returns the number in [NUMBER] and [NUMBER] => [...].
std::optional<int64_t> InBrackets(std::string_view argument) {
  return TakePrefix(argument, "[") ? ParseStraceNumber(argument) : std::nullopt;
}

class Follower {
 public:
  explicit Follower(std::string_view text) : text_(text) {}

  TraceImport Run() {
    TraceImport counts;
    StraceLines(text_, counts).ForEach([&](const StraceDone& done) { NoteBirth(done); }, [](int32_t) {});
    StraceLines calls(text_, counts);
    calls.ForEach([&](const StraceDone& done) { Follow(done); }, [&](int32_t tid) { world_.End(tid); });
    TraceImport import = world_.Finish();
    import.lines = counts.lines;
    import.misread_lines = counts.misread_lines;
    import.first_misread_line = counts.first_misread_line;
    import.contents.realtime_start = calls.first();
    return import;
  }

 private:
  struct Birth {
    int32_t parent = 0;
    Sharing shared;
  };
  using Handler = void (Follower::*)(const StraceDone&, SeenThread&);

  void NoteBirth(const StraceDone& done) {
    if (!IsClone(done.name) || !done.call.result || *done.call.result <= 0) return;
    Birth birth{done.tid, {}};
    for (const std::string_view argument : done.call.arguments) {
      birth.shared.process |= Contains(argument, "CLONE_THREAD");
      birth.shared.descriptors |= Contains(argument, "CLONE_FILES");
      birth.shared.folder |= Contains(argument, "CLONE_FS");
    }
    births_[static_cast<int32_t>(*done.call.result)].push_back(birth);
  }

  SeenThread& ThreadOf(int32_t tid) {
    if (SeenThread* known = world_.Find(tid)) return *known;
    const auto births = births_.find(tid);
    if (births == births_.end() || births->second.empty()) return world_.Begin(tid);
    const Birth birth = births->second.front();
    births->second.pop_front();
    return birth.parent == tid ? world_.Begin(tid) : world_.Begin(tid, ThreadOf(birth.parent), birth.shared);
  }

  void Follow(const StraceDone& done) {
    static const std::unordered_map<std::string_view, Handler> kHandlers = {
        {"open", &Follower::Open},
        {"openat", &Follower::Open},
        {"openat2", &Follower::Open},
        {"creat", &Follower::Open},
        {"read", &Follower::Read},
        {"readv", &Follower::Read},
        {"pread", &Follower::Read},
        {"pread64", &Follower::Read},
        {"preadv", &Follower::Read},
        {"preadv2", &Follower::Read},
        {"sendfile", &Follower::SendFile},
        {"sendfile64", &Follower::SendFile},
        {"copy_file_range", &Follower::Copy},
        {"splice", &Follower::Copy},
        {"write", &Follower::Write},
        {"writev", &Follower::Write},
        {"lseek", &Follower::Seek},
        {"_llseek", &Follower::Seek},
        {"close", &Follower::Close},
        {"close_range", &Follower::CloseRange},
        {"dup", &Follower::Duplicate},
        {"dup2", &Follower::Duplicate},
        {"dup3", &Follower::Duplicate},
        {"fcntl", &Follower::Control},
        {"fcntl64", &Follower::Control},
        {"mmap", &Follower::Map},
        {"mmap2", &Follower::Map},
        {"fadvise64", &Follower::Advise},
        {"fadvise64_64", &Follower::Advise},
        {"readahead", &Follower::Advise},
        {"fstat", &Follower::StatOfDescriptor},
        {"fstat64", &Follower::StatOfDescriptor},
        {"stat", &Follower::StatOfPath},
        {"lstat", &Follower::StatOfPath},
        {"newfstatat", &Follower::StatAt},
        {"fstatat64", &Follower::StatAt},
        {"statx", &Follower::StatAt},
        {"chdir", &Follower::ChangeFolder},
        {"fchdir", &Follower::ChangeFolder},
        {"getcwd", &Follower::LearnFolder},
        {"execve", &Follower::Execute},
        {"execveat", &Follower::Execute},
        {"pipe", &Follower::Pair},
        {"pipe2", &Follower::Pair},
        {"socketpair", &Follower::Pair},
        {"socket", &Follower::Special},
        {"accept", &Follower::Special},
        {"accept4", &Follower::Special},
        {"eventfd", &Follower::Special},
        {"eventfd2", &Follower::Special},
        {"epoll_create", &Follower::Special},
        {"epoll_create1", &Follower::Special},
        {"timerfd_create", &Follower::Special},
        {"signalfd4", &Follower::Special},
        {"inotify_init1", &Follower::Special},
        {"memfd_create", &Follower::Special},
        {"pidfd_open", &Follower::Special},
        {"io_uring_setup", &Follower::Special},
        {"perf_event_open", &Follower::Special},
    };
    world_.SetTime(done.begin);
    SeenThread& thread = ThreadOf(done.tid);
    if (IsClone(done.name)) {
      const auto child = static_cast<int32_t>(done.call.result.value_or(0));
      // It may have been seen before its parent learnt of it, and may be gone by now.
      if (const auto births = births_.find(child); births != births_.end() && !births->second.empty()) ThreadOf(child);
      return;
    }
    const auto handler = kHandlers.find(done.name);
    if (handler != kHandlers.end()) (this->*handler->second)(done, thread);
  }

  static std::string_view Argument(const StraceDone& done, size_t index) {
    return index < done.call.arguments.size() ? done.call.arguments[index] : std::string_view();
  }
  static std::optional<int64_t> NumberAt(const StraceDone& done, size_t index) {
    return ParseStraceNumber(Argument(done, index));
  }
  static bool Succeeded(const StraceDone& done) { return done.call.result && *done.call.result >= 0; }

  // Returns the description that argument `index` names; with -y also one whose opening was not seen. Null when there
  // is none.
  SeenDescription* DescriptionAt(const StraceDone& done, SeenThread& thread, size_t index) {
    const auto descriptor = ParseStraceDescriptor(Argument(done, index));
    if (!descriptor || descriptor->number < 0) return nullptr;
    if (SeenDescription* known = world_.DescriptionAt(thread, descriptor->number)) return known;
    if (descriptor->path.empty()) return nullptr;
    SeenDescription& met = world_.Install(thread, descriptor->number, UnescapeStrace(descriptor->path), false);
    met.is_placed = false;
    return &met;
  }

  static std::string Resolve(const std::string& given, const std::string& folder) {
    const bool is_whole = given.starts_with("/") || folder.empty();
    std::string path = is_whole ? given : folder;
    if (!is_whole) path.append("/").append(given);
    return std::filesystem::path(path).lexically_normal().string();
  }

  // Returns the folder that argument `index` names, and learns it where that is the thread's own.
  std::string FolderAt(const StraceDone& done, SeenThread& thread, size_t index) {
    const auto descriptor = ParseStraceDescriptor(Argument(done, index));
    if (!descriptor) return "";
    if (!descriptor->path.empty()) {
      std::string path = UnescapeStrace(descriptor->path);
      if (descriptor->is_folder) *thread.folder = path;
      return path;
    }
    if (descriptor->is_folder) return *thread.folder;
    const SeenDescription* known = world_.DescriptionAt(thread, descriptor->number);
    return known == nullptr ? "" : world_.file(known->file).path;
  }

  void Open(const StraceDone& done, SeenThread& thread) {
    if (!Succeeded(done)) return;
    const bool is_at = done.name.starts_with("openat");
    const std::string folder = is_at ? FolderAt(done, thread, 0) : *thread.folder;
    const std::string_view flags = Argument(done, is_at ? 2 : 1);
    std::string path = Resolve(ParseStraceString(Argument(done, is_at ? 1 : 0)).value_or(""), folder);
    if (!done.call.result_path.empty()) path = UnescapeStrace(done.call.result_path);
    world_.SetTime(done.end);
    SeenDescription& description =
        world_.Install(thread, static_cast<int32_t>(*done.call.result), path, Contains(flags, "O_CLOEXEC"));
    description.opened_by = thread.pid;
    description.is_special |= Contains(flags, "O_DIRECTORY") || Contains(flags, "O_PATH");
    description.is_placed = !Contains(flags, "O_APPEND");
    if (!Contains(flags, "O_WRONLY") && done.name != "creat") world_.AddOpen(thread, description);
  }

  void Special(const StraceDone& done, SeenThread& thread) {
    if (Succeeded(done)) InstallSpecial(done, thread, static_cast<int32_t>(*done.call.result));
  }

  void InstallSpecial(const StraceDone& done, SeenThread& thread, int32_t number) {
    world_.Install(thread, number, std::string(done.name) + ":[]", false);
  }

  // The descriptors stand in brackets: [3, 4], or with -y [3<pipe:[1]>, 4<pipe:[1]>].
  void Pair(const StraceDone& done, SeenThread& thread) {
    if (!Succeeded(done)) return;
    for (const std::string_view pair : done.call.arguments) {
      const size_t comma = pair.find(", ");
      if (!pair.starts_with("[") || comma == std::string_view::npos) continue;
      if (const auto one = InBrackets(pair)) InstallSpecial(done, thread, static_cast<int32_t>(*one));
      if (const auto other = ParseStraceNumber(pair.substr(comma + 2)))
        InstallSpecial(done, thread, static_cast<int32_t>(*other));
    }
  }

  // A read without a result is one that the end of the program cut off.
  void AddRead(const StraceDone& done, SeenThread& thread, size_t index, TraceAccessKind kind,
               std::optional<int64_t> offset, std::optional<int64_t> asked) {
    if (!done.call.result) return;
    SeenRead seen;
    seen.kind = kind;
    seen.offset = offset;
    seen.returned = *done.call.result;
    seen.asked = asked.value_or(seen.returned);
    seen.error = seen.returned < 0 ? ErrorOf(done.call.error) : 0;
    seen.begin = done.begin;
    seen.end = done.end;
    world_.AddRead(thread, DescriptionAt(done, thread, index), seen);
  }

  void Read(const StraceDone& done, SeenThread& thread) {
    std::optional<int64_t> offset;
    if (done.name.starts_with("pread")) offset = NumberAt(done, 3);
    // preadv2 with -1 reads at the description's own.
    if (offset == -1) offset.reset();
    const bool is_vector = Contains(done.name, "readv");
    AddRead(done, thread, 0, offset ? TraceAccessKind::kPread : TraceAccessKind::kRead, offset,
            is_vector ? std::nullopt : NumberAt(done, 2));
  }

  void SendFile(const StraceDone& done, SeenThread& thread) {
    AddRead(done, thread, 1, TraceAccessKind::kTransfer, InBrackets(Argument(done, 2)), NumberAt(done, 3));
  }

  void Copy(const StraceDone& done, SeenThread& thread) {
    AddRead(done, thread, 0, TraceAccessKind::kTransfer, InBrackets(Argument(done, 1)), NumberAt(done, 4));
    if (Succeeded(done) && !InBrackets(Argument(done, 3))) MoveWriter(done, thread, 2);
  }

  void Write(const StraceDone& done, SeenThread& thread) {
    if (Succeeded(done)) MoveWriter(done, thread, 0);
  }

  void MoveWriter(const StraceDone& done, SeenThread& thread, size_t index) {
    SeenDescription* description = DescriptionAt(done, thread, index);
    if (description == nullptr || !description->is_placed) return;
    description->offset = description->offset + ByteCount{std::min<int64_t>(*done.call.result, INT32_MAX)};
    ByteCount& size = world_.file(description->file).size;
    size = std::max(size, ByteCount{description->offset.value});
  }

  void Seek(const StraceDone& done, SeenThread& thread) {
    SeenDescription* description = DescriptionAt(done, thread, 0);
    if (description == nullptr || !Succeeded(done)) return;
    // _llseek(fd, high, low, [result], whence) returns 0.
    const auto offset = done.name == "_llseek" ? InBrackets(Argument(done, 3)) : done.call.result;
    description->is_placed = offset.has_value();
    if (!offset || *offset > kLargestFile.value) return;
    // One that only asks where it is is no seek.
    if (description->offset.value == *offset) return;
    description->offset = {*offset};
    world_.AddSeek(thread, *description);
  }

  void Close(const StraceDone& done, SeenThread& thread) {
    const auto descriptor = ParseStraceDescriptor(Argument(done, 0));
    // Linux closes also where it reports an error other than this.
    if (descriptor && done.call.error != "EBADF") world_.Close(thread, descriptor->number);
  }

  void CloseRange(const StraceDone& done, SeenThread& thread) {
    const auto first = NumberAt(done, 0), last = NumberAt(done, 1);
    if (!Succeeded(done) || !first || !last) return;
    const bool is_later = Contains(Argument(done, 2), "CLOSE_RANGE_CLOEXEC");
    for (auto next = thread.descriptors->lower_bound(static_cast<int32_t>(*first));
         next != thread.descriptors->end() && next->first <= *last;) {
      SeenDescriptors::value_type& entry = *next++;
      entry.second.closes_on_exec |= is_later;
      if (!is_later) world_.Close(thread, entry.first);
    }
  }

  void DuplicateTo(const StraceDone& done, SeenThread& thread, bool closes_on_exec) {
    const auto from = ParseStraceDescriptor(Argument(done, 0));
    if (!Succeeded(done) || !from) return;
    // Named by -y alone, it is taken in first.
    DescriptionAt(done, thread, 0);
    world_.Duplicate(thread, from->number, static_cast<int32_t>(*done.call.result), closes_on_exec);
  }

  void Duplicate(const StraceDone& done, SeenThread& thread) {
    DuplicateTo(done, thread, Contains(Argument(done, 2), "O_CLOEXEC"));
  }

  void Control(const StraceDone& done, SeenThread& thread) {
    const std::string_view command = Argument(done, 1);
    if (command.starts_with("F_DUPFD")) return DuplicateTo(done, thread, command == "F_DUPFD_CLOEXEC");
    const auto descriptor = ParseStraceDescriptor(Argument(done, 0));
    if (command != "F_SETFD" || !descriptor || !Succeeded(done)) return;
    const auto known = thread.descriptors->find(descriptor->number);
    if (known != thread.descriptors->end()) known->second.closes_on_exec = Contains(Argument(done, 2), "FD_CLOEXEC");
  }

  void Map(const StraceDone& done, SeenThread& thread) {
    // The result is an address, which may have its highest bit set.
    if (!done.call.result || *done.call.result == -1 || Contains(Argument(done, 3), "MAP_ANON")) return;
    const SeenDescription* description = DescriptionAt(done, thread, 4);
    std::optional<int64_t> offset = NumberAt(done, 5);
    if (offset && done.name == "mmap2") offset = *offset > kLargestFile.value ? -1 : *offset * 4096;
    const auto range = RangeOf(offset, NumberAt(done, 1));
    if (description != nullptr && range) world_.AddMapping(thread, *description, *range);
  }

  void Advise(const StraceDone& done, SeenThread& thread) {
    constexpr std::pair<std::string_view, int> kAdvice[] = {
        {"POSIX_FADV_NORMAL", POSIX_FADV_NORMAL},         {"POSIX_FADV_RANDOM", POSIX_FADV_RANDOM},
        {"POSIX_FADV_SEQUENTIAL", POSIX_FADV_SEQUENTIAL}, {"POSIX_FADV_WILLNEED", POSIX_FADV_WILLNEED},
        {"POSIX_FADV_DONTNEED", POSIX_FADV_DONTNEED},     {"POSIX_FADV_NOREUSE", POSIX_FADV_NOREUSE}};
    SeenDescription* description = DescriptionAt(done, thread, 0);
    const auto range = RangeOf(NumberAt(done, 1), NumberAt(done, 2));
    if (description == nullptr || !Succeeded(done) || !range) return;
    if (done.name == "readahead") return world_.AddAdvice(thread, *description, POSIX_FADV_WILLNEED, *range);
    for (const auto& [name, number] : kAdvice)
      if (Argument(done, 3) == name) world_.AddAdvice(thread, *description, number, *range);
  }

  // Takes what a stat call says of a file. Returns whether that is a regular one.
  bool LearnFile(const StraceDone& done, std::optional<uint32_t> number) {
    std::string_view structure;
    for (const std::string_view argument : done.call.arguments)
      if (argument.starts_with("{")) structure = argument;
    const bool is_statx = done.name == "statx";
    if (!StraceField(structure, is_statx ? "stx_mode" : "st_mode").starts_with("S_IFREG")) return structure.empty();
    if (!number) return true;
    SeenFile& file = world_.file(*number);
    if (const auto size = ParseStraceNumber(StraceField(structure, is_statx ? "stx_size" : "st_size")))
      file.size = std::max(file.size, {std::clamp<int64_t>(*size, 0, kLargestFile.value)});
    if (const auto inode = ParseStraceNumber(StraceField(structure, is_statx ? "stx_ino" : "st_ino")))
      file.inode = static_cast<uint64_t>(*inode);
    if (const auto device = ParseStraceDevice(StraceField(structure, "st_dev"))) file.device = *device;
    return true;
  }

  void StatOfDescriptor(const StraceDone& done, SeenThread& thread) {
    SeenDescription* description = DescriptionAt(done, thread, 0);
    if (Succeeded(done) && description != nullptr) description->is_special |= !LearnFile(done, description->file);
  }

  void StatOfPath(const StraceDone& done, SeenThread& thread) {
    const auto path = ParseStraceString(Argument(done, 0));
    if (Succeeded(done) && path) LearnFile(done, world_.FindFile(Resolve(*path, *thread.folder)));
  }

  void StatAt(const StraceDone& done, SeenThread& thread) {
    const auto path = ParseStraceString(Argument(done, 1));
    if (!Succeeded(done) || !path) return;
    if (path->empty()) return StatOfDescriptor(done, thread);
    LearnFile(done, world_.FindFile(Resolve(*path, FolderAt(done, thread, 0))));
  }

  void ChangeFolder(const StraceDone& done, SeenThread& thread) {
    if (!Succeeded(done)) return;
    if (done.name == "fchdir") {
      *thread.folder = FolderAt(done, thread, 0);
    } else if (const auto path = ParseStraceString(Argument(done, 0))) {
      // Relative to a folder that is not known, it is not known either.
      const bool is_known = path->starts_with("/") || !thread.folder->empty();
      *thread.folder = is_known ? Resolve(*path, *thread.folder) : "";
    }
  }

  void LearnFolder(const StraceDone& done, SeenThread& thread) {
    const auto path = ParseStraceString(Argument(done, 0));
    if (Succeeded(done) && path) *thread.folder = *path;
  }

  void Execute(const StraceDone& done, SeenThread& thread) {
    if (Succeeded(done)) world_.Execute(thread);
  }

  std::string_view text_;
  TracedWorld world_;
  std::unordered_map<int32_t, std::deque<Birth>> births_;  // by child
};

}  // namespace

TraceImport ImportStrace(std::string_view text) { return Follower(text).Run(); }

}  // namespace ahead
