#include "stats/snapshot.h"

#include <time.h>

#include <cstring>
#include <optional>

namespace ahead {
namespace {

// A fold takes about a microsecond, but its process may be suspended in it, or die. So a reading that met one is
// repeated for up to a tenth of a second.
constexpr int kReadings = 200;
constexpr timespec kPause{0, 500'000};

Snapshot Describe(SegmentView segment) {
  Snapshot snapshot;
  snapshot.session_pid = segment->session_pid;
  snapshot.started_unix_ns = segment->started_unix_ns;
  snapshot.reset_unix_ns = __atomic_load_n(&segment->reset_unix_ns, __ATOMIC_RELAXED);
  snapshot.options.assign(segment->options, strnlen(segment->options, sizeof(segment->options)));
  return snapshot;
}

std::string Command(const Block& block) {
  const uint64_t words[2] = {__atomic_load_n(&block.name[0], __ATOMIC_RELAXED),
                             __atomic_load_n(&block.name[1], __ATOMIC_RELAXED)};
  char text[sizeof(words)];
  std::memcpy(text, words, sizeof(words));
  return std::string(text, strnlen(text, sizeof(text)));
}

bool IsEmpty(const Block& counts) {
  static constexpr Block kEmpty{};
  return std::memcmp(&counts.counters, &kEmpty.counters, sizeof(counts.counters)) == 0 &&
         std::memcmp(&counts.ledger, &kEmpty.ledger, sizeof(counts.ledger)) == 0;
}

// Walks over the blocks in use; `get` copies or takes the counts of one.
template <typename Get>
void Collect(SegmentView segment, std::optional<pid_t> only, Snapshot& snapshot, Get get) {
  for (uint32_t index = 0; index < segment.block_count(); ++index) {
    const Owner owner = segment.owner(index);
    if (owner.state == Owner::State::kFree || (only && owner.pid != *only)) continue;
    ProcessRecord record;
    record.pid = owner.pid;
    record.is_running = !IsGone(owner);
    Block& block = segment.blocks()[index];
    record.command = Command(block);
    get(block, record);
    AddCounts(record.counts, snapshot.total);
    if (record.is_running || !IsEmpty(record.counts)) snapshot.processes.push_back(std::move(record));
  }
}

void Copy(const Block& block, ProcessRecord& record) { AddCounts(block, record.counts); }

void Take(Block& block, ProcessRecord& record) {
  MoveCounts(block, record.counts, record.is_running ? MoveProcesses::kNo : MoveProcesses::kYes);
  if (record.is_running) record.counts.processes = 1;
}

uint64_t FoldsUnderWay(SegmentView segment, uint64_t& begun) {
  const uint64_t done = __atomic_load_n(&segment->folds_done, __ATOMIC_SEQ_CST);
  begun = __atomic_load_n(&segment->folds_begun, __ATOMIC_SEQ_CST);
  return begun - done;
}

Snapshot ReadOnce(SegmentView segment) {
  Snapshot snapshot = Describe(segment);
  AddCounts(segment->retired, snapshot.total);
  Collect(segment, std::nullopt, snapshot, Copy);
  return snapshot;
}

template <typename Combine>
void CombineWords(const void* from, void* to, size_t bytes, Combine combine) {
  for (size_t i = 0; i < bytes / sizeof(uint64_t); ++i)
    combine(static_cast<const uint64_t*>(from)[i], static_cast<uint64_t*>(to)[i]);
}

}  // namespace

Snapshot ReadSnapshot(SegmentView segment) {
  for (int reading = 1;; ++reading) {
    uint64_t begun_before = 0, begun_after = 0;
    const bool was_still = FoldsUnderWay(segment, begun_before) == 0;
    Snapshot snapshot = ReadOnce(segment);
    const bool is_still = FoldsUnderWay(segment, begun_after) == 0 && begun_before == begun_after;
    if ((was_still && is_still) || reading == kReadings) return snapshot;
    if (!is_still) nanosleep(&kPause, nullptr);
  }
}

Snapshot TakeSnapshot(SegmentView segment) {
  Snapshot snapshot = Describe(segment);
  MoveCounts(segment->retired, snapshot.total, MoveProcesses::kYes);
  Collect(segment, std::nullopt, snapshot, Take);
  NoteReset(segment);
  return snapshot;
}

Snapshot ReadSnapshot(SegmentView segment, pid_t pid) {
  Snapshot snapshot = Describe(segment);
  Collect(segment, pid, snapshot, Copy);
  return snapshot;
}

Snapshot TakeSnapshot(SegmentView segment, pid_t pid) {
  Snapshot snapshot = Describe(segment);
  Collect(segment, pid, snapshot, Take);
  return snapshot;
}

Snapshot Difference(const Snapshot& before, const Snapshot& after) {
  Snapshot difference = after;
  difference.processes.clear();
  const auto subtract = [](const uint64_t& earlier, uint64_t& later) { later -= later >= earlier ? earlier : 0; };
  CombineWords(&before.total.counters, &difference.total.counters, sizeof(ProcessCounters), subtract);
  CombineWords(&before.total.ledger, &difference.total.ledger, sizeof(Ledger), subtract);
  subtract(before.total.processes, difference.total.processes);
  return difference;
}

}  // namespace ahead
