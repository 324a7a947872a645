// The policy under a host, a kernel and a clock that do as they please. What must hold: requests lie in the file, what
// is fetched ahead keeps the budget, the work of one decision is bounded, and issued = hit + wasted + outstanding.
#include <algorithm>
#include <cstring>
#include <memory>

#include "core/adaptive_policy.h"
#include "tests/fuzz/target.h"

namespace ahead::fuzz {
namespace {

constexpr int64_t kPages[] = {4096, 16384, 65536};
constexpr size_t kFilters = 3;
// The most steps of one input: what one step may cost is what is looked at.
constexpr int kMostSteps = 200;
constexpr int32_t kMostPieces = 64;  // of a decision, beyond what the read itself needs

class World {
 public:
  explicit World(Input& input) : input_(input) {
    for (size_t row = 0; row < kOptionCount; ++row) {
      if (OptionAt(row).kind == OptionKind::kText || input_.Flag()) continue;
      SetOption(options_, row, std::to_string(input_.Magnitude(41)).c_str());
    }
    facts_.page = {kPages[input_.Below(3)]};
    facts_.piece = facts_.page * (1 + input_.Below(64));
    facts_.kernel_leads = input_.Flag();
    ChangeFacts();
    now_ = {input_.Magnitude(50)};
  }

  void Step() {
    switch (input_.Byte() % 8) {
      case 0:
        ChangeFacts();
        break;
      case 1:
        Map();
        break;
      case 2:
        policy_.Detach(PickFilter(), facts_, Around());
        break;
      case 3:
        policy_.OnHostAdvice(static_cast<HostAdvice>(input_.Below(6)), PickRange(), facts_, Around());
        break;
      default:
        Run();
    }
    CheckAccount();
  }

  void Close() {
    for (Filter& filter : filters_) policy_.Detach(filter, facts_, Around());
    CheckAccount();
    policy_.Forget(facts_, Around());
    Require(policy_.OutstandingPages() == 0, "nothing is outstanding of a file that is forgotten");
    CheckAccount();
  }

 private:
  Surroundings Around() { return {options_, congestion_, learnt_, ledger_}; }
  Filter& PickFilter() { return filters_[input_.Below(kFilters)]; }

  void ChangeFacts() {
    // Also a file that grows or is cut short under its reader.
    facts_.file_size = {std::min(input_.Magnitude(54), kLargestFile.value)};
    facts_.initial = {16384 + input_.Magnitude(22)};
    facts_.habit = Habit::Decode(static_cast<uint64_t>(input_.Magnitude(31)));
    // A read of gigabytes is asked for in many thousand pieces, as far as memory allows: rarely, for it takes its time.
    facts_.allowance = {input_.Magnitude(input_.Byte() < 252 ? 27 : 44)};
    facts_.kernel_window = {input_.Magnitude(25)};
  }

  // Any range, also one that is none.
  ByteRange PickRange() {
    int64_t begin = input_.Flag() ? input_.Below(facts_.file_size.value + 1) : input_.Magnitude(63);
    if (input_.Byte() == 255) begin = -begin;
    int64_t length = input_.Magnitude(input_.Byte() < 250 ? 22 : 62);
    if (input_.Byte() == 255) length = -length;
    int64_t end;
    if (__builtin_add_overflow(begin, length, &end)) end = INT64_MAX;
    return {{begin}, {end}};
  }

  // Some reads that follow each other in one way or another: a run of them is what streams are made of.
  void Run() {
    const ByteRange first = PickRange();
    Filter& filter = PickFilter();
    const int64_t count = first.size().value;
    const uint8_t way = input_.Byte();
    const int64_t step = way % 4 == 0   ? count
                         : way % 4 == 1 ? -count
                         : way % 4 == 2 ? input_.Magnitude(24)
                                        : -input_.Magnitude(24);
    const int64_t reads = 1 + input_.Below(24);
    ByteRange read = first;
    for (int64_t i = 0; i < reads; ++i) {
      Read(read, filter, i == 0 && way >= 128);
      const int64_t hop = step + (input_.Byte() < 16 ? input_.Magnitude(20) : 0);
      int64_t end;
      if (__builtin_add_overflow(read.begin.value, hop, &end) || __builtin_add_overflow(end, count, &end)) return;
      read = {{end - count}, {end}};
    }
  }

  void Read(ByteRange read, Filter& filter, bool fresh) {
    now_ = now_ + Nanos{input_.Magnitude(input_.Byte() < 250 ? 24 : 44)};
    if (read.begin.value >= 0 && filter.Passes(read.begin, read.size())) {
      filter.Absorb(read.begin, Returned(read).size());
      return;
    }
    const auto advice = static_cast<HostAdvice>(input_.Byte() < 32 ? input_.Below(4) : 0);
    const Decision decision = policy_.Plan({read, now_, fresh, advice}, facts_, filter, Around());
    CheckDecision(decision, read);
    Issue(decision);
    const Nanos duration{input_.Magnitude(input_.Byte() < 250 ? 24 : 44)};
    now_ = now_ + duration;
    policy_.Finish(decision, {Returned(read), now_, duration}, facts_, filter, Around());
  }

  // What a read of this range gives: nothing, some of it, or all that is in the file.
  ByteRange Returned(ByteRange read) {
    if (read.begin.value < 0 || read.empty() || read.begin.value >= facts_.file_size.value) return {};
    const int64_t there = std::min(read.end.value, facts_.file_size.value) - read.begin.value;
    const uint8_t how = input_.Byte();
    const int64_t got = how < 8 ? 0 : how < 16 ? 1 + input_.Below(there) : there;
    return {read.begin, read.begin + ByteCount{got}};
  }

  void Map() {
    ByteRange range = PickRange();
    if (range.begin.value < 0) return;
    const Decision decision = policy_.PlanMapping(range, now_, facts_, Around());
    CheckDecision(decision, {});
    Issue(decision);
  }

  // `read`: what the host is about to read; none for a mapping.
  void CheckDecision(const Decision& decision, ByteRange read) {
    static const bool shows = std::getenv("AHEAD_FUZZ_SHOW") != nullptr;
    if (shows) Show(decision, read);
    const bool is_mapped = read.empty();
    Require(decision.pieces >= 0 && decision.required >= 0 && decision.required <= decision.pieces,
            "the pieces that the read needs are some of all");
    // A first window may be stretched by a quarter, and has a piece at either end.
    const int64_t most = is_mapped ? facts_.initial.value / facts_.piece.value * 5 / 4 + 3 : kMostPieces;
    Require(decision.pieces <= std::max<int64_t>(most, decision.required),
            "a decision asks for no more pieces than it may");
    Require(decision.required <= std::min<int64_t>(facts_.allowance.value, int64_t{1} << 31) / facts_.piece.value + 2,
            "what a read itself needs is bounded by the memory left and by the longest read");
    int64_t ahead = 0;
    for (int32_t i = 0; i < decision.pieces; ++i) {
      const ByteRange piece = decision.Piece(i);
      Require(piece.begin.value >= 0 && piece.begin <= piece.end && piece.end.value <= facts_.file_size.value,
              "a piece lies in the file");
      if (i >= decision.required) ahead += piece.size().value - Common(piece, read);
    }
    // Of what is asked for again some was granted under other facts.
    const bool is_again = decision.method == Class::onthrash;
    if (decision.look_only || is_mapped || is_again || decision.method == Class::initial) return;
    Require(ahead <= Budget() / 4 * 5 + 2 * std::max(facts_.piece.value, decision.length.value + 2 * facts_.page.value),
            "what is fetched ahead of one stream keeps the budget");
  }

  // For who looks into a finding.
  void Show(const Decision& decision, ByteRange read) const {
    std::fprintf(
        stderr,
        "read [%ld, %ld) of %ld, allowance %ld, ratio %ld: method %d, from %ld, %d pieces of %ld, step %ld, %d "
        "required, within [%ld, %ld)%s\n",
        read.begin.value, read.end.value, facts_.file_size.value, facts_.allowance.value, options_.ratio,
        static_cast<int>(decision.method), decision.first.value, decision.pieces, decision.length.value,
        decision.step.value, decision.required, decision.floor.value, decision.limit.value,
        decision.look_only ? ", to look at" : "");
  }

  static int64_t Common(ByteRange a, ByteRange b) {
    return std::max<int64_t>(0, std::min(a.end.value, b.end.value) - std::max(a.begin.value, b.begin.value));
  }

  // What may be fetched ahead of one stream. A window may be stretched by a quarter to the end of the file, and is made
  // of whole pieces.
  int64_t Budget() const {
    const int64_t max = options_.max != 0 ? options_.max : 16 << 20;
    if (options_.ratio < 10) return std::max(options_.initial, max);
    const int64_t memory = facts_.allowance.value / 100 * options_.ratio;
    return options_.max_time > 0 ? memory : std::min(max, memory);  // bursts are bounded by memory alone
  }

  void Issue(const Decision& decision) {
    const uint8_t mood = input_.Byte();
    for (int32_t i = 0; i < decision.pieces; ++i) {
      const ByteRange piece = decision.Piece(i);
      const int64_t page = facts_.page.value;
      const int64_t pages = piece.empty() ? 0 : (piece.end.value - 1) / page - piece.begin.value / page + 1;
      PieceOutcome outcome;
      // Mostly all alike; long decisions must not eat the whole input.
      const uint8_t how = i < kMostPieces && mood >= 192 ? input_.Byte() : mood;
      outcome.state = static_cast<PieceOutcome::State>(how % 4);
      if (decision.look_only && outcome.state != PieceOutcome::State::kResident)
        outcome.state = PieceOutcome::State::kPutOff;
      outcome.sure = (how & 4) != 0;
      outcome.blocked = {(how & 8) != 0 ? 400'000 : 0};
      if (outcome.state == PieceOutcome::State::kIssued)
        outcome.fresh_pages = static_cast<int32_t>((how & 16) != 0 ? pages / 2 : pages);
      policy_.Issued(decision, i, outcome, now_, facts_, Around());
    }
  }

  void CheckAccount() {
    for (size_t index = 0; index < kClassCount; ++index) {
      const Class cls = static_cast<Class>(index);
      if (cls == Class::none) continue;
      const auto issued = static_cast<int64_t>(ledger_.pages(Event::readahead, cls));
      const auto settled =
          static_cast<int64_t>(ledger_.pages(Event::readahead_hit, cls) + ledger_.pages(Event::readahead_waste, cls));
      const int64_t outstanding = policy_.OutstandingPages(cls);
      Require(outstanding >= 0, "what is outstanding is a number of pages");
      // What a mapping touches is not seen, so that its pages may leave the account unread and unwasted.
      Require(cls == Class::mapped ? issued >= settled + outstanding : issued == settled + outstanding,
              "issued = hit + wasted + outstanding");
    }
  }

  Input& input_;
  Options options_;
  Congestion congestion_;
  Learnt learnt_;
  Ledger ledger_{};
  Facts facts_;
  AdaptivePolicy policy_;
  Filter filters_[kFilters];
  Nanos now_;
};

}  // namespace
}  // namespace ahead::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  ahead::fuzz::Input input(bytes, size);
  const auto world = std::make_unique<ahead::fuzz::World>(input);
  for (int step = 0; step < ahead::fuzz::kMostSteps && !input.empty(); ++step) world->Step();
  world->Close();
  return 0;
}
