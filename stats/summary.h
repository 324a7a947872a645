// The summary table: rates and sizes computed from the two event tables.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/ledger.h"

namespace ahead {

// How tables are laid out and computed. kV14 is that of the adaptive readahead V14 kernel: its 16 rows and 8 classes
// only, and its integer arithmetic, which rounds down and makes even denominators odd.
enum class TableStyle : uint8_t { kAhead, kV14 };

// Column 0 is the total: all classes shown but `none`. Column 1 + c is class c.
inline constexpr size_t kColumnCount = 1 + kClassCount;
inline constexpr size_t kV14ColumnCount = 9;
inline constexpr size_t kV14EventCount = 16;

// How many columns and rows of events a style shows; they are the first ones.
constexpr size_t ColumnCount(TableStyle style) { return style == TableStyle::kV14 ? kV14ColumnCount : kColumnCount; }
constexpr size_t EventCount(TableStyle style) { return style == TableStyle::kV14 ? kV14EventCount : kEventCount; }

// The names of a column and of a row, as printed and as keys in every export.
const char* ColumnName(size_t column);
const char* EventName(Event event);

enum class TableKind : uint8_t { kRequests, kPages };

// Says whether the row is shown in that table: hits have no requests of their own, and a blocked read no pages.
bool IsShown(Event event, TableKind kind);

// The value of one cell. REQUIRES: column < ColumnCount(style).
uint64_t CellOf(const Ledger& ledger, TableKind kind, Event event, size_t column, TableStyle style);

enum class SummaryUnit : uint8_t { kPercent, kPages, kSquarePages };

struct SummaryRow {
  const char* name;
  SummaryUnit unit;
  std::array<std::optional<double>, kColumnCount> cells;  // nothing: undefined, as with no request to divide by
};

inline constexpr size_t kSummaryRowCount = 6;

// Computes the summary. In style kAhead divisions are true ones and rates are at most 100: after a reset, a hit may
// belong to a request counted before it. `knows_squares` false leaves var_ra_size undefined: it needs more than the
// tables show.
std::array<SummaryRow, kSummaryRowCount> Summarise(const Ledger& ledger, TableStyle style, bool knows_squares);

}  // namespace ahead
