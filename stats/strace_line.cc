#include "stats/strace_line.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "stats/text.h"

namespace ahead {
namespace {

// Takes a whole number from the front of `text`.
std::optional<int64_t> TakeNumber(std::string_view& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

// Takes SECONDS[.FRACTION] from the front of `text`.
std::optional<Nanos> TakeSeconds(std::string_view& text) {
  if (text.empty() || !IsDigit(text[0])) return std::nullopt;
  const auto seconds = TakeNumber(text);
  if (!seconds || *seconds > INT64_MAX / 2'000'000'000) return std::nullopt;
  int64_t nanos = 0;
  if (TakePrefix(text, ".")) {
    int64_t unit = 100'000'000;
    for (; !text.empty() && IsDigit(text[0]); text.remove_prefix(1), unit /= 10) nanos += (text[0] - '0') * unit;
  }
  return Nanos{*seconds * 1'000'000'000 + nanos};
}

bool IsClock(std::string_view text) { return text.size() >= 8 && text[2] == ':' && text[5] == ':' && IsDigit(text[0]); }

// Takes the thread and the time from the front of the line.
void TakeThreadAndTime(std::string_view& text, StraceLine& line) {
  if (TakePrefix(text, "[pid ")) {
    text = WithoutSpaces(text);
    if (const auto tid = TakeNumber(text)) line.tid = static_cast<int32_t>(*tid);
    TakePrefix(text, "]");
  } else {
    // A number followed by spaces; one followed by '.' or ':' is a time.
    std::string_view rest = text;
    const auto tid = TakeNumber(rest);
    if (tid && *tid > 0 && rest.starts_with(" ")) {
      line.tid = static_cast<int32_t>(*tid);
      text = rest;
    }
  }
  text = WithoutSpaces(text);
  if (IsClock(text)) {
    std::string_view rest = text;
    const auto hours = TakeNumber(rest);
    rest.remove_prefix(1);
    const auto minutes = TakeNumber(rest);
    if (!hours || !minutes || !TakePrefix(rest, ":")) return;
    const auto seconds = TakeSeconds(rest);
    if (!seconds) return;
    line.time = Nanos{(*hours * 3600 + *minutes * 60) * 1'000'000'000} + *seconds;
    line.is_time_of_day = true;
    text = WithoutSpaces(rest);
    return;
  }
  std::string_view rest = text;
  if (const auto seconds = TakeSeconds(rest); seconds && rest.starts_with(" ")) {
    line.time = seconds;
    text = WithoutSpaces(rest);
  }
}

bool IsName(std::string_view name) {
  if (name.empty()) return false;
  for (const char c : name)
    if (!IsDigit(c) && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '_') return false;
  return true;
}

// Returns the end of what begins at `at`: a string in quotes.
size_t EndOfString(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return at;
}

// Returns the end of a path in <>, which begins at `at`; a '>' behind a '-' belongs to a connection's arrow.
size_t EndOfPath(std::string_view text, size_t at) {
  for (++at; at < text.size(); ++at)
    if (text[at] == '>' && text[at - 1] != '-') break;
  return at;
}

// Says whether the '<' at `at` begins a path: it follows a descriptor.
bool BeginsPath(std::string_view text, size_t at) {
  if (at == 0 || at + 1 >= text.size() || text[at + 1] == '<' || text[at + 1] == ' ') return false;
  return IsDigit(text[at - 1]) || text[at - 1] == 'D';
}

}  // namespace

StraceLine ParseStraceLine(std::string_view text) {
  StraceLine line;
  TakeThreadAndTime(text, line);
  if (text.starts_with("+++ ")) {
    line.kind = StraceLine::Kind::kExit;
    return line;
  }
  if (text.empty() || text.starts_with("--- ") || text.starts_with("strace: ")) {
    line.kind = StraceLine::Kind::kOther;
    return line;
  }
  if (TakePrefix(text, "<... ")) {
    const size_t resumed = text.find(" resumed>");
    if (resumed == std::string_view::npos) return line;
    line.kind = StraceLine::Kind::kResumed;
    line.name = text.substr(0, resumed);
    line.text = text.substr(resumed + std::string_view(" resumed>").size());
    return line;
  }
  const size_t open = text.find('(');
  if (open == std::string_view::npos || !IsName(text.substr(0, open))) return line;
  line.name = text.substr(0, open);
  line.text = text.substr(open + 1);
  line.kind = StraceLine::Kind::kCall;
  if (TakeSuffix(line.text, "<unfinished ...>") || TakeSuffix(line.text, "<detached ...>"))
    line.kind = StraceLine::Kind::kUnfinished;
  return line;
}

std::optional<StraceCall> ParseStraceCall(std::string_view text) {
  StraceCall call;
  size_t begin = 0, at = 0;
  int depth = 0;
  const auto end_argument = [&] {
    const std::string_view argument = WithoutSpaces(text.substr(begin, at - begin));
    if (!argument.empty()) call.arguments.push_back(argument);
    begin = at + 1;
  };
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') at = EndOfString(text, at);
    if (c == '<' && BeginsPath(text, at)) at = EndOfPath(text, at);
    if (c == '/' && text.substr(at).starts_with("/*")) {
      const size_t end = text.find("*/", at + 2);
      if (end != std::string_view::npos) at = end + 1;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' && depth == 0) break;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) end_argument();
  }
  if (at >= text.size()) return std::nullopt;
  end_argument();

  std::string_view rest = WithoutSpaces(text.substr(at + 1));
  if (!TakePrefix(rest, "=")) return std::nullopt;
  rest = WithoutSpaces(rest);
  if (rest.ends_with(">")) {
    const size_t bracket = rest.rfind(" <");
    std::string_view duration = bracket == std::string_view::npos ? "" : rest.substr(bracket + 2);
    if (const auto taken = TakeSeconds(duration); taken && duration == ">") {
      call.duration = taken;
      rest = WithoutSpaces(rest.substr(0, bracket));
    }
  }
  if (TakePrefix(rest, "?")) return call;
  call.result = ParseStraceNumber(rest);
  if (!call.result) return std::nullopt;
  const size_t end = rest.find_first_of("< ");
  if (end == std::string_view::npos) return call;
  if (rest[end] == '<') {
    call.result_path = rest.substr(end + 1, EndOfPath(rest, end) - end - 1);
  } else if (*call.result == -1) {
    rest = WithoutSpaces(rest.substr(end));
    call.error = rest.substr(0, rest.find(' '));
  }
  return call;
}

std::optional<StraceDescriptor> ParseStraceDescriptor(std::string_view argument) {
  StraceDescriptor descriptor;
  if (TakePrefix(argument, "AT_FDCWD")) {
    descriptor.is_folder = true;
  } else {
    const auto number = TakeNumber(argument);
    if (!number || *number < -1 || *number > INT32_MAX) return std::nullopt;
    descriptor.number = static_cast<int32_t>(*number);
  }
  if (argument.starts_with("<")) descriptor.path = argument.substr(1, EndOfPath(argument, 0) - 1);
  return descriptor;
}

std::optional<int64_t> ParseStraceNumber(std::string_view argument) {
  const bool is_negative = TakePrefix(argument, "-");
  int base = 10;
  if (TakePrefix(argument, "0x")) {
    base = 16;
  } else if (argument.size() > 1 && argument[0] == '0' && IsDigit(argument[1])) {
    base = 8;
  }
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(argument.data(), argument.data() + argument.size(), value, base);
  if (error != std::errc{}) return std::nullopt;
  return static_cast<int64_t>(is_negative ? 0 - value : value);
}

std::optional<std::string> ParseStraceString(std::string_view argument) {
  if (!TakePrefix(argument, "\"") || !TakeSuffix(argument, "\"")) return std::nullopt;
  return UnescapeStrace(argument);
}

std::string UnescapeStrace(std::string_view text) {
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      plain += text[at];
      continue;
    }
    const char c = text[++at];
    constexpr std::string_view kLetters = "nrtvfabe", kMeant = "\n\r\t\v\f\a\b\033";
    if (const size_t letter = kLetters.find(c); letter != std::string_view::npos) {
      plain += kMeant[letter];
    } else if (c == 'x' || ('0' <= c && c <= '7')) {
      const size_t begin = c == 'x' ? at + 1 : at, most = c == 'x' ? 2 : 3;
      unsigned value = 0;
      const char* const from = text.data() + begin;
      const char* const to = from + std::min(most, text.size() - begin);
      const auto [end, error] = std::from_chars(from, to, value, c == 'x' ? 16 : 8);
      if (error == std::errc{}) plain += static_cast<char>(value);
      at = begin + static_cast<size_t>(end - from) - 1;
    } else {
      plain += c;
    }
  }
  return plain;
}

std::string_view StraceField(std::string_view structure, std::string_view name) {
  for (size_t at = structure.find(name); at != std::string_view::npos; at = structure.find(name, at + 1)) {
    const bool begins = at > 0 && (structure[at - 1] == '{' || structure[at - 1] == ' ');
    std::string_view rest = structure.substr(at + name.size());
    if (!begins || !TakePrefix(rest, "=")) continue;
    int depth = 0;
    for (size_t end = 0; end < rest.size(); ++end) {
      const char c = rest[end];
      if (depth == 0 && (c == ',' || c == '}')) return rest.substr(0, end);
      if (c == '(' || c == '[' || c == '{') ++depth;
      if (c == ')' || c == ']' || c == '}') --depth;
    }
    return rest;
  }
  return "";
}

std::optional<uint64_t> ParseStraceDevice(std::string_view value) {
  if (!TakePrefix(value, "makedev(")) return std::nullopt;
  const size_t comma = value.find(", ");
  const auto major = ParseStraceNumber(value);
  const auto minor = comma == std::string_view::npos ? std::nullopt : ParseStraceNumber(value.substr(comma + 2));
  if (!major || !minor) return std::nullopt;
  return static_cast<uint64_t>(*major) << 8 | static_cast<uint64_t>(*minor);
}

}  // namespace ahead
