// Taking text apart, for readers of other tools' output. (absl's functions take a view of their own where the library
// was built for C++14, as Debian's is.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace ahead {

inline std::string_view WithoutSpaces(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

inline bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Takes `prefix` from the front of `text`; returns whether it was there.
inline bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

inline bool TakeSuffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

// Returns the words between spaces and tabs.
inline std::vector<std::string_view> WordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t at = 0; (at = text.find_first_not_of(" \t\r", at)) != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(" \t\r", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

// Calls `on_line` with each line of `text`, without its end.
template <typename OnLine>
void ForEachLine(std::string_view text, OnLine on_line) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    on_line(text.substr(at, end - at));
    at = end + 1;
  }
}

inline bool IsDigit(char c) { return '0' <= c && c <= '9'; }

}  // namespace ahead
