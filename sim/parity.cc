#include "sim/parity.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/adaptive_policy.h"

namespace ahead::sim {
namespace {

// One call into core. `index`: of the read, event or call; `batch`: of the read's.
struct Call {
  enum class Kind : uint8_t { kPlan, kIssued, kFinish, kEvent, kOther };
  uint64_t sequence = 0;
  Kind kind = Kind::kOther;
  size_t index = 0;
  size_t batch = 0;
};

bool IsNothing(const Decision& decision) {
  return decision.empty() && decision.stream.index < 0 && decision.hint == Decision::Hint::kNone;
}

bool HasSameExtents(const Decision& a, const Decision& b) {
  return std::equal(
      a.extents, a.extents + a.extent_count, b.extents, b.extents + b.extent_count,
      [](const Extent& one, const Extent& other) { return one.begin == other.begin && one.length == other.length; });
}

bool IsSame(const Decision& a, const Decision& b) {
  if (IsNothing(a) || IsNothing(b)) return IsNothing(a) && IsNothing(b);
  return a.method == b.method && a.stream.index == b.stream.index && a.stream.generation == b.stream.generation &&
         a.first == b.first && a.length == b.length && a.step == b.step && a.pieces == b.pieces &&
         a.required == b.required && a.limit == b.limit && a.floor == b.floor && a.look_only == b.look_only &&
         a.check == b.check && a.starving == b.starving && a.hint == b.hint && HasSameExtents(a, b);
}

std::string InWords(const Decision& decision) {
  if (IsNothing(decision)) return "nothing";
  std::ostringstream out;
  out << decision.pieces << " pieces of " << decision.length.value << " from " << decision.first.value << " by "
      << decision.step.value << " within [" << decision.floor.value << ", " << decision.limit.value << "), class "
      << static_cast<int>(decision.method) << ", stream " << decision.stream.index << "/" << decision.stream.generation
      << ", " << decision.required << " required" << (decision.check ? ", check" : "")
      << (decision.starving ? ", starving" : "") << (decision.look_only ? ", look only" : "")
      << (decision.hint == Decision::Hint::kRandom   ? ", random"
          : decision.hint == Decision::Hint::kNormal ? ", normal"
                                                     : "");
  for (int32_t i = 0; i < decision.extent_count; ++i)
    out << (i == 0 ? ", extents " : " ") << decision.extents[i].begin << "+" << decision.extents[i].length;
  return out.str();
}

// What a run tells; a closed filter tells nothing.
bool IsSame(const Filter::Run& a, const Filter::Run& b) {
  if (a.mode != b.mode || a.mode == Filter::Mode::kClosed) return a.mode == b.mode;
  return a.stream.index == b.stream.index && a.stream.generation == b.stream.generation && a.anchor == b.anchor &&
         a.expected == b.expected && a.reads == b.reads && a.broken == b.broken;
}

std::string InWords(const Filter::Run& run) {
  std::ostringstream out;
  out << "mode " << static_cast<int>(run.mode) << " from " << run.anchor.value << " to " << run.expected.value << " by "
      << run.reads << " reads of stream " << run.stream.index << "/" << run.stream.generation
      << (run.broken ? ", broken" : "");
  return out.str();
}

// What core knows in a process besides its files: what a child of fork takes along.
struct Knowledge {
  std::map<uint32_t, Congestion> mounts;
  Learnt learnt;
};

class Checker {
 public:
  explicit Checker(const TraceContents& trace) : trace_(trace), calls_(trace.processes.size()) {}

  ParityResult Run() {
    Collect();
    children_.resize(trace_.processes.size());
    for (uint32_t process = 0; process < trace_.processes.size(); ++process) {
      const int32_t parent = trace_.processes[process].parent;
      // A parent begins before its child; damaged traces may say something else.
      if (parent >= 0 && static_cast<uint32_t>(parent) < process)
        children_[static_cast<uint32_t>(parent)].push_back(process);
      else
        inherited_.emplace(process, Knowledge{});
    }
    for (uint32_t process = 0; process < trace_.processes.size(); ++process) Replay(process);
    return std::move(result_);
  }

 private:
  void Collect() {
    for (size_t i = 0; i < trace_.reads.size(); ++i) {
      const TracedRead& read = trace_.reads[i];
      const uint32_t process = trace_.files[read.file].process;
      if (process >= calls_.size()) continue;
      Add(process, {read.sequence, Call::Kind::kPlan, i});
      Add(process, {read.finish_sequence, Call::Kind::kFinish, i});
      for (size_t batch = 0; batch < read.batches.size(); ++batch)
        Add(process, {read.batches[batch].sequence, Call::Kind::kIssued, i, batch});
      if (read.absorbed && read.completed) passed_[{process, read.description}].push_back(i);
    }
    for (size_t i = 0; i < trace_.events.size(); ++i)
      Add(trace_.files[trace_.events[i].file].process, {trace_.events[i].sequence, Call::Kind::kEvent, i});
    for (size_t i = 0; i < trace_.calls.size(); ++i)
      Add(trace_.calls[i].process, {trace_.calls[i].sequence, Call::Kind::kOther, i});
  }

  void Add(uint32_t process, Call call) {
    if (call.sequence != 0 && process < calls_.size()) calls_[process].push_back(call);
  }

  void Replay(uint32_t process) {
    std::vector<Call>& calls = calls_[process];
    std::stable_sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) { return a.sequence < b.sequence; });
    process_ = process;
    knowledge_ = &inherited_[process];
    filters_.clear();
    policies_.clear();
    std::vector<uint32_t>& children = children_[process];
    const auto begin_of = [&](uint32_t child) { return trace_.processes[child].next_sequence; };
    std::stable_sort(children.begin(), children.end(),
                     [&](uint32_t a, uint32_t b) { return begin_of(a) < begin_of(b); });
    auto child = children.begin();
    uint64_t expected = trace_.processes[process].next_sequence;
    for (const Call& call : calls) {
      for (; child != children.end() && begin_of(*child) <= call.sequence; ++child) inherited_[*child] = *knowledge_;
      if (call.sequence > expected) result_.missing_calls += static_cast<int64_t>(call.sequence - expected);
      expected = call.sequence + 1;
      ++result_.calls;
      Make(call);
    }
    for (; child != children.end(); ++child) inherited_[*child] = *knowledge_;
    inherited_.erase(process);
  }

  void Make(const Call& call) {
    switch (call.kind) {
      case Call::Kind::kPlan:
        return Plan(trace_.reads[call.index], call.index);
      case Call::Kind::kIssued:
        return Issued(trace_.reads[call.index], call.batch);
      case Call::Kind::kFinish:
        return Finish(trace_.reads[call.index]);
      case Call::Kind::kEvent:
        return Tell(trace_.events[call.index]);
      case Call::Kind::kOther:
        return Tell(trace_.calls[call.index]);
    }
  }

  // Everything a call works with.
  Surroundings Around(uint32_t mount) {
    return {trace_.processes[process_].options, knowledge_->mounts[mount], knowledge_->learnt, ledger_};
  }
  Surroundings AroundFile(uint32_t file) { return Around(trace_.files[file].mount); }

  AdaptivePolicy& PolicyOf(uint32_t file) {
    std::unique_ptr<AdaptivePolicy>& policy = policies_[file];
    if (policy == nullptr) policy = std::make_unique<AdaptivePolicy>();
    return *policy;
  }

  void Plan(const TracedRead& read, size_t index) {
    const Surroundings around = AroundFile(read.file);
    Decision decision;
    if (read.kind == TraceAccessKind::kMapped) {
      decision = PolicyOf(read.file).PlanMapping(read.range, read.time, read.facts, around);
    } else {
      Settle(read.description, index, read.settled);
      Filter filter;
      filter.Restore(read.settled);
      const Access access{read.range, read.time, read.fresh, read.advice, read.own, read.hinted};
      decision = PolicyOf(read.file).Plan(access, read.facts, filter, around);
    }
    ++result_.decisions;
    if (IsSame(decision, read.decision)) return;
    if (++result_.differing_decisions > 1) return;
    std::ostringstream out;
    out << "read of " << trace_.files[read.file].path << " [" << read.range.begin.value << ", " << read.range.end.value
        << ") of process " << trace_.processes[process_].pid << ", call " << read.sequence << ": recorded "
        << InWords(read.decision) << "; here " << InWords(decision);
    result_.first_difference = out.str();
  }

  // Goes through what a filter let pass until read `index`, and compares what it held.
  void Settle(uint32_t description, size_t index, const Filter::Run& recorded) {
    const auto armed = filters_.find(description);
    std::vector<size_t>& passed = passed_[{process_, description}];
    size_t& next = next_passed_[{process_, description}];
    Filter* const filter = armed == filters_.end() ? nullptr : armed->second.get();
    bool is_same = true;
    for (; next < passed.size() && passed[next] < index; ++next) {
      const TracedRead& read = trace_.reads[passed[next]];
      if (filter == nullptr) continue;
      is_same = is_same && filter->Passes(read.range.begin, read.range.size());
      filter->Absorb(read.range.begin, read.returned);
    }
    // A child of fork has its parent's filters until it first decides.
    if (filter == nullptr) return;
    const Filter::Run run = filter->Settle();
    if (run.mode == Filter::Mode::kClosed && recorded.mode == Filter::Mode::kClosed) return;
    ++result_.filters;
    if (is_same && IsSame(run, recorded)) return;
    if (++result_.differing_filters == 1)
      result_.first_filter_difference = "recorded " + InWords(recorded) + "; here " + InWords(run);
  }

  void Issued(const TracedRead& read, size_t index) {
    const TracedBatch& batch = read.batches[index];
    const Surroundings around = AroundFile(read.file);
    AdaptivePolicy& policy = PolicyOf(read.file);
    int32_t piece = batch.first;
    for (const TracedBatch::Piece& each : batch.pieces)
      policy.Issued(read.decision, piece++, each.outcome, each.asked_at, read.facts, around);
  }

  void Finish(const TracedRead& read) {
    std::unique_ptr<Filter>& filter = filters_[read.description];
    if (filter == nullptr) filter = std::make_unique<Filter>();
    const Completion completion{
        {read.range.begin, read.range.begin + read.returned}, read.end, read.duration, read.error == EIO};
    PolicyOf(read.file).Finish(read.decision, completion, read.facts, *filter, AroundFile(read.file));
  }

  void Tell(const TracedEvent& event) {
    const Surroundings around = AroundFile(event.file);
    AdaptivePolicy& policy = PolicyOf(event.file);
    if (event.kind == TraceKind::kAdvice)
      return policy.OnHostAdvice(AdviceOf(event.advice), event.range, event.facts, around);
    Settle(event.description, SIZE_MAX, event.settled);
    Filter filter;
    filter.Restore(event.settled);
    policy.Detach(filter, event.facts, around);
    filters_.erase(event.description);
  }

  void Tell(const TracedCall& call) {
    if (call.kind == TraceKind::kRenewed)
      knowledge_->mounts[call.mount] = Congestion();
    else
      PolicyOf(call.file).Forget(call.facts, AroundFile(call.file));
  }

  const TraceContents& trace_;
  ParityResult result_;
  std::vector<std::vector<Call>> calls_;                                 // by process
  std::vector<std::vector<uint32_t>> children_;                          // by process
  std::map<uint32_t, Knowledge> inherited_;                              // by process that is yet to come
  std::map<std::pair<uint32_t, uint32_t>, std::vector<size_t>> passed_;  // reads, by process and description
  std::map<std::pair<uint32_t, uint32_t>, size_t> next_passed_;
  // Of the process that is gone through.
  uint32_t process_ = 0;
  Knowledge* knowledge_ = nullptr;
  std::unordered_map<uint32_t, std::unique_ptr<AdaptivePolicy>> policies_;  // by file
  std::unordered_map<uint32_t, std::unique_ptr<Filter>> filters_;           // by description
  Ledger ledger_{};
};

}  // namespace

ParityResult CheckParity(const TraceContents& trace) { return Checker(trace).Run(); }

}  // namespace ahead::sim
