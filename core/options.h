// The options of the engine: one row each in options.def. Parsing is pure, so that `ahead run`, which refuses a bad
// value, and the shim, which keeps the default and says so, cannot disagree.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ahead {

enum class OptionKind : uint8_t { kNumber, kBytes, kAuto, kText };

// Says what there is to know about one option; a row of options.def.
struct OptionRow {
  const char* name;      // as in options.def: lower case, words joined by '_'
  const char* variable;  // AHEAD_NAME
  OptionKind kind;
  int64_t default_value;
  int64_t min;
  int64_t max;
  const char* help;
};

// The values in force. Byte options hold 0 for `auto`, options of kAuto 1; text options point into memory the caller
// keeps, or are null.
struct Options {
#define AHEAD_OPTION(name, kind, default_value, min, max, help) \
  int64_t name = default_value;                                 \
  const char* name##_text = nullptr;
#include "core/options.def"
#undef AHEAD_OPTION
};

// Returns how many pages may be fetched for one that is read, at least 1.
constexpr int64_t HitRate(const Options& options) { return options.hit_rate > 1 ? options.hit_rate : 1; }

inline constexpr size_t kOptionCount = 0
#define AHEAD_OPTION(...) +1
#include "core/options.def"
#undef AHEAD_OPTION
    ;

// Returns row `index` of options.def, 0 <= index < kOptionCount.
const OptionRow& OptionAt(size_t index);

// Sets the option of row `index` in `options` from `text`. Text options keep the pointer. Returns false, and leaves
// `options` as it was, when the text is not a value of the option's kind or lies outside [min, max]. Cost: no
// allocation.
bool SetOption(Options& options, size_t index, const char* text);

// Writes what row `index` accepts, e.g. "a whole number from 0 to 100" or "bytes from 128KiB to 32MiB, or auto", into
// `out` (capacity `size`, always terminated). Returns `out`.
char* DescribeAccepted(size_t index, char* out, size_t size);

}  // namespace ahead
