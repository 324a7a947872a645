#include "core/habits.h"

#include "core/track.h"

namespace ahead {
namespace {

constexpr int64_t kGrain = 4096;
constexpr int64_t kMostGrains = Habit::kFarthest.value / kGrain;
// Bits of a word: folder 32, back 13, heads 3, tails 3, share 13.
constexpr uint32_t kShareBits = 13;
constexpr uint32_t kCountBits = 3;
constexpr uint32_t kTailsAt = kShareBits;
constexpr uint32_t kHeadsAt = kTailsAt + kCountBits;
constexpr uint32_t kBackAt = kHeadsAt + kCountBits;
constexpr uint32_t kBackBits = 13;
constexpr uint32_t kFolderAt = 32;
// Places that a folder may have, one behind the other.
constexpr uint32_t kProbes = 4;

constexpr uint32_t Bits(uint64_t word, uint32_t at, uint32_t count) {
  return static_cast<uint32_t>(word >> at) & ((1U << count) - 1);
}

int32_t Count(int32_t count, bool is_up) {
  if (is_up) return count < Habit::kMost ? count + 1 : Habit::kMost;
  return count > 2 ? count - 2 : 0;
}

}  // namespace

// FNV-1a.
uint32_t FolderId(const char* path, size_t length) {
  while (length > 0 && path[length - 1] != '/') --length;
  if (length == 0) return 0;
  uint32_t id = 0x811c9dc5;
  for (size_t i = 0; i < length; ++i) id = (id ^ static_cast<unsigned char>(path[i])) * 0x01000193;
  return id != 0 ? id : 1;
}

uint64_t Habit::Encode() const {
  const auto within = [](int64_t value, int64_t least, int64_t most) {
    return static_cast<uint64_t>(value < least ? least : value < most ? value : most);
  };
  return uint64_t{folder} << kFolderAt | within(back.value / kGrain, 0, kMostGrains) << kBackAt |
         within(heads, 0, kMost) << kHeadsAt | within(tails, 0, kMost) << kTailsAt |
         (within(share, 1, InitialSize::kMost) - 1);
}

Habit Habit::Decode(uint64_t word) {
  Habit habit;
  habit.folder = static_cast<uint32_t>(word >> kFolderAt);
  habit.share = static_cast<int32_t>(Bits(word, 0, kShareBits)) + 1;
  habit.tails = static_cast<int32_t>(Bits(word, kTailsAt, kCountBits));
  habit.heads = static_cast<int32_t>(Bits(word, kHeadsAt, kCountBits));
  const int64_t grains = Bits(word, kBackAt, kBackBits);
  habit.back = {(grains < kMostGrains ? grains : kMostGrains) * kGrain};
  return habit;
}

void Habit::Learn(const FirstReads& opening) {
  tails = Count(tails, opening.back.value > 0);
  if (opening.is_from_end) heads = Count(heads, opening.has_head);
  if (opening.has_both && opening.back.value <= 0) tails = 0;
  if (opening.has_both && !opening.has_head) heads = 0;
  if (opening.back.value <= 0) return;
  const int64_t seen = AlignUp(opening.back.value, kGrain);
  if (seen >= back.value)
    back = {seen};
  else
    back = {AlignUp(back.value - (back.value - seen) / 4, kGrain)};
  if (back > kFarthest) back = kFarthest;
}

Habit Habits::Find(uint32_t folder) const {
  for (uint32_t i = 0; i < kProbes && folder != 0; ++i) {
    const Habit habit = Habit::Decode(__atomic_load_n(&words_[(folder + i) % kPlaces], __ATOMIC_RELAXED));
    if (habit.folder == folder) return habit;
  }
  return {};
}

void Habits::Keep(const Habit& habit) {
  if (habit.folder == 0) return;
  uint32_t place = habit.folder % kPlaces;  // where all are taken, of another folder
  for (uint32_t i = 0; i < kProbes; ++i) {
    const uint32_t at = (habit.folder + i) % kPlaces;
    const Habit there = Habit::Decode(__atomic_load_n(&words_[at], __ATOMIC_RELAXED));
    if (there.folder != 0 && there.folder != habit.folder) continue;
    place = at;
    break;
  }
  __atomic_store_n(&words_[place], habit.Encode(), __ATOMIC_RELAXED);
}

}  // namespace ahead
