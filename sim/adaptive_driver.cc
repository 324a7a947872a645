#include "sim/adaptive_driver.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <new>
#include <unordered_map>
#include <utility>

namespace ahead::sim {
namespace {

// Files without users whose policies are kept (shim/files.cc).
constexpr size_t kIdleFiles = 16;
// As `ahead run` does while something moves (cli/memory_watch.h).
constexpr Nanos kLookEvery = 1_s;

uint32_t FolderIdOf(const std::string& path) { return FolderId(path.data(), path.size()); }

// FNV-1a, a word at a time.
class Digest {
 public:
  explicit Digest(uint64_t& state) : state_(state) {}
  void Add(int64_t value) {
    state_ = (state_ ^ static_cast<uint64_t>(value)) * 0x100000001b3;
    state_ ^= state_ >> 29;
  }

 private:
  uint64_t& state_;
};

}  // namespace

struct AdaptiveDriver::OfFile {
  uint32_t file = 0;
  uint32_t folder = 0;
  Process* process = nullptr;
  Congestion* congestion = nullptr;
  int32_t users = 0;
  Holdings::Of holdings;  // of the policy, after its last call
  AdaptivePolicy policy;
};

struct AdaptiveDriver::Process {
  Learnt learnt;
  Ledger ledger{};
  Holdings holdings;
  std::vector<std::pair<uint64_t, std::unique_ptr<Congestion>>> mounts;  // by device
  std::unordered_map<uint32_t, OfFile*> files;
  std::deque<OfFile> places;
  std::vector<OfFile*> idle;  // the one without users for longest first
};

AdaptiveDriver::AdaptiveDriver(const Workload& work, const Options& options, const DriverFacts& facts)
    : work_(work),
      options_(options),
      facts_(facts),
      processes_(std::max<uint32_t>(1, work.processes)),
      readers_(work.readers) {
  for (Process& process : processes_) process.learnt.run_habits = &habits_;
}

AdaptiveDriver::~AdaptiveDriver() = default;

// Before the first step it is as DriverFacts says.
void AdaptiveDriver::Watch(Nanos now) {
  for (; !facts_.steps.empty() && next_look_ <= now; next_look_ = next_look_ + kLookEvery) {
    const MemoryStep* in_force = nullptr;
    for (const MemoryStep& step : facts_.steps)
      if (step.at <= next_look_) in_force = &step;
    if (in_force != nullptr) facts_.memory = budget_.Look(in_force->found);
  }
}

AdaptiveDriver::OfFile& AdaptiveDriver::FileOf(uint32_t process_number, uint32_t file) {
  Process& process = processes_[process_number];
  OfFile*& place = process.files[file];
  if (place != nullptr) return *place;
  if (process.idle.size() >= kIdleFiles) {
    place = process.idle.front();
    process.idle.erase(process.idle.begin());
    process.files.erase(place->file);
    place->policy.~AdaptivePolicy();
    new (&place->policy) AdaptivePolicy();
    place->holdings = {};
  } else {
    place = &process.places.emplace_back();
    place->process = &process;
  }
  OfFile& found = *place;
  found.file = file;
  found.folder = FolderIdOf(work_.files[file].path);
  const uint64_t device = work_.files[file].device;
  auto mount = std::find_if(process.mounts.begin(), process.mounts.end(),
                            [&](const auto& known) { return known.first == device; });
  if (mount == process.mounts.end()) mount = process.mounts.insert(mount, {device, std::make_unique<Congestion>()});
  found.congestion = mount->second.get();
  return found;
}

AdaptiveDriver::Reader& AdaptiveDriver::Meet(const WorkStep& step) {
  Reader& reader = readers_[step.reader];
  if (reader.is_open) return reader;
  reader.is_open = true;
  OfFile& file = FileOf(work_.ProcessOf(step.thread), step.file);
  reader.file = &file;
  if (file.users++ == 0) std::erase(file.process->idle, &file);
  return reader;
}

Facts AdaptiveDriver::FactsOf(const OfFile& of_file) const {
  const WorkFile& file = work_.files[of_file.file];
  Facts facts;
  facts.file_size = file.size < kLargestFile ? file.size : kLargestFile;
  facts.page = facts_.page;
  facts.piece = facts_.piece;
  facts.kernel_window = facts_.kernel_window;
  facts.kernel_leads = facts_.kernel_leads.value_or(file.kernel_leads);
  const Process& process = *of_file.process;
  const Holdings::Sum own = process.holdings.Get();
  const MemoryUse use{facts_.page * own.pages, facts_.page * held_.pages, std::max<int64_t>(1, own.streams),
                      std::max<int64_t>(1, held_.streams)};
  process.learnt.Tell(facts, of_file.folder, facts_.memory, use, options_);
  return facts;
}

void AdaptiveDriver::Account(OfFile& file) {
  Process& process = *file.process;
  const Holdings::Sum before = process.holdings.Get();
  process.holdings.Tell(file.holdings, file.policy.OutstandingPages(), file.policy.ActiveStreams(),
                        process.learnt.safety.clock(), file.policy.safe());
  const Holdings::Sum now = process.holdings.Get();
  held_.pages += now.pages - before.pages;
  held_.streams += now.streams - before.streams;
}

template <typename Step>
void AdaptiveDriver::WithPolicy(OfFile& file, Step step) {
  Process& process = *file.process;
  const Surroundings around{options_, *file.congestion, process.learnt, process.ledger};
  step(around);
  Account(file);
}

void AdaptiveDriver::Decided(const Pending& pending) {
  const Decision& decision = pending.decision;
  if (decision.hint != Decision::Hint::kNone) Digest(digest_).Add(static_cast<int64_t>(decision.hint));
  if (decision.empty()) return;
  ++decisions_;
  Digest digest(digest_);
  digest.Add(pending.file->file);
  digest.Add(static_cast<int64_t>(decision.method));
  digest.Add(decision.stream.index);
  digest.Add(decision.stream.generation);
  digest.Add(decision.first.value);
  digest.Add(decision.length.value);
  digest.Add(decision.step.value);
  digest.Add(decision.pieces);
  digest.Add(decision.required);
  digest.Add(decision.limit.value);
  digest.Add(decision.floor.value);
  for (int32_t i = 0; i < decision.extent_count; ++i) {
    digest.Add(decision.extents[i].begin);
    digest.Add(decision.extents[i].length);
  }
  digest.Add((decision.look_only ? 1 : 0) | (decision.check ? 2 : 0) | (decision.starving ? 4 : 0) |
             (decision.alone ? 8 : 0));
}

// What the host advises replaces what the engine did.
Access AdaptiveDriver::AccessOf(Reader& reader, const WorkStep& read, Nanos now) const {
  reader.is_own = reader.is_own || read.fresh;
  if (reader.advice != read.advice) reader.is_hinted = false;
  reader.advice = read.advice;
  return {read.range, now, read.fresh, read.advice, reader.is_own, reader.is_hinted};
}

void AdaptiveDriver::Plan(const WorkStep& read, Nanos now, Pending& pending) {
  Watch(now);
  Reader& reader = Meet(read);
  pending.file = reader.file;
  pending.absorbed = reader.filter.Passes(read.range.begin, read.range.size());
  pending.decision.pieces = 0;
  pending.decision.hint = Decision::Hint::kNone;
  pending.first = pending.taken = 0;
  if (pending.absorbed) return;
  ++planned_;
  OfFile& file = *reader.file;
  pending.facts = FactsOf(file);
  const Access access = AccessOf(reader, read, now);
  WithPolicy(file, [&](const Surroundings& around) {
    pending.decision = file.policy.Plan(access, pending.facts, reader.filter, around);
  });
  if (pending.decision.hint != Decision::Hint::kNone)
    reader.is_hinted = pending.decision.hint == Decision::Hint::kRandom;
  Decided(pending);
}

void AdaptiveDriver::PlanMapping(const WorkStep& map, Nanos now, Pending& pending) {
  Watch(now);
  OfFile& file = *Meet(map).file;
  pending.file = &file;
  pending.absorbed = false;
  pending.decision.pieces = 0;
  pending.decision.hint = Decision::Hint::kNone;
  pending.first = pending.taken = 0;
  pending.facts = FactsOf(file);
  WithPolicy(file, [&](const Surroundings& around) {
    pending.decision = file.policy.PlanMapping(map.range, now, pending.facts, around);
  });
  Decided(pending);
}

// The mount's limit is looked at once a batch, a call that blocked a reader which had data to go on with ends it, and
// the policy hears of it afterwards.
bool AdaptiveDriver::NextPiece(Pending& pending, Nanos now, PieceOrder& order) {
  const Decision& decision = pending.decision;
  for (;;) {
    const int32_t index = pending.first + pending.taken;
    if (pending.taken == Pending::kBatch || (index >= decision.pieces && pending.taken > 0)) {
      ReportBatch(pending);
      continue;
    }
    if (index >= decision.pieces) return false;
    if (pending.taken == 0) {
      pending.allowed = pending.file->congestion->Allowed(now);
      pending.stopped = false;
    }
    order.range = decision.Piece(index);
    if (order.range.empty()) {
      pending.asked_at[pending.taken] = now;
      pending.outcomes[pending.taken++] = {PieceOutcome::State::kResident, false, 0, {}};
      continue;
    }
    order.look = decision.check;
    order.ask = ((!pending.stopped && pending.allowed > 0) || index < decision.required) && !decision.look_only;
    return true;
  }
}

void AdaptiveDriver::TookPiece(Pending& pending, Nanos now, const PieceOutcome& outcome) {
  using State = PieceOutcome::State;
  pending.asked_at[pending.taken] = now;
  pending.outcomes[pending.taken++] = outcome;
  if (outcome.state != State::kIssued && outcome.state != State::kDropped) return;
  --pending.allowed;
  pending.stopped = EndsBatch(pending.decision, pending.first + pending.taken - 1, outcome.blocked);
}

void AdaptiveDriver::ReportBatch(Pending& pending) {
  OfFile& file = *pending.file;
  WithPolicy(file, [&](const Surroundings& around) {
    for (int32_t i = 0; i < pending.taken; ++i)
      file.policy.Issued(pending.decision, pending.first + i, pending.outcomes[i], pending.asked_at[i], pending.facts,
                         around);
  });
  pending.first += pending.taken;
  pending.taken = 0;
}

void AdaptiveDriver::After(const WorkStep& read, const Pending& pending, const Completion& completion) {
  Filter& filter = readers_[read.reader].filter;
  if (pending.absorbed) {
    filter.Absorb(completion.range.begin, completion.range.size());
    return;
  }
  WithPolicy(*pending.file, [&](const Surroundings& around) {
    pending.file->policy.Finish(pending.decision, completion, pending.facts, filter, around);
  });
}

void AdaptiveDriver::Advise(const WorkStep& advise) {
  OfFile& file = *Meet(advise).file;
  WithPolicy(file, [&](const Surroundings& around) {
    file.policy.OnHostAdvice(advise.advice, advise.range, FactsOf(file), around);
  });
}

void AdaptiveDriver::Close(const WorkStep& close) {
  Reader& reader = readers_[close.reader];
  if (reader.is_open) Close(reader);
}

void AdaptiveDriver::Close(Reader& reader) {
  reader.is_open = reader.is_own = reader.is_hinted = false;
  reader.advice = HostAdvice::kNormal;
  OfFile& file = *reader.file;
  WithPolicy(file, [&](const Surroundings& around) {
    const Facts facts = FactsOf(file);
    file.policy.Detach(reader.filter, facts, around);
    if (--file.users == 0) file.policy.Forget(facts, around);
  });
  reader.filter.Reset();
  if (file.users == 0) file.process->idle.push_back(&file);
}

void AdaptiveDriver::CloseAll() {
  for (Reader& reader : readers_)
    if (reader.is_open) Close(reader);
}

Ledger AdaptiveDriver::ledger() const {
  Ledger sum{};
  for (const Process& process : processes_) {
    for (size_t event = 0; event < kEventCount; ++event) {
      for (size_t cls = 0; cls < kClassCount; ++cls) {
        sum.cells[event][cls].requests += process.ledger.cells[event][cls].requests;
        sum.cells[event][cls].pages += process.ledger.cells[event][cls].pages;
      }
    }
    for (size_t cls = 0; cls < kClassCount; ++cls)
      sum.readahead_square_pages[cls] += process.ledger.readahead_square_pages[cls];
  }
  return sum;
}

}  // namespace ahead::sim
