#include "stats/trace_decode.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <string_view>

#include "stats/trace_clock.h"
#include "stats/trace_encode.h"

namespace ahead {
namespace {

bool DecodeDecision(const TraceDecision& record, Decision& decision) {
  int64_t last = 0;
  // The places of all pieces can be told.
  const bool has_pieces = record.pieces >= 0 && record.length_bytes >= 0 && record.method < kClassCount &&
                          !__builtin_mul_overflow(record.step_bytes, record.pieces, &last) &&
                          !__builtin_add_overflow(last, record.first_bytes, &last) &&
                          !__builtin_add_overflow(last, record.length_bytes, &last) &&
                          (record.pieces == 0 || IsTraceRange(record.first_bytes, record.length_bytes));
  if (!has_pieces) return false;
  decision.method = static_cast<Class>(record.method);
  decision.stream = {record.stream_index, record.stream_generation};
  decision.first = {record.first_bytes};
  decision.length = {record.length_bytes};
  decision.step = {record.step_bytes};
  decision.pieces = record.pieces;
  decision.required = record.required;
  decision.limit = {record.limit_bytes};
  decision.floor = {record.floor_bytes};
  decision.check = (record.flags & TraceDecision::kCheck) != 0;
  decision.starving = (record.flags & TraceDecision::kStarving) != 0;
  decision.alone = (record.flags & TraceDecision::kAlone) != 0;
  decision.look_only = (record.flags & TraceDecision::kLookOnly) != 0;
  const int hint = (record.flags & TraceDecision::kHint) >> TraceDecision::kHintShift;
  if (hint > static_cast<int>(Decision::Hint::kNormal)) return false;
  decision.hint = static_cast<Decision::Hint>(hint);
  return true;
}

// Reads the extents that follow a decision in its record, from `at` on: each within a file, and in all no more pieces
// than the decision has.
bool DecodeExtents(const RecordView& record, size_t at, Decision& decision) {
  TraceExtent extent;
  int64_t pieces = 0;
  while (decision.extent_count < Decision::kMostExtents && record.At(at, extent)) {
    if (decision.length.value <= 0 || extent.length_bytes <= 0 || extent.length_bytes > INT32_MAX ||
        extent.begin_bytes > kLargestFile.value || !IsTraceRange(extent.begin_bytes, extent.length_bytes))
      return false;
    Extent& out = decision.extents[decision.extent_count++];
    out = {extent.begin_bytes, static_cast<int32_t>(extent.length_bytes)};
    pieces += decision.PiecesOf(out);
    at += sizeof(extent);
  }
  return decision.extent_count > 0 && decision.pieces <= pieces;
}

// Sets the number `name` of `options`, if there is such an option.
void SetNumber(std::string_view name, int64_t value, Options& options) {
  const auto set = [&](std::string_view known, OptionKind kind, int64_t& place) {
    if (kind != OptionKind::kText && name == known) place = value;
  };
#define AHEAD_OPTION(row, kind, default_value, min, max, help) set(#row, OptionKind::kind, options.row);
#include "core/options.def"
#undef AHEAD_OPTION
}

}  // namespace

bool IsTraceTime(int64_t nanos) { return 0 <= nanos && nanos <= kLastTraceTime; }

bool IsTraceRange(int64_t offset, int64_t length) { return offset >= 0 && length >= 0 && length <= INT64_MAX - offset; }

bool DecodeFacts(const RecordView& record, Facts& facts) {
  TraceFactsRecord in = FactsRecord(Facts{});
  constexpr int64_t kMostPage = int64_t{1} << 30;
  constexpr int64_t kMost = kLargestFile.value;
  if (record.bytes() < offsetof(TraceFactsRecord, share_bytes)) return false;
  record.UpTo(in);
  if (in.page_bytes <= 0 || in.page_bytes > kMostPage || !std::has_single_bit(static_cast<uint64_t>(in.page_bytes)))
    return false;
  facts.page = {in.page_bytes};
  facts.file_size = {std::clamp<int64_t>(in.file_size_bytes, 0, kMost)};
  facts.piece = {std::clamp<int64_t>(in.piece_bytes, in.page_bytes, kMost)};
  facts.kernel_window = {std::clamp<int64_t>(in.kernel_window_bytes, 0, kMost)};
  facts.initial = {std::clamp<int64_t>(in.initial_bytes, 0, kMost)};
  facts.allowance = {std::max<int64_t>(in.allowance_bytes, 0)};
  facts.share = {std::max<int64_t>(in.share_bytes, 0)};
  facts.safe = {std::max<int64_t>(in.safe_bytes, 0)};
  facts.clock = {std::max<int64_t>(in.clock_bytes, 0)};
  facts.habit = Habit::Decode(in.habit);
  facts.kernel_leads = (in.head.flags & TraceFactsRecord::kKernelLeads) != 0;
  return true;
}

bool DecodeRun(const TraceRun& run, Filter::Run& out) {
  const auto is_place = [](int64_t offset) {
    return offset >= -kLargestFile.value && offset <= 2 * kLargestFile.value;
  };
  if (run.mode > static_cast<uint8_t>(Filter::Mode::kScattered) || !is_place(run.anchor_bytes) ||
      !is_place(run.expected_bytes) || run.reads < 0 || run.reads > INT32_MAX)
    return false;
  out.mode = static_cast<Filter::Mode>(run.mode);
  out.stream = {run.stream_index, run.stream_generation};
  out.anchor = {run.anchor_bytes};
  out.expected = {run.expected_bytes};
  out.reads = run.reads;
  out.broken = run.broken != 0;
  return true;
}

bool DecodePlan(const RecordView& record, const TracePlanRecord& head, TracedRead& read) {
  const uint8_t flags = head.head.flags;
  if (!IsTraceTime(head.time_ns) || head.begin_bytes < 0 || head.end_bytes < head.begin_bytes ||
      head.advice > static_cast<uint32_t>(HostAdvice::kDontNeed) ||
      (flags & TracePlanRecord::kAccess) > static_cast<uint8_t>(TraceAccessKind::kMapped))
    return false;
  read.description = head.head.number;
  read.kind = static_cast<TraceAccessKind>(flags & TracePlanRecord::kAccess);
  read.fresh = (flags & TracePlanRecord::kFresh) != 0;
  read.own = (flags & TracePlanRecord::kOwn) != 0;
  read.hinted = (flags & TracePlanRecord::kHinted) != 0;
  read.advice = static_cast<HostAdvice>(head.advice);
  read.range = {{head.begin_bytes}, {head.end_bytes}};
  read.time = {head.time_ns};
  read.sequence = (head.sequence & TracePlanRecord::kNotCalled) != 0 ? 0 : head.sequence;
  size_t at = sizeof(head);
  if ((flags & TracePlanRecord::kHasRun) != 0) {
    TraceRun run;
    if (!record.At(at, run) || !DecodeRun(run, read.settled)) return false;
    at += sizeof(run);
  }
  TraceDecision decision;
  if ((flags & TracePlanRecord::kHasDecision) == 0) return true;
  if (!record.At(at, decision) || !DecodeDecision(decision, read.decision)) return false;
  return (decision.flags & TraceDecision::kExtents) == 0 || DecodeExtents(record, at + sizeof(decision), read.decision);
}

bool DecodeBatch(const RecordView& record, const TraceIssuedRecord& head, TracedBatch& batch) {
  if (head.first < 0 || head.count < 0) return false;
  batch.sequence = head.sequence;
  batch.first = head.first;
  for (int32_t i = 0; i < head.count; ++i) {
    TracePiece piece;
    if (!record.At(sizeof(head) + static_cast<size_t>(i) * sizeof(piece), piece)) return false;
    if (piece.state > static_cast<uint8_t>(PieceOutcome::State::kPutOff) || piece.fresh_pages < 0 ||
        !IsTraceTime(piece.asked_at_ns) || !IsTraceTime(piece.blocked_ns))
      return false;
    batch.pieces.push_back(
        {{static_cast<PieceOutcome::State>(piece.state), piece.is_sure != 0, piece.fresh_pages, {piece.blocked_ns}},
         {piece.asked_at_ns}});
  }
  return true;
}

void ReadOptions(const std::string& text, TracedProcess& process) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    int64_t value = 0;
    const std::string_view number = line.substr(equals + 1);
    if (std::from_chars(number.data(), number.data() + number.size(), value).ec == std::errc() && value >= 0)
      SetNumber(line.substr(0, equals), value, process.options);
  }
  process.ratio = process.options.ratio;
  process.hit_rate = process.options.hit_rate;
  process.max = {process.options.max};
  process.initial = {process.options.initial};
  process.memory = {process.options.memory};
}

}  // namespace ahead
