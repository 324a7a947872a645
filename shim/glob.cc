#include "shim/glob.h"

namespace ahead {
namespace {

// Matches one character against the set that begins at `at`, behind the '['. Moves `at` behind the set. A set without
// end is an ordinary '['; then `is_set` is false.
bool MatchesSet(const char*& at, const char* end, char c, bool& is_set) {
  const char* next = at;
  const bool negated = next < end && (*next == '!' || *next == '^');
  if (negated) ++next;
  bool found = false;
  for (const char* first = next; next < end; ++next) {
    if (*next == ']' && next != first) {
      at = next + 1;
      is_set = true;
      return found != negated;
    }
    const char low = *next;
    char high = low;
    if (end - next > 2 && next[1] == '-' && next[2] != ']') high = *(next += 2);
    found = found || (low <= c && c <= high);
  }
  is_set = false;
  return c == '[';
}

// Matches one character of the text against one element of the pattern, not '*'. Moves `at` behind the element.
bool MatchesOne(const char*& at, const char* end, char c) {
  const char element = *at++;
  if (element == '?') return true;
  if (element == '\\' && at < end) return *at++ == c;
  if (element != '[') return element == c;
  bool is_set = false;
  return MatchesSet(at, end, c, is_set);
}

}  // namespace

bool MatchesGlob(Span pattern, Span text) noexcept {
  const char* at = pattern.begin;
  const char* c = text.begin;
  // Where to go on when the last '*' has to take one character more.
  const char* retry_at = nullptr;
  const char* retry_c = nullptr;
  while (c < text.end) {
    if (at < pattern.end && *at == '*') {
      retry_at = ++at;
      retry_c = c;
      continue;
    }
    if (at < pattern.end && MatchesOne(at, pattern.end, *c)) {
      ++c;
      continue;
    }
    if (retry_at == nullptr) return false;
    at = retry_at;
    c = ++retry_c;
  }
  while (at < pattern.end && *at == '*') ++at;
  return at == pattern.end;
}

bool MatchesAnyGlob(const char* list, Span text) noexcept {
  for (const char* begin = list;; ++list) {
    if (*list != ':' && *list != 0) continue;
    if (list != begin && MatchesGlob({begin, list}, text)) return true;
    if (*list == 0) return false;
    begin = list + 1;
  }
}

}  // namespace ahead
