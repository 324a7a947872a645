#include "shim/runtime.h"

#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/facts.h"
#include "shim/guard.h"
#include "shim/message.h"
#include "shim/real.h"
#include "shim/recorder.h"
#include "stats/segment_map.h"
#include "stats/trace_writer.h"

namespace ahead {
namespace {

// The texts of options: the host may overwrite its environment.
constinit char texts[8192] = {};
constinit size_t texts_used = 0;

// Counts where there is no segment, or no room in it.
constinit Block private_block = {};

// Compared letter by letter, so that the compiler makes numbers of them.
bool IsOurs(const char* entry) {
  return entry[0] == 'A' && entry[1] == 'H' && entry[2] == 'E' && entry[3] == 'A' && entry[4] == 'D' && entry[5] == '_';
}

// Returns the value if `entry`, one of ours, is AHEAD_SESSION, else null.
const char* SessionIn(const char* entry) {
  const char* name = entry + 6;
  const bool is_session = name[0] == 'S' && name[1] == 'E' && name[2] == 'S' && name[3] == 'S' && name[4] == 'I' &&
                          name[5] == 'O' && name[6] == 'N' && name[7] == '=';
  return is_session ? name + 8 : nullptr;
}

// Returns the value in "NAME=value" if the name is `name`, else null.
const char* ValueOf(const char* entry, const char* name) {
  const size_t length = strlen(name);
  return strncmp(entry, name, length) == 0 && entry[length] == '=' ? entry + length + 1 : nullptr;
}

// By hand, like the search in CountFilters: each function of libc that we name is looked up at every start.
bool Holds(const char* text, char wanted) {
  while (*text != 0 && *text != wanted) ++text;
  return *text != 0;
}

size_t RowOf(const char* variable) {
  size_t row = 0;
  while (row < kOptionCount && strcmp(OptionAt(row).variable, variable) != 0) ++row;
  return row;
}

// Returns the small whole number that `text` begins with, 0 when it does not.
int NumberIn(const char* text) {
  int number = 0;
  for (; *text >= '0' && *text <= '9' && number < 1000; ++text) number = number * 10 + (*text - '0');
  return number;
}

// Returns how many filters of system calls the process runs under, 0 when the kernel does not say (before 5.9).
int CountFilters() {
  const long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return 0;
  char text[2048];
  const long bytes = syscall(SYS_read, fd, text, sizeof(text) - 1);
  syscall(SYS_close, fd);
  if (bytes <= 0) return 0;
  text[bytes] = 0;
  constexpr char kName[] = "Seccomp_filters:\t";
  for (const char* at = text; *at != 0; ++at)
    if (strncmp(at, kName, sizeof(kName) - 1) == 0) return NumberIn(at + sizeof(kName) - 1);
  return 0;
}

pid_t CurrentPid() { return static_cast<pid_t>(syscall(SYS_getpid)); }

}  // namespace

constinit Runtime runtime;

// As little as possible is done here: most processes of a shell script read nothing that is worth it.
void Runtime::Start(char** environment) noexcept {
  const ErrnoSaver errno_saver;
  // A program with rights its user does not have must not be told by the environment where to write.
  const bool go = getauxval(AT_SECURE) == 0 && ReadOptions(environment) && options_.off == 0;
  if (go) {
    started_pid_ = CurrentPid();
    page_bytes_ = getauxval(AT_PAGESZ);
    if (session_ == nullptr) OpenStatsFile();
  }
  real::Start();
  state_.store(go ? State::kReady : State::kPassThrough, std::memory_order_release);
}

// Returns false when AHEAD_OFF says so, whatever the other variables are. Where there is nothing for us, as in most
// processes, it touches neither the table of options nor any constant: each is a page to be faulted in.
bool Runtime::ReadOptions(char** environment) noexcept {
  bool has_options = false;
  for (char** entry = environment; *entry != nullptr; ++entry) {
    if (!IsOurs(*entry)) continue;
    if (const char* session = SessionIn(*entry))
      session_ = KeepSession(session);
    else
      has_options = true;
  }
  if (!has_options) return true;
  const size_t off = RowOf("AHEAD_OFF");
  for (char** entry = environment; *entry != nullptr; ++entry)
    if (const char* value = ValueOf(*entry, "AHEAD_OFF"); value != nullptr && SetOption(options_, off, value))
      if (options_.off != 0) return false;
  RememberStandardError();
  for (char** entry = environment; *entry != nullptr; ++entry)
    if (IsOurs(*entry)) ReadOption(*entry);
  return true;
}

void Runtime::ReadOption(const char* entry) noexcept {
  if (const char* filters = ValueOf(entry, "AHEAD_FILTERS")) known_filters_ = NumberIn(filters);
  for (size_t row = 0; row < kOptionCount; ++row) {
    const char* value = ValueOf(entry, OptionAt(row).variable);
    if (value == nullptr) continue;
    if (OptionAt(row).kind == OptionKind::kText)
      value = row == RowOf("AHEAD_STATS") || row == RowOf("AHEAD_TRACE") ? KeepPath(value) : Keep(value);
    if (value == nullptr || !SetOption(options_, row, value)) ReportBadOption(row, entry);
  }
}

// Returns a copy that lasts, null when it is longer than any path that `ahead run` gives.
const char* Runtime::KeepSession(const char* path) noexcept {
  size_t bytes = 0;
  while (path[bytes] != 0) ++bytes;
  if (bytes >= sizeof(session_path_)) return nullptr;
  for (size_t i = 0; i <= bytes; ++i) session_path_[i] = path[i];
  return session_path_;
}

// Returns a copy that lasts, null when there is no room.
const char* Runtime::Keep(const char* text) noexcept {
  const size_t bytes = strlen(text) + 1;
  if (bytes > sizeof(texts) - texts_used) return nullptr;
  char* copy = texts + texts_used;
  texts_used += bytes;
  return static_cast<char*>(memcpy(copy, text, bytes));
}

// As Keep, for the pattern of a file that may be opened only after the program has changed its folder.
const char* Runtime::KeepPath(const char* path) noexcept {
  char* copy = texts + texts_used;
  const size_t room = sizeof(texts) - texts_used;
  const long length = path[0] == '/' ? 0 : syscall(SYS_getcwd, copy, room);  // with the zero at its end
  const size_t bytes = strlen(path) + 1;
  // A '%' in the folder's name would be taken for one of the pattern.
  if (length <= 0 || copy[0] != '/' || Holds(copy, '%') || static_cast<size_t>(length) + bytes > room)
    return Keep(path);
  copy[length - 1] = '/';
  memcpy(copy + length, path, bytes);
  texts_used += static_cast<size_t>(length) + bytes;
  return copy;
}

void Runtime::OpenStatsFile() noexcept {
  if (options_.stats_text == nullptr) return;
  segment_ = MapStatsFile(options_.stats_text, started_pid_);
  // A file of another user's is passed by in silence: the programs of one run may change their user.
  if (!segment_ && errno != EACCES && errno != EPERM) ReportBadFile("AHEAD_STATS", options_.stats_text);
}

void Runtime::ClaimBlockOfOwn() noexcept {
  block_ = segment_ ? ClaimBlock(segment_, pid_) : nullptr;
  if (block_ == nullptr) block_ = &private_block;
  learnt_.run_habits = segment_ ? &segment_->habits : nullptr;
  block_->ledger.Add(Event::advice, Class::none, 0, standing_advice_.exchange(0, std::memory_order_relaxed));
}

void Runtime::CountStandingAdvice() noexcept {
  if (state_.load(std::memory_order_acquire) == State::kOn)
    block_->ledger.Add(Event::advice, Class::none, 0);
  else
    standing_advice_.fetch_add(1, std::memory_order_relaxed);
}

void Runtime::StartTrace() noexcept {
  if (options_.trace_text == nullptr) return;
  TraceError error;
  trace_ = OpenTrace(options_.trace_text, pid_, {static_cast<int64_t>(page_bytes_)}, error);
  if (trace_ != nullptr) return TraceProcess(trace_, options_, Now());
  // A file of another user's is passed by in silence, as with statistics.
  if (errno != EACCES && errno != EPERM) ReportBadFile("AHEAD_TRACE", options_.trace_text);
}

void Runtime::WatchForForks() noexcept {
  const long page =
      syscall(SYS_mmap, nullptr, page_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
  if (page == -1) return;
  if (syscall(SYS_madvise, page, page_bytes_, MADV_WIPEONFORK) != 0) {
    syscall(SYS_munmap, page, page_bytes_);
    return;
  }
  auto* const alive = reinterpret_cast<std::atomic<uint32_t>*>(page);
  alive->store(kAlive, std::memory_order_relaxed);
  __atomic_store_n(&alive_, alive, __ATOMIC_RELEASE);  // others look already
}

bool Runtime::OwnsTables() noexcept {
  const State state = state_.load(std::memory_order_acquire);
  if (state == State::kReady) return SetUp();
  // Whoever makes them does not, in a child that was forked meanwhile.
  if (state == State::kSettingUp && IsForked()) GiveUp();
  if (state != State::kOn) return false;
  if (alive_ != nullptr && alive_->load(std::memory_order_acquire) != kAlive) return AdoptFork();
  return IsThisProcess();
}

bool Runtime::IsForked() const noexcept {
  const auto* const alive = __atomic_load_n(&alive_, __ATOMIC_ACQUIRE);
  return alive != nullptr && alive->load(std::memory_order_acquire) == kWiped;
}

bool Runtime::IsBeingMade() const noexcept {
  const State state = state_.load(std::memory_order_acquire);
  if (state != State::kOn) return state == State::kSettingUp;
  return alive_ != nullptr && alive_->load(std::memory_order_acquire) == kAdopting;
}

bool Runtime::OwnsTablesSoon() noexcept {
  constexpr int kMostYields = 5000;
  for (int yields = 0; !OwnsTables(); ++yields) {
    if (!IsBeingMade() || yields == kMostYields) return false;
    syscall(SYS_sched_yield);
  }
  return true;
}

// A child of vfork may be the first to come, before its parent. It then works in its parent's name, and the parent
// takes over when it is back.
bool Runtime::IsThisProcess() noexcept {
  const pid_t pid = CurrentPid();
  if (pid != pid_ && pid == started_pid_) pid_ = pid;
  return pid == pid_;
}

bool Runtime::IsStartedProcess() const noexcept { return CurrentPid() == started_pid_; }

// Filters that the process installs itself are seen as they come (prctl in hooks.cc); this finds those it was born
// with.
bool Runtime::LookForFilters() noexcept {
  // EINVAL: the kernel knows no filters.
  const bool is_filtered = syscall(SYS_prctl, PR_GET_SECCOMP, 0L, 0L, 0L, 0L) != 0 && errno != EINVAL;
  if (is_filtered && (known_filters_ == 0 || CountFilters() != known_filters_)) {
    GiveUp();
    return false;
  }
  is_unfiltered_.store(true, std::memory_order_relaxed);
  return true;
}

void Runtime::PrepareToRead() noexcept {
  if (state_.load(std::memory_order_relaxed) != State::kReady || !HasAudience()) return;
  const ErrnoSaver errno_saver;
  const Section section;
  if (section.entered() && MayCall() && IsStartedProcess()) SetUp();
}

bool Runtime::SetUp() noexcept {
  State expected = State::kReady;
  if (!state_.compare_exchange_strong(expected, State::kSettingUp)) return false;
  pid_ = CurrentPid();
  WatchForForks();
  // Costs as much as all else at the start, and most processes of a run read nothing.
  if (session_ != nullptr) segment_ = MapSegmentFile(session_, MapMode::kOpen);
  if (!segment_ && session_ != nullptr) OpenStatsFile();
  ClaimBlockOfOwn();
  StartTrace();
  // Unless it was switched off meanwhile.
  expected = State::kSettingUp;
  return state_.compare_exchange_strong(expected, State::kOn, std::memory_order_release);
}

// Makes the copied tables this process's own. What lies in them is told by its epoch to be the parent's and dropped
// where it is met (files.h), so nothing is walked through here.
bool Runtime::AdoptFork() noexcept {
  uint32_t expected = kWiped;
  if (!alive_->compare_exchange_strong(expected, kAdopting)) return false;
  pid_ = started_pid_ = CurrentPid();
  epoch_.store(static_cast<uint16_t>(epoch_.load(std::memory_order_relaxed) + 1), std::memory_order_relaxed);
  memset(static_cast<void*>(&private_block), 0, sizeof(private_block));
  if (options_.stats_text != nullptr && session_ == nullptr && HasProcessPattern(options_.stats_text)) {
    // The parent's stays mapped: a section that a fork interrupted may still count into it.
    segment_ = MapStatsFile(options_.stats_text, pid_);
  }
  ClaimBlockOfOwn();
  if (trace_ != nullptr && HasProcessPattern(options_.trace_text)) {
    recorder::ForgetNumbers();
    StartTrace();
  } else if (trace_ != nullptr) {
    TraceProcess(trace_, options_, Now(), TraceBegin::kFork);
  }
  alive_->store(kAlive, std::memory_order_release);
  return true;
}

}  // namespace ahead

extern "C" {
__attribute__((constructor)) static void AheadStart(int, char**, char** environment) {
  ahead::runtime.Start(environment);
}
}
