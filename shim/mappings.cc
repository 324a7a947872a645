#include "shim/mappings.h"

#include <sys/mman.h>

#include <atomic>

#include "shim/advice.h"
#include "shim/engine.h"
#include "shim/recorder.h"
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
  TraceId trace = kNoTraceId;
};

bool Overlaps(const Mapping& mapping, uintptr_t begin, uintptr_t end) {
  const uintptr_t first = mapping.begin.load(std::memory_order_acquire);
  return first > kBusy && first < end && begin < mapping.end.load(std::memory_order_relaxed);
}

class Table {
 public:
  bool Add(uintptr_t begin, uintptr_t end, FileRef file, int64_t offset, TraceId trace) {
    for (size_t i = 0; i < kMappings; ++i) {
      uintptr_t expected = kFree;
      if (!mappings_[i].begin.compare_exchange_strong(expected, kBusy)) continue;
      mappings_[i].end.store(end, std::memory_order_relaxed);
      mappings_[i].file = file;
      mappings_[i].offset = offset;
      mappings_[i].trace = trace;
      mappings_[i].begin.store(begin, std::memory_order_release);
      size_t count = count_.load(std::memory_order_relaxed);
      while (count <= i && !count_.compare_exchange_weak(count, i + 1)) {
      }
      return true;
    }
    return false;
  }

  // Takes out what overlaps [begin, end): a mapping that has lost a part counts as gone. What is put in its place keeps
  // its file: [moved_begin, moved_end), if that is not empty. Calls `release(file)` for each that is gone.
  template <typename Release>
  void Remove(uintptr_t begin, uintptr_t end, uintptr_t moved_begin, uintptr_t moved_end, Release release) {
    const size_t count = count_.load(std::memory_order_acquire);
    for (size_t i = 0; i < count; ++i) {
      Mapping& mapping = mappings_[i];
      if (!Overlaps(mapping, begin, end)) continue;
      const ErrnoSaver errno_saver;
      if (!runtime.OwnsTables()) return;
      const Section section;
      uintptr_t first = mapping.begin.load(std::memory_order_relaxed);
      if (!section.entered() || first <= kBusy || !mapping.begin.compare_exchange_strong(first, kBusy)) continue;
      const FileRef file = mapping.file;
      const auto length = static_cast<int64_t>(mapping.end.load(std::memory_order_relaxed) - first);
      recorder::Unmapped(mapping.trace, mapping.offset, length);
      if (first == begin && moved_begin < moved_end) {
        recorder::MappedAgain(mapping.trace, mapping.offset, static_cast<int64_t>(moved_end - moved_begin));
        mapping.end.store(moved_end, std::memory_order_relaxed);
        mapping.begin.store(moved_begin, std::memory_order_release);
        moved_begin = moved_end;
        continue;
      }
      mapping.begin.store(kFree, std::memory_order_release);
      release(file);
    }
  }

  // Returns a mapping that overlaps [begin, end), or null.
  const Mapping* Find(uintptr_t begin, uintptr_t end) const {
    const size_t count = count_.load(std::memory_order_acquire);
    for (size_t i = 0; i < count; ++i)
      if (Overlaps(mappings_[i], begin, end)) return &mappings_[i];
    return nullptr;
  }

 private:
  Mapping mappings_[kMappings];
  // One more than the highest index in use since the start: how far to look.
  std::atomic<size_t> count_{0};
};

// Those whose file is in use for them, and those that are only recorded.
constinit Table watched;
constinit Table left;

void Remove(uintptr_t begin, uintptr_t end, uintptr_t moved_begin = 0, uintptr_t moved_end = 0) {
  watched.Remove(begin, end, moved_begin, moved_end, [](FileRef file) { ReleaseFile(file); });
  if (runtime.trace() != nullptr) left.Remove(begin, end, moved_begin, moved_end, [](FileRef) {});
}

// A mapping that the engine has no business with.
TraceId RecordLeft(int fd, int64_t offset, int64_t length) {
  if (!runtime.is_recording() || fd < 0) return kNoTraceId;
  const ErrnoSaver errno_saver;
  if (!runtime.MayCall()) return kNoTraceId;
  const Section section;
  return section.entered() ? recorder::MappedUnseen(fd, offset, length) : kNoTraceId;
}

}  // namespace

void NoteMapped(void* address, size_t length, int protection, int flags, int fd, int64_t offset) noexcept {
  const auto begin = reinterpret_cast<uintptr_t>(address);
  if ((flags & MAP_FIXED) != 0) Remove(begin, begin + length);
  if ((flags & MAP_ANONYMOUS) != 0) return;
  FileRef file;
  TraceId trace = kNoTraceId;
  if ((flags & MAP_POPULATE) != 0 || (protection & PROT_READ) == 0) {
    trace = RecordLeft(fd, offset, static_cast<int64_t>(length));
  } else if (AcquireForMapping(fd, offset, static_cast<int64_t>(length), file, trace)) {
    if (watched.Add(begin, begin + length, file, offset, trace)) return;
    const Section section;
    if (section.entered()) ReleaseFile(file);
  }
  if (trace != kNoTraceId) left.Add(begin, begin + length, {}, offset, trace);
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
  const auto inside = [&](const Mapping& mapping) {
    return mapping.offset + static_cast<int64_t>(begin - mapping.begin.load(std::memory_order_relaxed));
  };
  if (const Mapping* mapping = watched.Find(begin, begin + length); mapping != nullptr)
    return NoteMappedAdvice(mapping->file, advice, inside(*mapping), static_cast<int64_t>(length));
  if (runtime.trace() == nullptr) return;
  const ErrnoSaver errno_saver;
  if (const Mapping* mapping = left.Find(begin, begin + length); mapping != nullptr && runtime.OwnsTables())
    recorder::AdvisedUnseen(mapping->trace, advice, inside(*mapping), static_cast<int64_t>(length));
}

}  // namespace ahead
