#include "stats/export.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace ahead {
namespace {

using Json = nlohmann::ordered_json;

constexpr struct {
  TableKind kind;
  const char* name;
} kTables[] = {{TableKind::kRequests, "requests"}, {TableKind::kPages, "pages"}};

// Calls `visit(table, event, column, value)` for each cell shown.
template <typename Visit>
void VisitCells(const Ledger& ledger, TableStyle style, Visit visit) {
  for (const auto& table : kTables)
    for (size_t row = 0; row < EventCount(style); ++row)
      for (size_t column = 0; column < ColumnCount(style); ++column)
        if (const Event event = static_cast<Event>(row); IsShown(event, table.kind))
          visit(table.name, event, column, CellOf(ledger, table.kind, event, column, style));
}

// Calls `visit(name, help, value)` for each counter of a process.
template <typename Visit>
void VisitCounters(const ProcessCounters& counters, Visit visit) {
#define AHEAD_PROCESS_COUNTER(name, help) visit(#name, help, counters.name);
#include "stats/process_counters.def"
}

Json CountersJson(const ProcessCounters& counters) {
  Json json = Json::object();
  VisitCounters(counters, [&](const char* name, const char*, uint64_t value) { json[name] = value; });
  return json;
}

// Commands and options may hold any bytes; what is not UTF-8 becomes U+FFFD, so that writing the JSON cannot fail.
Json Text(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json ProcessJson(const ProcessRecord& record) {
  return {{"pid", record.pid},
          {"command", Text(record.command)},
          {"running", record.is_running},
          {"counters", CountersJson(record.counts.counters)}};
}

Json SecondsOrNull(int64_t unix_ns) { return unix_ns == 0 ? Json(nullptr) : Json(static_cast<double>(unix_ns) / 1e9); }

}  // namespace

Json ToJson(const Snapshot& snapshot, TableStyle style) {
  Json json = Json::object();
  if (snapshot.is_complete) {
    json["session"] = snapshot.session_pid == 0 ? Json(nullptr) : Json(snapshot.session_pid);
    json["started_unix_s"] = SecondsOrNull(snapshot.started_unix_ns);
    json["reset_unix_s"] = SecondsOrNull(snapshot.reset_unix_ns);
    json["options"] = Text(snapshot.options);
    json["process_count"] = snapshot.total.processes;
    json["counters"] = CountersJson(snapshot.total.counters);
  }
  VisitCells(snapshot.total.ledger, style, [&](const char* table, Event event, size_t column, uint64_t value) {
    json[table][EventName(event)][ColumnName(column)] = value;
  });
  for (const SummaryRow& row : Summarise(snapshot.total.ledger, style, snapshot.is_complete))
    for (size_t column = 0; column < ColumnCount(style); ++column)
      json["summary"][row.name][ColumnName(column)] = row.cells[column] ? Json(*row.cells[column]) : Json(nullptr);
  if (snapshot.is_complete) {
    json["processes"] = Json::array();
    for (const ProcessRecord& record : snapshot.processes) json["processes"].push_back(ProcessJson(record));
  }
  return json;
}

std::string FormatCsv(const Snapshot& snapshot, TableStyle style, const std::string& prefix) {
  std::string out;
  VisitCells(snapshot.total.ledger, style, [&](const char* table, Event event, size_t column, uint64_t value) {
    absl::StrAppend(&out, prefix, table, ",", EventName(event), ",", ColumnName(column), ",", value, "\n");
  });
  for (const SummaryRow& row : Summarise(snapshot.total.ledger, style, snapshot.is_complete))
    for (size_t column = 0; column < ColumnCount(style); ++column) {
      absl::StrAppend(&out, prefix, "summary,", row.name, ",", ColumnName(column), ",");
      if (row.cells[column]) absl::StrAppend(&out, *row.cells[column]);
      out += '\n';
    }
  if (!snapshot.is_complete) return out;
  absl::StrAppend(&out, prefix, "counters,processes,total,", snapshot.total.processes, "\n");
  VisitCounters(snapshot.total.counters, [&](const char* name, const char*, uint64_t value) {
    absl::StrAppend(&out, prefix, "counters,", name, ",total,", value, "\n");
  });
  return out;
}

std::string FormatOpenMetrics(const Snapshot& snapshot) {
  std::string out =
      "# TYPE ahead_events counter\n"
      "# HELP ahead_events Events of the readahead engine by event, class of request and unit.\n";
  VisitCells(snapshot.total.ledger, TableStyle::kAhead,
             [&](const char* table, Event event, size_t column, uint64_t value) {
               if (column == 0) return;
               absl::StrAppend(&out, "ahead_events_total{event=\"", EventName(event), "\",class=\"", ColumnName(column),
                               "\",unit=\"", table, "\"} ", value, "\n");
             });
  if (!snapshot.is_complete) return out + "# EOF\n";
  out +=
      "# TYPE ahead_readahead_square_pages counter\n"
      "# HELP ahead_readahead_square_pages Sum over requests of the square of their pages.\n";
  for (size_t cls = 0; cls < kClassCount; ++cls)
    absl::StrAppend(&out, "ahead_readahead_square_pages_total{class=\"", ColumnName(1 + cls), "\"} ",
                    snapshot.total.ledger.readahead_square_pages[cls], "\n");
  VisitCounters(snapshot.total.counters, [&](const char* name, const char* help, uint64_t value) {
    absl::StrAppend(&out, "# TYPE ahead_", name, " counter\n# HELP ahead_", name, " ", help, "\nahead_", name,
                    "_total ", value, "\n");
  });
  absl::StrAppend(&out, "# TYPE ahead_processes counter\n# HELP ahead_processes Processes that counted.\n",
                  "ahead_processes_total ", snapshot.total.processes, "\n# EOF\n");
  return out;
}

}  // namespace ahead
