// The state of the library in this process: is it on, with which options, where does it count, and is this still the
// process that its tables describe?
//
// Nothing here is ever destroyed: host code that runs after our libc's exit handlers still finds everything in place.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "core/learnt.h"
#include "core/options.h"
#include "core/units.h"
#include "stats/segment.h"
#include "stats/trace_map.h"

namespace ahead {

// Thread safety: written by the constructor, by the first thread that needs it, and in a child of fork by the first
// thread that comes; read by all.
class Runtime {
 public:
  enum class State : uint8_t {
    kStarting,     // our constructor has not run: calls go to the kernel unseen
    kPassThrough,  // switched off, or not fit to run here; for good
    kReady,        // on, and nothing was read yet
    kSettingUp,    // on, and a thread makes the tables
    kOn,
  };

  // Reads the environment and gets ready or stays out of the way. Called once, by the constructor.
  void Start(char** environment) noexcept;

  bool is_on() const noexcept { return state_.load(std::memory_order_relaxed) >= State::kReady; }

  // Says whether this thread may use and change the tables: the library is on, and they are those of this process. In
  // the first call of a process, also of a child of fork, makes them so. False in a child of vfork, which runs in its
  // parent's memory, and in whatever else shares memory but not the process number. Cost: one system call.
  bool OwnsTables() noexcept;

  // Says whether what is seen goes anywhere: to a segment or a trace.
  bool HasAudience() const noexcept { return session_ != nullptr || segment_ || options_.trace_text != nullptr; }

  // Says whether `ahead run` started it: then the run's segment says what is to be known of its memory.
  bool is_of_run() const noexcept { return session_ != nullptr; }

  // The same for a read that is to be recorded: while another thread makes the tables this process's own, gives way to
  // it, for some milliseconds at the most.
  bool OwnsTablesSoon() noexcept;

  // Where it has an audience, does what OwnsTables would do first. Called when the host opens a file: later
  // it may have other threads, which must not see a descriptor that is ours for a moment, another root, or another
  // user. Keeps errno.
  void PrepareToRead() noexcept;

  // Says whether this is the process in which the constructor ran, or a fork of it that was met; not so in a child of
  // vfork. Cost: one system call.
  bool IsStartedProcess() const noexcept;

  // Says whether the engine may make system calls. Not so when the process was started under filters of system calls:
  // what they do with a call they do not expect, kill the process for instance, cannot be known. Unless there are just
  // as many of them as AHEAD_FILTERS says: whoever set it has tried (`ahead run`). Switches off for good if not.
  // Cost: one system call, once.
  bool MayCall() noexcept { return is_unfiltered_.load(std::memory_order_relaxed) || LookForFilters(); }

  // Counts advice of the host that concerns no range. Cost: no system call; before there is a place to count, the
  // number is kept.
  void CountStandingAdvice() noexcept;

  // Says whether a trace was asked for. Cost: a load.
  bool is_recording() const noexcept { return options_.trace_text != nullptr && is_on(); }

  // Says the same in a thread for which it was true a call of the host's ago. Cost: a load.
  bool StillOwnsTables() noexcept {
    return state_.load(std::memory_order_acquire) == State::kOn &&
           (alive_ == nullptr || alive_->load(std::memory_order_acquire) == kAlive);
  }

  // Says whether StillOwnsTables is false in a child of fork; on kernels before 4.14 it is not.
  bool TellsForks() const noexcept { return alive_ != nullptr; }

  // Switches off for good, for a process in which the kernel refuses what we do.
  void GiveUp() noexcept { state_.store(State::kPassThrough, std::memory_order_relaxed); }

  // A number that changes with each fork: state of another epoch was the parent's.
  uint16_t epoch() const noexcept { return epoch_.load(std::memory_order_relaxed); }

  const Options& options() const noexcept { return options_; }
  Learnt& learnt() noexcept { return learnt_; }
  Block& block() noexcept { return *block_; }
  // Returns the memory that the run says there is for its files; 0 when it does not.
  int64_t run_memory() const noexcept {
    return segment_ ? __atomic_load_n(&segment_->memory_bytes, __ATOMIC_RELAXED) : 0;
  }
  // Returns what the other processes of the run hold. Cost: microseconds.
  Held HeldByOthersOfRun() const noexcept { return segment_ ? HeldByOthers(segment_, block_) : Held{}; }
  uintptr_t page_bytes() const noexcept { return page_bytes_; }
  // Returns where to record, null when nothing is recorded.
  Trace* trace() const noexcept { return trace_; }

 private:
  // What alive_ holds: the kernel makes it 0 in a child of fork.
  static constexpr uint32_t kWiped = 0;
  static constexpr uint32_t kAdopting = 1;
  static constexpr uint32_t kAlive = 2;

  bool ReadOptions(char** environment) noexcept;
  void ReadOption(const char* entry) noexcept;
  const char* Keep(const char* text) noexcept;
  const char* KeepPath(const char* path) noexcept;
  const char* KeepSession(const char* path) noexcept;
  void OpenStatsFile() noexcept;
  void ClaimBlockOfOwn() noexcept;
  void StartTrace() noexcept;
  void WatchForForks() noexcept;
  bool SetUp() noexcept;
  bool AdoptFork() noexcept;
  bool IsThisProcess() noexcept;
  bool IsForked() const noexcept;
  bool IsBeingMade() const noexcept;
  bool LookForFilters() noexcept;

  std::atomic<State> state_{State::kStarting};
  std::atomic<bool> is_unfiltered_{false};
  std::atomic<uint32_t> standing_advice_{0};  // given before there was a block
  std::atomic<uint16_t> epoch_{1};
  pid_t started_pid_ = 0;  // where the constructor ran, or a fork was adopted
  pid_t pid_ = 0;          // whose the tables are
  uintptr_t page_bytes_ = 4096;
  // In a page that the kernel clears in the child of a fork (MADV_WIPEONFORK), and not in that of a vfork. Null on
  // kernels that cannot: children of either kind then go without us.
  std::atomic<uint32_t>* alive_ = nullptr;
  Options options_;
  const char* session_ = nullptr;  // AHEAD_SESSION, or null
  int known_filters_ = 0;          // AHEAD_FILTERS
  char session_path_[64] = {};
  Learnt learnt_;
  SegmentView segment_;
  Block* block_ = nullptr;  // in the segment, or private
  Trace* trace_ = nullptr;
};

[[gnu::visibility("hidden")]] extern constinit Runtime runtime;

}  // namespace ahead
