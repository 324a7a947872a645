#include "core/options.h"

namespace ahead {
namespace {

constexpr OptionRow kRows[] = {
#define AHEAD_OPTION(name, kind, default_value, min, max, help) \
  {#name, nullptr, OptionKind::kind, default_value, min, max, help},
#include "core/options.def"
#undef AHEAD_OPTION
};

// The variables' names, derived from the rows at compile time.
struct VariableNames {
  char text[kOptionCount][32] = {};
  constexpr VariableNames() {
    for (size_t row = 0; row < kOptionCount; ++row) {
      size_t at = 0;
      for (const char* prefix = "AHEAD_"; *prefix != 0; ++prefix) text[row][at++] = *prefix;
      for (const char* c = kRows[row].name; *c != 0; ++c)
        text[row][at++] = *c == '_' ? '_' : static_cast<char>(*c - 'a' + 'A');
    }
  }
};
constexpr VariableNames kVariables;

struct RowsWithVariables {
  OptionRow rows[kOptionCount] = {};
  constexpr RowsWithVariables() {
    for (size_t row = 0; row < kOptionCount; ++row) {
      rows[row] = kRows[row];
      rows[row].variable = kVariables.text[row];
    }
  }
};
constexpr RowsWithVariables kTable;

bool Equal(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}

// Returns the shift a byte suffix stands for, or -1.
int SuffixShift(const char* suffix) {
  constexpr struct {
    const char* text;
    int shift;
  } kSuffixes[] = {{"", 0},     {"B", 0},  {"K", 10},  {"k", 10},   {"KB", 10}, {"KiB", 10}, {"M", 20}, {"MB", 20},
                   {"MiB", 20}, {"G", 30}, {"GB", 30}, {"GiB", 30}, {"kB", 10}, {"m", 20},   {"g", 30}};
  for (const auto& known : kSuffixes)
    if (Equal(suffix, known.text)) return known.shift;
  return -1;
}

bool ParseWhole(const char*& text, int64_t& value) {
  if (*text < '0' || *text > '9') return false;
  value = 0;
  for (; *text >= '0' && *text <= '9'; ++text)
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *text - '0', &value)) return false;
  return true;
}

bool ParseValue(const OptionRow& row, const char* text, int64_t& value) {
  if (row.kind == OptionKind::kBytes && Equal(text, "auto")) {
    value = row.default_value;
    return true;
  }
  if (row.kind == OptionKind::kAuto) {
    value = Equal(text, "auto") ? 1 : 0;
    return value == 1 || Equal(text, "off");
  }
  if (!ParseWhole(text, value)) return false;
  const int shift = row.kind == OptionKind::kBytes ? SuffixShift(text) : *text == 0 ? 0 : -1;
  if (shift < 0 || value > (INT64_MAX >> shift)) return false;
  value <<= shift;
  return row.min <= value && value <= row.max;
}

// Appends to a bounded, always terminated buffer.
struct Writer {
  char* at;
  char* end;

  void Text(const char* text) {
    while (*text != 0 && at < end) *at++ = *text++;
  }
  void Number(int64_t value) {
    char digits[24];
    int count = 0;
    do digits[count++] = static_cast<char>('0' + value % 10);
    while ((value /= 10) != 0);
    while (count > 0 && at < end) *at++ = digits[--count];
  }
  void Bytes(int64_t value) {
    constexpr const char* kUnits[] = {"", "KiB", "MiB", "GiB"};
    int unit = 0;
    while (unit < 3 && value != 0 && value % 1024 == 0) value /= 1024, ++unit;
    Number(value);
    Text(kUnits[unit]);
  }
};

}  // namespace

const OptionRow& OptionAt(size_t index) { return kTable.rows[index]; }

bool SetOption(Options& options, size_t index, const char* text) {
  int64_t value = 0;
  if (kRows[index].kind != OptionKind::kText && !ParseValue(kRows[index], text, value)) return false;
  if (kRows[index].kind == OptionKind::kText && *text == 0) return false;
  size_t row = 0;
#define AHEAD_OPTION(name, kind, ...)                                                                        \
  if (row++ == index) {                                                                                      \
    (OptionKind::kind == OptionKind::kText) ? void(options.name##_text = text) : void(options.name = value); \
  }
#include "core/options.def"
#undef AHEAD_OPTION
  return true;
}

char* DescribeAccepted(size_t index, char* out, size_t size) {
  const OptionRow& row = kRows[index];
  Writer writer{out, out + size - 1};
  switch (row.kind) {
    case OptionKind::kText:
      writer.Text("a text that is not empty");
      break;
    case OptionKind::kAuto:
      writer.Text("auto or off");
      break;
    case OptionKind::kNumber:
      writer.Text("a whole number from "), writer.Number(row.min), writer.Text(" to "), writer.Number(row.max);
      break;
    case OptionKind::kBytes:
      writer.Text("bytes from "), writer.Bytes(row.min), writer.Text(" to "), writer.Bytes(row.max);
      writer.Text(", with a suffix K, M or G, or auto");
      break;
  }
  *writer.at = 0;
  return out;
}

}  // namespace ahead
