#include "cli/trace_export.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "stats/trace_summary.h"

namespace ahead::cli {
namespace {

using Json = nlohmann::ordered_json;

const char* NameOf(TraceAccessKind kind) {
  const auto number = static_cast<size_t>(kind);
  return number < kAccessKindCount ? kAccessKindNames[number] : "other";
}

const char* NameOf(TraceKind kind) {
  switch (kind) {
    case TraceKind::kOpen:
      return "open";
    case TraceKind::kClose:
      return "close";
    case TraceKind::kAdvice:
      return "advice";
    case TraceKind::kSeek:
      return "seek";
    case TraceKind::kMapping:
      return "mapping";
    case TraceKind::kUnmapping:
      return "unmapping";
    case TraceKind::kEntry:
      return "entry";
    default:
      return "other";
  }
}

constexpr const char* kClassNames[] = {
#define AHEAD_CLASS(name) #name,
#include "core/events.def"
};

const char* MethodOf(const Decision& decision) {
  return decision.empty() ? "" : kClassNames[static_cast<size_t>(decision.method)];
}

std::string Quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

Json Common(const TraceContents& trace, const char* kind, Nanos time, uint32_t file, int32_t tid,
            uint32_t description) {
  return {{"kind", kind},
          {"time_ns", time.value},
          {"pid", trace.files[file].pid},
          {"tid", tid},
          {"path", trace.files[file].path},
          {"device", trace.files[file].device},
          {"inode", trace.files[file].inode},
          {"description", description}};
}

std::string LineOf(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string LineOf(const TraceContents& trace, const TracedEvent& event) {
  Json json = Common(trace, NameOf(event.kind), event.time, event.file, event.tid, event.description);
  switch (event.kind) {
    case TraceKind::kOpen:
      json["opened_here"] = event.opened_here;
      break;
    case TraceKind::kAdvice:
      json["advice"] = event.advice;
      json["offset"] = event.range.begin.value;
      json["length"] = event.range.size().value;
      break;
    case TraceKind::kSeek:
      json["offset"] = event.range.begin.value;
      break;
    case TraceKind::kMapping:
    case TraceKind::kUnmapping:
      json["offset"] = event.range.begin.value;
      json["length"] = event.range.size().value;
      break;
    case TraceKind::kEntry:
      json["entry_inode"] = event.inode;
      break;
    default:
      break;
  }
  return LineOf(json);
}

std::string LineOf(const TraceContents& trace, const TracedRead& read) {
  Json json = Common(trace, NameOf(read.kind), read.time, read.file, read.tid, read.description);
  json["offset"] = read.range.begin.value;
  json["length"] = read.range.size().value;
  json["file_size"] = std::max(trace.files[read.file].size, read.facts.file_size).value;
  json["fresh"] = read.fresh;
  json["standing_advice"] = static_cast<int>(read.advice);
  json["absorbed"] = read.absorbed;
  json["unseen"] = read.unseen;
  json["completed"] = read.completed;
  if (read.completed) {
    json["returned"] = read.returned.value;
    json["duration_ns"] = read.duration.value;
    json["error"] = read.error;
  }
  if (!read.decision.empty())
    json["decision"] = {{"method", MethodOf(read.decision)},
                        {"first", read.decision.first.value},
                        {"length", read.decision.length.value},
                        {"step", read.decision.step.value},
                        {"pieces", read.decision.pieces}};
  if (read.outcome.known)
    json["outcome"] = {{"asked", read.outcome.asked},
                       {"resident", read.outcome.resident},
                       {"dropped", read.outcome.dropped},
                       {"put_off", read.outcome.put_off},
                       {"fresh_pages", read.outcome.fresh_pages},
                       {"blocked_ns", read.outcome.blocked.value}};
  return LineOf(json);
}

}  // namespace

bool ExportCsv(const TraceContents& trace, const Sink& sink) {
  if (!sink("time_ns,duration_ns,pid,tid,kind,description,offset,length,returned,error,absorbed,method,pieces,device,"
            "inode,path\n"))
    return false;
  for (const TracedRead& read : trace.reads) {
    const TracedFile& file = trace.files[read.file];
    std::string line = absl::StrFormat("%d,", read.time.value);
    // What never ended has no duration, result or error.
    absl::StrAppend(&line, read.completed ? absl::StrCat(read.duration.value) : "", ",", file.pid, ",", read.tid, ",",
                    NameOf(read.kind), ",", read.description, ",", read.range.begin.value, ",", read.range.size().value,
                    ",");
    absl::StrAppend(&line, read.completed ? absl::StrCat(read.returned.value, ",", read.error) : ",", ",",
                    read.absorbed ? 1 : 0, ",", MethodOf(read.decision), ",", read.decision.pieces, ",");
    absl::StrAppend(&line, file.device, ",", file.inode, ",", Quoted(file.path), "\n");
    if (!sink(line)) return false;
  }
  return true;
}

bool ExportJsonLines(const TraceContents& trace, const Sink& sink) {
  size_t event = 0;
  const auto put_events_until = [&](int64_t time) {
    for (; event < trace.events.size() && trace.events[event].time.value <= time; ++event)
      if (!sink(LineOf(trace, trace.events[event]))) return false;
    return true;
  };
  for (const TracedRead& read : trace.reads)
    if (!put_events_until(read.time.value) || !sink(LineOf(trace, read))) return false;
  return put_events_until(INT64_MAX);
}

}  // namespace ahead::cli
