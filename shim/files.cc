#include "shim/files.h"

#include "shim/pool.h"
#include "shim/runtime.h"

namespace ahead {
namespace {

// 24 KiB of policy each, touched when used: 6 MiB of address space.
constexpr size_t kFiles = 256;
// Files without users that keep their place while others are still free: enough for programs that open a few files
// again and again, few enough for the memory of programs that open thousands, once each.
constexpr int kIdleFiles = 16;
constexpr size_t kMounts = 16;

// Apart from the files, so that looking for one touches 6 KiB.
struct Entry {
  FileIdentity identity;
  uint64_t last_use = 0;  // a count of look-ups
};

struct Mount {
  OwnedLock lock;
  uint64_t device = 0;
  uint16_t epoch = 0;  // 0: never used
};

constinit OwnedLock table_lock;  // entries, entry_count, mounts' devices, and the raising of users
constinit Entry entries[kFiles] = {};
constinit size_t entry_count = 0;
constinit uint64_t look_ups = 0;
constinit Pool<File, kFiles> files = {};  // made when entry_count reaches them
constinit MappedPool<AdaptivePolicy, kFiles> policies;
constinit Mount mounts[kMounts] = {};
constinit Pool<Congestion, kMounts> congestions = {};
constinit std::atomic<int64_t> outstanding_pages{0};

// Returns the device's place; devices beyond the sixteenth share the last one.
uint8_t MountOf(uint64_t device) {
  for (size_t i = 0; i < kMounts; ++i) {
    if (mounts[i].epoch == 0) mounts[i].device = device;
    if (mounts[i].epoch == 0 || mounts[i].device == device || i + 1 == kMounts) {
      if (mounts[i].epoch == 0) congestions.Make(i), mounts[i].epoch = 1;
      return static_cast<uint8_t>(i);
    }
  }
  return kMounts - 1;
}

// What is outstanding now, against what was when it was last looked at.
void AccountOutstanding(File& file, const AdaptivePolicy& policy) {
  const int64_t pages = policy.OutstandingPages();
  outstanding_pages.fetch_add(pages - file.outstanding_pages, std::memory_order_relaxed);
  file.outstanding_pages = pages;
}

// Counts what was fetched for the file and will not be read. REQUIRES: nobody uses the file.
void Forget(LockedFile& file) {
  const Facts facts{.file_size = {file->size_bytes}, .page = {static_cast<int64_t>(runtime.page_bytes())}};
  file.WithSurroundings([&](const Surroundings& around) { file.policy().Forget(facts, around); });
}

// Returns the place for a new file: one never used, or that of the file that has been without users for longest. -1
// when all are in use.
int ChoosePlace() {
  int idle_count = 0;
  int oldest = -1;
  for (size_t i = 0; i < entry_count; ++i) {
    if (files[i].users.load(std::memory_order_relaxed) != 0) continue;
    ++idle_count;
    if (oldest < 0 || entries[i].last_use < entries[static_cast<size_t>(oldest)].last_use) oldest = static_cast<int>(i);
  }
  if (entry_count < kFiles && idle_count < kIdleFiles) {
    files.Make(entry_count);
    return static_cast<int>(entry_count++);
  }
  return oldest;
}

bool Renew(size_t index, const FileIdentity& identity) {
  File& file = files[index];
  LockedFile old({static_cast<uint16_t>(index), file.generation});
  if (!old) return false;
  if (!old.is_renewed()) {
    Forget(old);
    policies.Make(index);
  }
  ++file.generation;
  file.mount = MountOf(identity.device);
  file.refused = false;
  file.residency = ResidencySource::kCachestat;
  file.trace = kNoTraceId;
  entries[index].identity = identity;
  return true;
}

int Find(const FileIdentity& identity) {
  for (size_t i = 0; i < entry_count; ++i)
    if (entries[i].identity == identity) return static_cast<int>(i);
  return -1;
}

}  // namespace

bool AcquireFile(const FileIdentity& identity, FileRef& ref) noexcept {
  if (table_lock.SpinLock() == OwnedLock::Got::kBusy) return false;
  int index = Find(identity);
  if (index < 0 && policies.Map()) {
    index = ChoosePlace();
    if (index >= 0 && !Renew(static_cast<size_t>(index), identity)) index = -1;
    if (index >= 0) Bump(runtime.block().counters.files_tracked);
  }
  if (index >= 0) {
    File& file = files[static_cast<size_t>(index)];
    file.users.fetch_add(1, std::memory_order_relaxed);
    entries[index].last_use = ++look_ups;
    ref = {static_cast<uint16_t>(index), file.generation};
  }
  table_lock.Unlock();
  return index >= 0;
}

void ReleaseFile(FileRef ref) noexcept {
  if (files[ref.index].users.fetch_sub(1, std::memory_order_relaxed) != 1) return;
  // If the lock cannot be had, whoever needs the place will do it.
  LockedFile file(ref);
  if (file && file->users.load(std::memory_order_relaxed) == 0) Forget(file);
}

bool IsFile(FileRef ref, const FileIdentity& identity) noexcept {
  return files[ref.index].generation == ref.generation && entries[ref.index].identity == identity;
}

bool IsPassive(FileRef ref, ByteCount& size) noexcept {
  const File& file = files[ref.index];
  size = {file.size_bytes.load(std::memory_order_relaxed)};
  return file.passive.load(std::memory_order_relaxed) && file.epoch == runtime.epoch();
}

LockedFile::LockedFile(FileRef ref) noexcept : file_(files[ref.index]), index_(ref.index) {
  const OwnedLock::Got got = file_.lock.SpinLock();
  if (got == OwnedLock::Got::kBusy) {
    Bump(runtime.block().counters.observations_dropped);
    return;
  }
  held_ = true;
  if (file_.generation != ref.generation) {
    file_.lock.Unlock();
    held_ = false;
    return;
  }
  is_renewed_ = got == OwnedLock::Got::kAbandoned || file_.epoch != runtime.epoch();
  if (is_renewed_) {
    policies.Make(index_);
    file_.epoch = runtime.epoch();
    file_.trace = kNoTraceId;
    AccountOutstanding(file_, policies[index_]);
  }
}

LockedFile::~LockedFile() {
  if (!held_) return;
  AccountOutstanding(file_, policies[index_]);
  file_.passive.store(policies[index_].passive(), std::memory_order_relaxed);
  file_.lock.Unlock();
}

AdaptivePolicy& LockedFile::policy() const noexcept { return policies[index_]; }

Congestion* LockedFile::LockMount() noexcept {
  Mount& mount = mounts[file_.mount];
  const OwnedLock::Got got = mount.lock.SpinLock();
  if (got == OwnedLock::Got::kBusy) {
    Bump(runtime.block().counters.observations_dropped);
    return nullptr;
  }
  return got == OwnedLock::Got::kAbandoned ? &congestions.Make(file_.mount) : &congestions[file_.mount];
}

void LockedFile::UnlockMount() noexcept { mounts[file_.mount].lock.Unlock(); }

Surroundings LockedFile::Around(Congestion& congestion) noexcept {
  return {runtime.options(), congestion, runtime.initial_size(), runtime.block().ledger};
}

int64_t OutstandingBytes() noexcept {
  const int64_t pages = outstanding_pages.load(std::memory_order_relaxed);
  return (pages > 0 ? pages : 0) * static_cast<int64_t>(runtime.page_bytes());
}

}  // namespace ahead
