// Does a path match a glob? Like fnmatch(3) without flags, so '*' also matches '/', but it neither allocates nor
// depends on the locale, and uses a fixed stack.
#pragma once

#include <cstddef>

namespace ahead {

// A text that need not be terminated.
struct Span {
  const char* begin;
  const char* end;
};

// Matches the whole of `text` against `pattern`: '*', '?', '[a-z]', '[!a-z]' and '\' before a literal character.
// Cost: O(pattern x text) at worst.
bool MatchesGlob(Span pattern, Span text) noexcept;

// Matches against any of the patterns in `list`, which are separated by ':'.
bool MatchesAnyGlob(const char* list, Span text) noexcept;

}  // namespace ahead
