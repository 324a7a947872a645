#include "stats/table.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace ahead {
namespace {

constexpr size_t kLabelWidth = 16;
constexpr size_t kCellWidth = 10;

void PutLabel(absl::string_view label, std::string& out) { absl::StrAppendFormat(&out, "%-*s", kLabelWidth, label); }

void PutCell(absl::string_view cell, std::string& out) {
  out.append(cell.size() < kCellWidth ? kCellWidth - cell.size() : 1, ' ');
  absl::StrAppend(&out, cell);
}

void PutHeader(absl::string_view name, TableStyle style, std::string& out) {
  PutLabel(absl::StrCat("[table ", name, "]"), out);
  for (size_t column = 0; column < ColumnCount(style); ++column) PutCell(ColumnName(column), out);
  out += '\n';
}

// Pages that were asked for and may have been dropped stand in the cell as well: it says so.
bool IsUnsure(const Ledger& ledger, TableKind kind, Event event, size_t column, TableStyle style) {
  return kind == TableKind::kPages && event == Event::readahead && style == TableStyle::kAhead &&
         CellOf(ledger, TableKind::kPages, Event::readahead_unsure, column, style) != 0;
}

void PutEvents(const Ledger& ledger, TableKind kind, TableStyle style, std::string& out) {
  PutHeader(kind == TableKind::kRequests ? "requests" : "pages", style, out);
  for (size_t row = 0; row < EventCount(style); ++row) {
    const Event event = static_cast<Event>(row);
    if (!IsShown(event, kind)) continue;
    PutLabel(EventName(event), out);
    for (size_t column = 0; column < ColumnCount(style); ++column)
      PutCell(absl::StrCat(IsUnsure(ledger, kind, event, column, style) ? "~" : "",
                           CellOf(ledger, kind, event, column, style)),
              out);
    out += '\n';
  }
  out += '\n';
}

void PutSummary(const Snapshot& snapshot, TableStyle style, std::string& out) {
  PutHeader("summary", style, out);
  for (const SummaryRow& row : Summarise(snapshot.total.ledger, style, snapshot.is_complete)) {
    PutLabel(row.name, out);
    for (size_t column = 0; column < ColumnCount(style); ++column) {
      const auto& cell = row.cells[column];
      PutCell(cell ? absl::StrCat(std::llround(*cell), row.unit == SummaryUnit::kPercent ? "%" : "") : "-", out);
    }
    out += '\n';
  }
  out += '\n';
}

void PutProcess(absl::string_view label, absl::string_view pid, absl::string_view running, const Block& counts,
                std::string& out) {
  const ProcessCounters& c = counts.counters;
  PutLabel(label, out);
  PutCell(pid, out);
  PutCell(running, out);
  for (const uint64_t value : {c.reads_seen, c.read_bytes >> 10, c.issued_bytes >> 10, c.files_tracked,
                               c.files_untracked, c.observations_dropped})
    PutCell(absl::StrCat(value), out);
  out += '\n';
}

// A command may be named anything: what would break the table is shown as `?`.
std::string Printable(absl::string_view command) {
  std::string text(command);
  for (char& c : text)
    if (c <= ' ' || c > '~') c = '?';
  return text.empty() ? "?" : text;
}

}  // namespace

std::string FormatTables(const Snapshot& snapshot, TableStyle style) {
  std::string out;
  PutEvents(snapshot.total.ledger, TableKind::kRequests, style, out);
  PutEvents(snapshot.total.ledger, TableKind::kPages, style, out);
  PutSummary(snapshot, style, out);
  return out;
}

std::string FormatProcesses(const Snapshot& snapshot, size_t max_lines) {
  std::vector<const ProcessRecord*> records;
  size_t running = 0;
  for (const ProcessRecord& record : snapshot.processes) {
    records.push_back(&record);
    running += record.is_running;
  }
  std::stable_sort(records.begin(), records.end(), [](const ProcessRecord* a, const ProcessRecord* b) {
    return a->counts.counters.read_bytes > b->counts.counters.read_bytes;
  });
  std::string out;
  PutLabel("[table processes]", out);
  for (const char* name : {"pid", "running", "reads", "read_kib", "issued_kib", "files", "untracked", "dropped"})
    PutCell(name, out);
  out += '\n';
  PutProcess(absl::StrCat("all ", snapshot.total.processes), "-", absl::StrCat(running), snapshot.total, out);
  if (records.size() > max_lines) records.resize(max_lines);
  for (const ProcessRecord* record : records)
    PutProcess(Printable(record->command), absl::StrCat(record->pid), record->is_running ? "yes" : "no", record->counts,
               out);
  out += '\n';
  return out;
}

}  // namespace ahead
