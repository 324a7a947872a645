// What have the files of one folder in common? How much of their first window is read, whether they are read from
// their end, and how far back their index begins: the hundredth archive is opened as the others were.
//
// A habit is one word, so that it can lie in memory that processes share. Whatever a word holds is a valid habit: a
// wrong one costs bytes, at most Habit::kFarthest of a file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/initial_size.h"
#include "core/units.h"

namespace ahead {

// Returns the number of the folder that a file's path names, never 0; 0 for a path without one. Two folders may share
// a number.
uint32_t FolderId(const char* path, size_t length);

// How a file was begun: its first few reads.
struct FirstReads {
  int32_t reads = 0;         // noted so far; 0: none is awaited
  bool is_from_end = false;  // the first one lay near the end
  bool has_head = false;     // one began at 0
  bool has_both = false;     // both ends were fetched for the first one
  ByteCount back;            // how far from the end those near it began; 0: there were none
};

// How the files of a folder are begun.
struct Habit {
  static constexpr ByteCount kFarthest{4 << 20};
  static constexpr int32_t kMost = 7;
  // Files that have to begin alike before more is built on that than a guess.
  static constexpr int32_t kSure = 2;

  uint32_t folder = 0;                  // 0: unknown
  int32_t share = InitialSize::kWhole;  // of the configured first window, in 1/kWhole
  int32_t tails = 0;                    // goes up with each file whose end is read early, and down faster; to 0 where
                                        // it was fetched for a read of the head
  int32_t heads = 0;                    // the same of those that begin at the end and go on at the head
  ByteCount back;                       // how far from the end the index begins, in whole pages of 4 KiB

  uint64_t Encode() const;
  // The same without the folder, whose number would tell its name to who guesses it.
  uint64_t EncodeUnnamed() const { return Encode() & UINT32_MAX; }
  static Habit Decode(uint64_t word);

  void Learn(const FirstReads& opening);
};

// Habits of as many folders as there is room for; one that comes later may take another's place.
// Thread safety: any number of threads and processes; a lost update costs one lesson.
class Habits {
 public:
  static constexpr uint32_t kPlaces = 64;

  // Returns the habit of a folder; with folder 0 where it is not known.
  Habit Find(uint32_t folder) const;
  // Takes the habit of a folder, known or not. Folder 0 is not kept.
  void Keep(const Habit& habit);

 private:
  uint64_t words_[kPlaces] = {};
};

}  // namespace ahead
