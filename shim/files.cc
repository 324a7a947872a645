#include "shim/files.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/pool.h"
#include "shim/recorder.h"
#include "shim/runtime.h"

// From 5.14; older headers do not have it.
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace ahead {
namespace {

// Of files in use at a time, as many as there are descriptions. A place takes 36 KiB of address space, of which a file
// with one stream touches 8. With all of it touched, 800 files took half of a memory cgroup of 64 MiB, and what was
// fetched for them had too little room: of the bytes 1.9 % came twice (bench/sizing/run.py --rows slow-streams
// --quick).
constexpr size_t kFiles = 1024;
// Mapped at a time: most programs read few files, and what is mapped counts against limits of address space, and of
// locked memory where a program locks all of it.
constexpr size_t kPlacesPerMemory = 16;
// Files without users that keep their place while others are still free: enough for programs that open a few files
// again and again, few enough for the memory of programs that open thousands, once each.
constexpr int kIdleFiles = 16;
constexpr size_t kMounts = 16;

struct Mount {
  OwnedLock lock;
  uint64_t device = 0;
  Congestion congestion;
};

// What belongs to one file, side by side: most processes have one or two, and pay for each page they touch. Begins with
// a page, or each place would touch one more.
struct alignas(4096) Place {
  Place() {}  // not defaulted, as the policy's

  FileIdentity identity;
  File file;
  AdaptivePolicy policy;
};
// What of it a file with one stream needs: the others come last.
constexpr size_t kFirstBytes = sizeof(Place) - (StreamTable::kStreams - 1) * sizeof(Stream);

// What a search needs of a place, apart from it: a thousand of these lie in 16 KiB, a thousand places in as many pages.
struct Entry {
  uint32_t tag = 0;               // of the file's identity
  std::atomic<int32_t> users{0};  // descriptions and mappings; raised under the table's lock only
  uint64_t last_use = 0;          // a count of look-ups
};

// 600 KiB of address space, the first mapped when the first file is met; its mounts are those that are used, counted
// from the end, so that the first one lies next to the first file.
struct Memory {
  Room<Mount> mounts[kMounts];
  Entry entries[kPlacesPerMemory];
  Room<Place> places[kPlacesPerMemory];
};

struct Table {
  OwnedLock lock;  // guards the rest, places' identities, and the raising of users
  Memory* memory[kFiles / kPlacesPerMemory] = {};
  size_t place_count = 0;
  size_t mount_count = 0;
  uint64_t look_ups = 0;
};

// In .data, with what else every reading process writes to: alone in .bss each would be a page of its own.
[[gnu::section(".data")]] constinit Table table;
[[gnu::section(".data")]] constinit Holdings holdings;

// Each about a microsecond (guard.h). A decision, or the account of a batch, takes one to three; a batch of pieces has
// taken its thread thirty and more, so that to wait for a few others costs it little.
OwnedLock::Got Lock(OwnedLock& lock, LockedFile::Patience patience) {
  const int looks = patience == LockedFile::Patience::kMuch ? 30 : 4;
  OwnedLock::Got got = lock.SpinLock();
  for (int look = 1; got == OwnedLock::Got::kBusy && look < looks; ++look) got = lock.SpinLock();
  return got;
}

Room<Place>& PlaceRoom(size_t index) {
  return table.memory[index / kPlacesPerMemory]->places[index % kPlacesPerMemory];
}
Place& PlaceAt(size_t index) { return *PlaceRoom(index); }
Entry& EntryAt(size_t index) { return table.memory[index / kPlacesPerMemory]->entries[index % kPlacesPerMemory]; }

uint32_t TagOf(const FileIdentity& identity) {
  const uint64_t mixed = (identity.inode ^ identity.device << 40) * 0x9e3779b97f4a7c15u;
  return static_cast<uint32_t>(mixed >> 32);
}
Room<Mount>& MountRoom(size_t index) { return table.memory[0]->mounts[kMounts - 1 - index]; }

// Has the kernel provide the pages of [begin, end) at once instead of one fault each. Where it cannot, they fault.
void Populate(const void* begin, const void* end) {
  const uintptr_t page = runtime.page_bytes();
  const uintptr_t first = reinterpret_cast<uintptr_t>(begin) & ~(page - 1);
  syscall(SYS_madvise, first, reinterpret_cast<uintptr_t>(end) - first, MADV_POPULATE_WRITE);
}

// Maps what place `index` lies in, if it is the first there.
bool MapMemoryFor(size_t index) {
  if (index % kPlacesPerMemory != 0) return true;
  const long address = syscall(SYS_mmap, nullptr, sizeof(Memory), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
  if (address == -1) return false;
  // Where huge pages are given to all, the first touch would take two megabytes of them.
  syscall(SYS_madvise, address, sizeof(Memory), MADV_NOHUGEPAGE);
  table.memory[index / kPlacesPerMemory] = reinterpret_cast<Memory*>(address);
  return true;
}

// Returns the device's place; devices beyond the sixteenth share the last one.
uint8_t MountOf(uint64_t device) {
  for (size_t i = 0; i < table.mount_count; ++i)
    if (MountRoom(i)->device == device || i + 1 == kMounts) return static_cast<uint8_t>(i);
  MountRoom(table.mount_count).Make().device = device;
  return static_cast<uint8_t>(table.mount_count++);
}

int64_t BytesOf(int64_t pages) { return (pages > 0 ? pages : 0) * static_cast<int64_t>(runtime.page_bytes()); }

// Says what the file holds now. Other processes of the run are told.
void Account(File& file, const AdaptivePolicy& policy) {
  if (!holdings.Tell(file.holdings, policy.OutstandingPages(), policy.ActiveStreams(), runtime.learnt().safety.clock(),
                     policy.safe()))
    return;
  const Holdings::Sum all = holdings.Get();
  TellHeld(runtime.block(), {BytesOf(all.pages), all.streams});
}

// Counts what was fetched for the file and will not be read. REQUIRES: nobody uses the file.
void Forget(LockedFile& file) {
  const Facts facts{.file_size = {file->size_bytes}, .page = {static_cast<int64_t>(runtime.page_bytes())}};
  uint64_t sequence = 0;
  file.WithSurroundings([&](const Surroundings& around) {
    sequence = recorder::Called();
    file.policy().Forget(facts, around);
  });
  recorder::Forgot(sequence, file, facts);
}

// Returns the place for a new file: one never used, or that of the file that has been without users for longest. -1
// when all are in use.
int ChoosePlace() {
  int idle_count = 0;
  int oldest = -1;
  for (size_t i = 0; i < table.place_count; ++i) {
    if (EntryAt(i).users.load(std::memory_order_relaxed) != 0) continue;
    ++idle_count;
    if (oldest < 0 || EntryAt(i).last_use < EntryAt(static_cast<size_t>(oldest)).last_use) oldest = static_cast<int>(i);
  }
  if (table.place_count == kFiles || idle_count >= kIdleFiles) return oldest;
  const size_t index = table.place_count;
  if (!MapMemoryFor(index)) return oldest;
  Room<Place>* const room = &PlaceRoom(index);
  const void* const begin = index == 0 ? static_cast<void*>(&MountRoom(0)) : room;
  Populate(index != 0 && index % kPlacesPerMemory == 0 ? static_cast<const void*>(&EntryAt(index)) : begin,
           reinterpret_cast<const char*>(room) + kFirstBytes);
  room->Make();
  return static_cast<int>(table.place_count++);
}

bool Renew(size_t index, const FileIdentity& identity) {
  Place& place = PlaceAt(index);
  File& file = place.file;
  LockedFile old({static_cast<uint16_t>(index), file.generation});
  if (!old) return false;
  if (!old.is_renewed()) {
    Forget(old);
    new (&place.policy) AdaptivePolicy();
  }
  ++file.generation;
  file.mount = MountOf(identity.device);
  file.refused = file.refuses_hints = false;
  file.residency = ResidencySource::kCachestat;
  file.folder = 0;
  file.trace = kNoTraceId;
  place.identity = identity;
  EntryAt(index).tag = TagOf(identity);
  return true;
}

int Find(const FileIdentity& identity) {
  const uint32_t tag = TagOf(identity);
  for (size_t i = 0; i < table.place_count; ++i)
    if (EntryAt(i).tag == tag && PlaceAt(i).identity == identity) return static_cast<int>(i);
  return -1;
}

}  // namespace

Acquired AcquireFile(const FileIdentity& identity, FileRef& ref) noexcept {
  if (table.lock.SpinLock() == OwnedLock::Got::kBusy) return Acquired::kBusy;
  Acquired acquired = Acquired::kYes;
  int index = Find(identity);
  if (index < 0) {
    index = ChoosePlace();
    if (index < 0)
      acquired = Acquired::kFull;
    else if (!Renew(static_cast<size_t>(index), identity))
      acquired = Acquired::kBusy;
    else
      Bump(runtime.block().counters.files_tracked);
  }
  if (acquired == Acquired::kYes) {
    Entry& entry = EntryAt(static_cast<size_t>(index));
    entry.users.fetch_add(1, std::memory_order_relaxed);
    entry.last_use = ++table.look_ups;
    ref = {static_cast<uint16_t>(index), PlaceAt(static_cast<size_t>(index)).file.generation};
  }
  table.lock.Unlock();
  return acquired;
}

void ReleaseFile(FileRef ref) noexcept {
  std::atomic<int32_t>& users = EntryAt(ref.index).users;
  if (users.fetch_sub(1, std::memory_order_relaxed) != 1) return;
  // If the lock cannot be had, whoever needs the place will do it.
  LockedFile file(ref);
  if (file && users.load(std::memory_order_relaxed) == 0) Forget(file);
}

bool IsFile(FileRef ref, const FileIdentity& identity) noexcept {
  const Place& place = PlaceAt(ref.index);
  return place.file.generation == ref.generation && place.identity == identity;
}

bool IsPassive(FileRef ref, ByteCount& size) noexcept {
  const File& file = PlaceAt(ref.index).file;
  size = {file.size_bytes.load(std::memory_order_relaxed)};
  return file.passive.load(std::memory_order_relaxed) && file.epoch == runtime.epoch();
}

LockedFile::LockedFile(FileRef ref, Patience patience) noexcept
    : file_(PlaceAt(ref.index).file),
      policy_(PlaceAt(ref.index).policy),
      identity_(PlaceAt(ref.index).identity),
      patience_(patience) {
  const OwnedLock::Got got = Lock(file_.lock, patience);
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
    new (&policy_) AdaptivePolicy();
    file_.epoch = runtime.epoch();
    file_.trace = kNoTraceId;
    Account(file_, policy_);
  }
}

void LockedFile::Unlock() noexcept {
  if (!held_) return;
  held_ = false;
  // A file that was and is cached has nothing outstanding, and its reads are the ones whose cost shows.
  const bool is_settled = policy_.passive() && file_.passive.load(std::memory_order_relaxed);
  if (!is_settled || !file_.holdings.is_nothing()) Account(file_, policy_);
  file_.passive.store(policy_.passive(), std::memory_order_relaxed);
  file_.lock.Unlock();
}

Congestion* LockedFile::LockMount() noexcept {
  Mount& mount = *MountRoom(file_.mount);
  const OwnedLock::Got got = Lock(mount.lock, patience_);
  if (got == OwnedLock::Got::kBusy) {
    Bump(runtime.block().counters.observations_dropped);
    return nullptr;
  }
  if (got == OwnedLock::Got::kAbandoned) {
    new (&mount.congestion) Congestion();
    recorder::Renewed(recorder::Called(), file_.mount);
  }
  return &mount.congestion;
}

void LockedFile::UnlockMount() noexcept { MountRoom(file_.mount)->lock.Unlock(); }

Surroundings LockedFile::Around(Congestion& congestion) noexcept {
  return {runtime.options(), congestion, runtime.learnt(), runtime.block().ledger};
}

int64_t OutstandingBytes() noexcept { return BytesOf(holdings.Get().pages); }

int64_t ActiveStreams() noexcept {
  const int64_t streams = holdings.Get().streams;
  return streams > 0 ? streams : 1;
}

}  // namespace ahead
