#include "stats/table_reader.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "stats/summary.h"

namespace ahead {
namespace {

std::optional<Event> FindEvent(absl::string_view name, TableKind kind) {
  for (size_t row = 0; row < kEventCount; ++row)
    if (const Event event = static_cast<Event>(row); EventName(event) == name && IsShown(event, kind)) return event;
  return std::nullopt;
}

std::optional<size_t> FindColumn(absl::string_view name) {
  for (size_t column = 0; column < kColumnCount; ++column)
    if (ColumnName(column) == name) return column;
  return std::nullopt;
}

class Parser {
 public:
  absl::Status Line(absl::string_view line) {
    ++number_;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') return absl::OkStatus();
    if (absl::ConsumePrefix(&line, "[table ")) return Header(line);
    if (!in_table_) return Error(absl::StrCat("'", Start(line), "' stands outside a table"));
    return kind_ ? Row(line) : absl::OkStatus();
  }

  absl::StatusOr<Snapshot> Finish() && {
    if (has_requests_ && has_pages_) return std::move(snapshot_);
    return absl::InvalidArgumentError(has_requests_ ? "no [table pages] found" : "no [table requests] found");
  }

 private:
  absl::Status Error(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat("line ", number_, ": ", what));
  }

  // Enough of a line to find it again, whatever is in it.
  static std::string Start(absl::string_view line) {
    std::string start(line.substr(0, 40));
    for (char& c : start)
      if (!absl::ascii_isprint(static_cast<unsigned char>(c))) c = '?';
    return start;
  }

  absl::Status Header(absl::string_view line) {
    const size_t end = line.find(']');
    if (end == absl::string_view::npos) return Error("']' is missing after the name of a table");
    const absl::string_view name = line.substr(0, end);
    in_table_ = true;
    kind_.reset();
    if (name == "summary" || name == "processes") return absl::OkStatus();
    if (name != "requests" && name != "pages")
      return Error(absl::StrCat("table '", Start(name), "'; accepted: requests, pages, summary, processes"));
    kind_ = name == "requests" ? TableKind::kRequests : TableKind::kPages;
    (name == "requests" ? has_requests_ : has_pages_) = true;
    columns_.clear();
    for (absl::string_view word : absl::StrSplit(line.substr(end + 1), absl::ByAnyChar(" \t"), absl::SkipEmpty())) {
      const std::optional<size_t> column = FindColumn(word);
      if (!column) return Error(absl::StrCat("column '", Start(word), "' is not a class of requests"));
      columns_.push_back(*column);
    }
    return absl::OkStatus();
  }

  absl::Status Row(absl::string_view line) {
    const std::vector<absl::string_view> words = absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    const std::optional<Event> event = FindEvent(words[0], *kind_);
    if (!event) return Error(absl::StrCat("row '", Start(words[0]), "' does not belong to this table"));
    if (words.size() != columns_.size() + 1)
      return Error(absl::StrCat(words[0], " has ", words.size() - 1, " cells for ", columns_.size(), " columns"));
    std::optional<uint64_t> total;
    uint64_t sum = 0;
    for (size_t i = 0; i < columns_.size(); ++i) {
      uint64_t value = 0;
      absl::string_view word = words[i + 1];
      absl::ConsumePrefix(&word, "~");
      if (!absl::SimpleAtoi(word, &value)) return Error(absl::StrCat("'", Start(word), "' is not a whole number"));
      if (columns_[i] == 0) {
        total = value;
        continue;
      }
      Store(*event, columns_[i] - 1, value);
      if (columns_[i] - 1 != static_cast<size_t>(Class::none)) sum += value;
    }
    if (total && *total != sum)
      return Error(absl::StrCat(words[0], ": total ", *total, ", but its classes make ", sum));
    return absl::OkStatus();
  }

  void Store(Event event, size_t cls, uint64_t value) {
    Ledger::Cell& cell = snapshot_.total.ledger.cells[static_cast<size_t>(event)][cls];
    (*kind_ == TableKind::kRequests ? cell.requests : cell.pages) = value;
  }

  Snapshot snapshot_;
  size_t number_ = 0;
  bool in_table_ = false;
  bool has_requests_ = false;
  bool has_pages_ = false;
  std::optional<TableKind> kind_;  // nothing in a table that is skipped
  std::vector<size_t> columns_;
};

}  // namespace

absl::StatusOr<Snapshot> ParseTables(absl::string_view text) {
  Parser parser;
  for (absl::string_view line : absl::StrSplit(text, '\n'))
    if (absl::Status status = parser.Line(line); !status.ok()) return status;
  absl::StatusOr<Snapshot> snapshot = std::move(parser).Finish();
  if (snapshot.ok()) snapshot->is_complete = false;
  return snapshot;
}

}  // namespace ahead
