#include "stats/summary.h"

#include <algorithm>

namespace ahead {
namespace {

struct EventRow {
  const char* name;
  bool in_requests;
  bool in_pages;
};

constexpr EventRow kEvents[] = {
#define AHEAD_EVENT(name, in_requests, in_pages) {#name, in_requests, in_pages},
#include "core/events.def"
};

constexpr const char* kColumns[] = {
    "total",
#define AHEAD_CLASS(name) #name,
#include "core/events.def"
};

constexpr size_t kNoneColumn = 1 + static_cast<size_t>(Class::none);
static_assert(kNoneColumn + 1 == kV14ColumnCount, "the old columns come first and end with none");
static_assert(static_cast<size_t>(Event::readahead_rescue) + 1 == kV14EventCount, "the old rows come first");

// Adds up a quantity of the classes behind a column.
template <typename Of>
uint64_t SumOver(size_t column, TableStyle style, Of of) {
  if (column != 0) return of(column - 1);
  uint64_t sum = 0;
  for (size_t each = 1; each < ColumnCount(style); ++each)
    if (each != kNoneColumn) sum += of(each - 1);
  return sum;
}

// What the summary of one column is computed from.
struct Terms {
  uint64_t random_reads, requests, pages, hit_pages, square_pages, marks, marks_hit, mark_pages;
};

Terms TermsOf(const Ledger& ledger, size_t column, TableStyle style) {
  const auto requests = [&](Event event) { return CellOf(ledger, TableKind::kRequests, event, column, style); };
  const auto pages = [&](Event event) { return CellOf(ledger, TableKind::kPages, event, column, style); };
  return {requests(Event::random_read),
          requests(Event::readahead),
          pages(Event::readahead),
          pages(Event::readahead_hit),
          SumOver(column, style, [&](size_t cls) { return ledger.readahead_square_pages[cls]; }),
          requests(Event::lookahead),
          requests(Event::lookahead_hit),
          pages(Event::lookahead)};
}

using Cell = std::optional<double>;
using Cells = std::array<Cell, kSummaryRowCount>;

Cell Ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? Cell{} : Cell{static_cast<double>(part) / static_cast<double>(whole)};
}

Cell Rate(uint64_t part, uint64_t whole) {
  const Cell ratio = Ratio(part, whole);
  return ratio ? Cell{std::min(*ratio, 1.0) * 100} : Cell{};
}

// Requests that brought nothing new still are requests, so the mean is over all of them.
Cell Variance(const Terms& t) {
  const Cell mean = Ratio(t.pages, t.requests);
  return mean ? Cell{std::max(0.0, *Ratio(t.square_pages, t.requests) - *mean * *mean)} : Cell{};
}

Cells TrueSummary(const Terms& t) {
  return {Rate(t.random_reads, t.random_reads + t.requests),
          Rate(t.hit_pages, t.pages),
          Rate(t.marks_hit, t.marks),
          Variance(t),
          Ratio(t.pages, t.requests),
          Ratio(t.mark_pages, t.marks)};
}

// The V14 kernel's arithmetic: unsigned division rounds down, `| 1` keeps it from dividing by zero (and turns an even
// denominator odd), half the denominator is added to round a mean, and the variance is about the mean rounded down.
Cells V14Summary(const Terms& t) {
  const auto cell = [](uint64_t value) { return Cell{static_cast<double>(value)}; };
  const uint64_t requests = t.requests | 1;
  const auto variance = static_cast<int64_t>(t.square_pages - t.pages * (t.pages / requests));
  return {cell(100 * t.random_reads / ((t.random_reads + t.requests) | 1)),
          cell(100 * t.hit_pages / (t.pages | 1)),
          cell(100 * t.marks_hit / (t.marks | 1)),
          Cell{static_cast<double>(variance / static_cast<int64_t>(requests))},
          cell((t.pages + t.requests / 2) / requests),
          cell((t.mark_pages + t.marks / 2) / (t.marks | 1))};
}

}  // namespace

const char* ColumnName(size_t column) { return kColumns[column]; }

const char* EventName(Event event) { return kEvents[static_cast<size_t>(event)].name; }

bool IsShown(Event event, TableKind kind) {
  const EventRow& row = kEvents[static_cast<size_t>(event)];
  return kind == TableKind::kRequests ? row.in_requests : row.in_pages;
}

uint64_t CellOf(const Ledger& ledger, TableKind kind, Event event, size_t column, TableStyle style) {
  return SumOver(column, style, [&](size_t cls) {
    const Class of = static_cast<Class>(cls);
    return kind == TableKind::kRequests ? ledger.requests(event, of) : ledger.pages(event, of);
  });
}

std::array<SummaryRow, kSummaryRowCount> Summarise(const Ledger& ledger, TableStyle style, bool knows_squares) {
  constexpr size_t kVariance = 3;
  std::array<SummaryRow, kSummaryRowCount> rows = {{{"random_rate", SummaryUnit::kPercent, {}},
                                                    {"ra_hit_rate", SummaryUnit::kPercent, {}},
                                                    {"la_hit_rate", SummaryUnit::kPercent, {}},
                                                    {"var_ra_size", SummaryUnit::kSquarePages, {}},
                                                    {"avg_ra_size", SummaryUnit::kPages, {}},
                                                    {"avg_la_size", SummaryUnit::kPages, {}}}};
  for (size_t column = 0; column < ColumnCount(style); ++column) {
    const Terms terms = TermsOf(ledger, column, style);
    const Cells cells = style == TableStyle::kV14 ? V14Summary(terms) : TrueSummary(terms);
    for (size_t row = 0; row < rows.size(); ++row)
      if (row != kVariance || knows_squares) rows[row].cells[column] = cells[row];
  }
  return rows;
}

}  // namespace ahead
