// Files, and the mounts they lie on: what the process reads, by (device, inode), whichever descriptors it uses.
//
// A file lives in the table for as long as descriptions or mappings refer to it, and after that until its place is
// needed: a program that opens the same file again and again keeps what was learnt.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/adaptive_policy.h"
#include "core/facts.h"
#include "core/holdings.h"
#include "shim/guard.h"
#include "shim/residency.h"
#include "stats/trace_format.h"

namespace ahead {

struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;

  bool operator==(const FileIdentity&) const = default;
};

// A place in the table, and which of the files that had it is meant.
struct FileRef {
  uint16_t index = 0;
  uint32_t generation = 0;

  bool operator==(const FileRef&) const = default;
};

// Thread safety: `lock` guards all that is not atomic.
struct File {
  OwnedLock lock;
  std::atomic<uint32_t> generation{0};  // written under both locks
  std::atomic<uint16_t> epoch{0};       // of the process that filled the rest
  uint8_t mount = 0;
  bool is_local = false;       // on a disk of the machine's own
  bool refused = false;        // the kernel does not read ahead here: never ask again
  bool refuses_hints = false;  // the kernel does not take FADV_RANDOM here
  ResidencySource residency = ResidencySource::kCachestat;
  std::atomic<bool> passive{false};    // the file is known to be cached, as its policy said last
  std::atomic<int64_t> size_bytes{0};  // as seen at the last decision
  uint32_t folder = 0;                 // that it was found in (core/habits.h); 0: not looked yet
  TraceId trace = kNoTraceId;          // its number in the trace
  Holdings::Of holdings;               // of its policy, as the process was told last
};

enum class Acquired : uint8_t {
  kYes,
  kBusy,  // another thread is in the table
  kFull,  // it is full of files in use, or there is no memory for it
};

// Finds the file, or gives it a place, and takes a use of it. REQUIRES: inside a Section.
Acquired AcquireFile(const FileIdentity& identity, FileRef& ref) noexcept;

// Gives a use back; with the last one, what was fetched and not read is wasted. REQUIRES: inside a Section; the file's
// lock is not held.
void ReleaseFile(FileRef ref) noexcept;

// Returns whether `ref` is the file `identity`. Thread safety: a race with reuse gives an answer for either.
bool IsFile(FileRef ref, const FileIdentity& identity) noexcept;

// Says whether the file is known to be cached, so that nothing is asked for; then `size` is what it last was.
bool IsPassive(FileRef ref, ByteCount& size) noexcept;

// Holds a file's lock, if it could be had and the place still belongs to the file that is meant. Whatever a fork or an
// abandoned section left there was then replaced by a blank policy. The lock is never held while the kernel is asked
// for pieces: threads that read meanwhile are observed.
class LockedFile {
 public:
  // How long to try for the lock: what would be lost is an observation, or the account of what was asked for.
  enum class Patience : uint8_t { kLittle, kMuch };

  explicit LockedFile(FileRef ref, Patience patience = Patience::kLittle) noexcept;
  ~LockedFile() { Unlock(); }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  explicit operator bool() const noexcept { return held_; }
  File* operator->() const noexcept { return &file_; }
  File& operator*() const noexcept { return file_; }
  AdaptivePolicy& policy() const noexcept { return policy_; }
  const FileIdentity& identity() const noexcept { return identity_; }
  // Gives the lock back before the end of the scope. Nothing else is called afterwards.
  void Unlock() noexcept;

  // True when the policy is blank because of a fork or an abandoned section: filters it armed mean nothing now.
  bool is_renewed() const noexcept { return is_renewed_; }

  // Calls `use(surroundings)` with the congestion state of the file's mount locked. Returns false, without the call,
  // when another thread kept it too long.
  template <typename Use>
  bool WithSurroundings(Use use) {
    Congestion* congestion = LockMount();
    if (congestion == nullptr) return false;
    use(Around(*congestion));
    UnlockMount();
    return true;
  }

 private:
  Congestion* LockMount() noexcept;
  void UnlockMount() noexcept;
  static Surroundings Around(Congestion& congestion) noexcept;

  File& file_;
  AdaptivePolicy& policy_;
  const FileIdentity& identity_;
  const Patience patience_;
  bool held_ = false;
  bool is_renewed_ = false;
};

// Returns the bytes fetched and not yet read by this process, over all files.
int64_t OutstandingBytes() noexcept;

// Returns how many streams of this process share the memory for such data; at least 1.
int64_t ActiveStreams() noexcept;

}  // namespace ahead
