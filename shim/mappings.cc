#include "shim/mappings.h"

#include <sys/mman.h>

#include <atomic>

#include "shim/advice.h"
#include "shim/engine.h"
#include "shim/runtime.h"

namespace ahead {
namespace {

// Mappings beyond these are not known: their files may be given up early.
constexpr size_t kMappings = 256;
constexpr uintptr_t kFree = 0;
constexpr uintptr_t kBusy = 1;

// Thread safety: `begin` is kFree, then kBusy while it is filled or emptied, then the address: whoever exchanges it
// owns the rest.
struct Mapping {
  std::atomic<uintptr_t> begin{kFree};
  std::atomic<uintptr_t> end{0};
  FileRef file;
  int64_t offset = 0;
};

constinit Mapping mappings[kMappings] = {};
// One more than the highest index in use since the start: how far to look.
constinit std::atomic<size_t> mapping_count{0};

bool Overlaps(const Mapping& mapping, uintptr_t begin, uintptr_t end) {
  const uintptr_t first = mapping.begin.load(std::memory_order_acquire);
  return first > kBusy && first < end && begin < mapping.end.load(std::memory_order_relaxed);
}

bool Record(uintptr_t begin, uintptr_t end, FileRef file, int64_t offset) {
  for (size_t i = 0; i < kMappings; ++i) {
    uintptr_t expected = kFree;
    if (!mappings[i].begin.compare_exchange_strong(expected, kBusy)) continue;
    mappings[i].end.store(end, std::memory_order_relaxed);
    mappings[i].file = file;
    mappings[i].offset = offset;
    mappings[i].begin.store(begin, std::memory_order_release);
    size_t count = mapping_count.load(std::memory_order_relaxed);
    while (count <= i && !mapping_count.compare_exchange_weak(count, i + 1)) {
    }
    return true;
  }
  return false;
}

// Takes out what overlaps [begin, end): a mapping that has lost a part counts as gone. What is put in its place keeps
// its file: [moved_begin, moved_end), if that is not empty.
void Remove(uintptr_t begin, uintptr_t end, uintptr_t moved_begin = 0, uintptr_t moved_end = 0) {
  const size_t count = mapping_count.load(std::memory_order_acquire);
  for (size_t i = 0; i < count; ++i) {
    if (!Overlaps(mappings[i], begin, end)) continue;
    const ErrnoSaver errno_saver;
    if (!runtime.OwnsTables()) return;
    const Section section;
    uintptr_t first = mappings[i].begin.load(std::memory_order_relaxed);
    if (!section.entered() || first <= kBusy || !mappings[i].begin.compare_exchange_strong(first, kBusy)) continue;
    const FileRef file = mappings[i].file;
    if (first == begin && moved_begin < moved_end) {
      mappings[i].end.store(moved_end, std::memory_order_relaxed);
      mappings[i].begin.store(moved_begin, std::memory_order_release);
      moved_begin = moved_end;
      continue;
    }
    mappings[i].begin.store(kFree, std::memory_order_release);
    ReleaseFile(file);
  }
}

}  // namespace

void NoteMapped(void* address, size_t length, int protection, int flags, int fd, int64_t offset) noexcept {
  const auto begin = reinterpret_cast<uintptr_t>(address);
  if ((flags & MAP_FIXED) != 0) Remove(begin, begin + length);
  if ((flags & (MAP_ANONYMOUS | MAP_POPULATE)) != 0 || (protection & PROT_READ) == 0) return;
  FileRef file;
  if (!AcquireForMapping(fd, offset, static_cast<int64_t>(length), file)) return;
  if (Record(begin, begin + length, file, offset)) return;
  const Section section;
  if (section.entered()) ReleaseFile(file);
}

void NoteUnmapping(void* address, size_t length) noexcept {
  const auto begin = reinterpret_cast<uintptr_t>(address);
  Remove(begin, begin + length);
}

void NoteRemapped(void* address, size_t old_length, void* result, size_t length) noexcept {
  const auto begin = reinterpret_cast<uintptr_t>(address);
  const auto moved = reinterpret_cast<uintptr_t>(result);
  // Without an old length a second mapping of the same pages is made; it is not known.
  if (old_length != 0) Remove(begin, begin + old_length, moved, moved + length);
}

void NoteMemoryAdvice(void* address, size_t length, int number) noexcept {
  HostAdvice advice;
  if (!IsMemoryAdvice(number, advice)) return;
  const auto begin = reinterpret_cast<uintptr_t>(address);
  const size_t count = mapping_count.load(std::memory_order_acquire);
  for (size_t i = 0; i < count; ++i) {
    const Mapping& mapping = mappings[i];
    if (!Overlaps(mapping, begin, begin + length)) continue;
    const auto inside = static_cast<int64_t>(begin - mapping.begin.load(std::memory_order_relaxed));
    return NoteMappedAdvice(mapping.file, advice, mapping.offset + inside, static_cast<int64_t>(length));
  }
}

}  // namespace ahead
