#include "core/adaptive_policy.h"

#include "core/request.h"

namespace ahead {
namespace {

// Memory in which a thousand first windows of 128 KiB are half of what is safe.
constexpr ByteCount kAmple{256 << 20};
// Streams of a file that read within so many of its last reads are its active ones.
constexpr uint32_t kRecentTicks = 16;
// Look-ups that are remembered.
constexpr int32_t kMostLookUps = 32;
// Pages left unread this far behind the reader are given up.
constexpr ByteCount kLag{1 << 20};

// A read that took longer than copying its bytes from memory, with faults on the target, can explain waited for the
// device. Measured: cached reads of 4 KiB take 0.3 us, of 128 KiB 5-20 us; of 64 KiB that another processor has just
// written 41-48 us. The fastest disks answer after 60 us.
bool IsFast(Nanos duration, ByteCount count) { return duration.value <= 20'000 + count.value * 800 / 1024; }

// Copying alone is as fast as this, but for one in a hundred on a busy machine. What a disk that is in memory, or
// nearly as fast, has to fetch is not: of 6000 reads of 4 KiB from ext4 on a loop device the cached ones took up to 6
// us, the others 10.4 us and more (bench/sizing/ahead-load pick).
bool IsSurelyCached(Nanos duration, ByteCount count) { return duration.value <= 5'000 + count.value * 800 / 1024; }

constexpr Books kNoBooks;

// The part of a range that the file has.
constexpr ByteRange Clip(ByteRange range, ByteCount file_size) {
  if (range.begin.value < 0) return {};
  const ByteOffset end{file_size.value};
  return {range.begin, range.end < range.begin ? range.begin : range.end < end ? range.end : end};
}

// The same of a read: no kernel reads more at once.
constexpr ByteRange ClipRead(ByteRange range, ByteCount file_size) {
  const ByteRange read = Clip(range, file_size);
  constexpr ByteCount kLongest{int64_t{1} << 31};
  return read.empty() || read.size() <= kLongest ? read : ByteRange{read.begin, read.begin + kLongest};
}

int64_t Pages(ByteRange range, ByteCount page) {
  return range.empty() ? 0
                       : FloorDivide(range.end.value - 1, page.value) - FloorDivide(range.begin.value, page.value) + 1;
}

// Counts slots as pages of an event, each to the class that fetched it.
void Charge(Ledger& ledger, Event event, const Usefulness::Count& count, int64_t pages_per_slot) {
  if (count.total == 0) return;
  for (size_t cls = 0; cls < kClassCount; ++cls)
    if (count.slots[cls] != 0)
      ledger.Add(event, static_cast<Class>(cls), static_cast<uint64_t>(count.slots[cls] * pages_per_slot));
}

// Says whether of `period` bytes so many are read that the gaps are those of a reader who goes on with a little to and
// fro: three fifths; of every other page half is read. The kernel's window has them all.
bool IsDense(int64_t period, int64_t read) { return read * 5 >= (period < 0 ? -period : period) * 3; }
bool IsDense(const Cycle& cycle) {
  int64_t read = 0;
  for (int32_t i = 0; i < cycle.runs; ++i) read += cycle.lengths[i];
  return IsDense(cycle.period, read * cycle.rounds);
}

// Returns how many of the slots were fetched because a stream was thought to go on. First windows and runs after jumps
// learn from their own outcomes.
int64_t Guesses(const Usefulness::Count& count) {
  return count.total - count.slots[static_cast<int>(Class::initial)] - count.slots[static_cast<int>(Class::onseek)];
}

}  // namespace

Decision AdaptivePolicy::Plan(const Access& access, const Facts& facts, Filter& filter, const Surroundings& around) {
  SettleFilter(filter, access.time, facts, around);
  const ByteRange read = ClipRead(access.range, facts.file_size);
  if (read.empty() || access.advice == HostAdvice::kRandom) return {};
  ++tick_;
  concurrency_.OnBegin(access.time);
  page_ = facts.page;
  safe_ = facts.safe;
  folder_ = facts.habit.folder;
  NoteOpening(read, access, facts, around);
  Stream* stream = Match(read, access, facts, around);
  CountLookUp(read, stream == nullptr, facts);
  if (stream == nullptr) {
    kernel_has_read_ = true;
    Decision decision;
    decision.hint = HintFor(access, nullptr, {}, decision, facts, around);
    return decision;
  }

  KeepKernelOut(*stream, access, facts, around);
  stream->tick = tick_;
  stream->overtaking.OnBegin();
  const int64_t before = stream->position;
  const SlotRange slots = stream->Advance(read);
  stream->is_at_end = stream->position >= stream->track.EndSlot(facts.file_size);
  SettleInitial(*stream, facts, around);
  stream->appetite.OnBegin(stream->track.length * (before - stream->taken), access.time, waited_);
  stream->taken = before;
  NoteHaste(*stream, facts, around);
  // Where little of what is fetched is read, a read far ahead is one that fell into the window by chance.
  if (slots.begin - before > kSlack / stream->track.length && Opening(*stream, around) < Tap::kWhole / 2)
    stream->Restart(slots.begin);
  // Under advice of ours the kernel is ahead of nobody.
  stream->is_among_random = access.hinted;
  if (access.hinted) stream->led = false;
  Decision decision;
  const bool is_new_tail = stream->is_tail && stream->frontier == stream->first;
  SlotRange touched{is_new_tail ? stream->first : slots.begin, slots.end};
  // When such a page is there all before it is as well: what comes then is to be on its way.
  const int64_t position = stream->position;
  const int64_t mark = stream->mark;
  if (stream->has_strayed) {
    touched = stream->track.Slots(read);
    stream->position = touched.end;
  }
  if (!passive_ && !stream->is_cluster)
    decision = Extend(*stream, touched, WithPieceOf(*stream, access.advice, facts), access.time, around);
  else if (!passive_ && !stream->asking.IsOn(access.time))
    decision = FetchCluster(*stream, facts, access.time, around);
  stream->position = position;
  if (stream->has_strayed && decision.empty()) stream->mark = mark;
  if (is_new_tail) decision.required = 0;  // the read itself is small
  decision.stream = table_.IdOf(*stream);
  if (!stream->asking.IsOn(access.time)) {
    stream->other_end = {};
    if (access.fresh && !passive_) AddOtherEnd(*stream, decision, access.time, facts, around);
  }
  if (!decision.empty()) stream->asking.Begin(access.time);
  decision.hint = HintFor(access, stream, slots, decision, facts, around);
  return decision;
}

// Notes a read in no stream, if it `is_one`: who looks something up reads little. Reads of streams wear that out, and
// fast once so many came in a row that the look-ups are over.
void AdaptivePolicy::CountLookUp(ByteRange read, bool is_one, const Facts& facts) {
  constexpr int64_t kFewPages = 4;
  constexpr uint32_t kSlowly = 32;
  // In pages read one by one that may be a few hundred reads, of which most pass a filter. Simulated: a scan of 64 KiB
  // a read after 40 random ones, 20 ms, takes 1.4 s, 2.9 where look-ups wear out slowly; ahead score is the same, and
  // with 16 base-mixed fetches 5 % more at 20 ms.
  constexpr uint32_t kOver = 32;
  if (is_one && read.size() <= facts.page * kFewPages) {
    lookups_ += lookups_ < kMostLookUps ? 1 : 0;
    last_lookup_ = tick_;
  } else if (!is_one && (tick_ % kSlowly == 0 || tick_ - last_lookup_ > kOver)) {
    lookups_ -= lookups_ > 0 ? 1 : 0;
  }
}

// Finds the stream that the read belongs to, or starts one. Streams that go on come first; then what the trail of
// recent reads proves; then what a jump suggests.
Stream* AdaptivePolicy::Match(ByteRange read, const Access& access, const Facts& facts, const Surroundings& around) {
  const ByteCount hop = stride_.Observe(read.begin);
  const bool is_jump = runs_.Observe(read, facts.page);
  const ByteCount jump = is_jump ? runs_.AlikeLength() : ByteCount{};
  Stream* stream = table_.Find(read, facts.page, kSlack);
  Clusters::Block* const block = NoteCluster(read, stream, facts, around.options);
  if (stream != nullptr && stream->is_cluster) return stream;
  // A cycle is one reader's. The blocks that some of several take while others wait are none, however equal the gaps.
  const bool is_several =
      concurrency_.has_company() || (stream != nullptr && stream->overtaking.is_shared() && !stream->has_gaps());
  // A window that happens to cover the read was not made for it.
  if (is_jump && !is_several &&
      (stream == nullptr || (!stream->Expects(read) && stream->track.shape != Shape::kRuns))) {
    Stream* cyclic = StartCycle(read, stream, access.time, facts, around);
    if (cyclic != nullptr) return cyclic;
  }
  // In the end of a file that was fetched as a whole, one who goes backward is to be found as soon as elsewhere.
  const bool is_back_in_tail = stream != nullptr && stream->is_tail && !stream->Expects(read);
  if (stream != nullptr && stream->track.shape != Shape::kStride && !is_back_in_tail) {
    stream->proved = true;
    return stream;
  }
  // Reads of a strided stream leave a trail too: interleaved sequential readers look like one in their first round.
  const TrailMatch match = trail_.Enter(read, facts.page);
  if (block != nullptr) {
    Stream* left = LeaveCluster(read);
    if (left != nullptr) return left;
    if (match.kind == TrailMatch::Kind::kNone || IsJumble(match, *block, facts)) {
      Stream* cluster = StartCluster(*block, access, facts, around);
      if (cluster != nullptr || match.kind != TrailMatch::Kind::kNone) return cluster;
    }
  }
  if (stream != nullptr && match.kind == TrailMatch::Kind::kNone) return stream;
  if (is_back_in_tail && (match.kind != TrailMatch::Kind::kBackward || match.hits < 2)) return stream;
  Stream* started = Start(read, access, facts, around, match, hop, jump);
  if (started != nullptr) RestIdleStreams(facts, around);
  return started != nullptr ? started : stream;
}

// Starts a stream on the cycle that the file's runs go through, if they do. `covering`: of the stream whose window has
// the read; or null.
Stream* AdaptivePolicy::StartCycle(ByteRange read, Stream* covering, Nanos now, const Facts& facts,
                                   const Surroundings& around) {
  Cycle cycle;
  if (!runs_.FindRows(cycle, facts.page) && !runs_.FindCycle(cycle, covering != nullptr, facts.page) &&
      !runs_.FindLine(cycle, facts.page))
    return nullptr;
  if (IsDense(cycle)) return nullptr;
  if (HasFailed(facts, around)) return nullptr;
  Track track = Track::Runs(read.begin, cycle, facts.page);
  Class method = Class::stride;
  const int64_t size = read.size().value;
  if (cycle.runs == 1 && cycle.rounds == 1 && cycle.lengths[0] == size && read.size() <= facts.piece) {
    const int64_t distance = cycle.period < 0 ? -cycle.period : cycle.period;
    // Start finds strides by itself; but where a window goes on over reads with gaps, nothing would be started.
    if (covering == nullptr || covering->track.shape == Shape::kStride ||
        distance <= around.options.hit_rate * AlignUp(size, facts.page.value))
      return nullptr;
    track = Track::Strided(read.begin, {cycle.period}, read.size());
    Rest(*covering, facts, around);
  } else {
    for (int32_t i = 0; i < cycle.runs; ++i)
      if (cycle.lengths[i] >= 2 * size) method = Class::onseek;
  }
  const ByteCount startup =
      track.shape == Shape::kRuns ? facts.page * CycleStartup(track, facts) : read.size() * StrideStartup(facts);
  Stream& stream = Begin(method, track, read, startup, now, facts, around);
  // What it went through to be found counts as read.
  if (track.shape == Shape::kRuns) stream.first = -cycle.SlotsPerCycle(read.begin, facts.page);
  stream.proved = true;
  RestIdleStreams(facts, around);
  return &stream;
}

Stream* AdaptivePolicy::Start(ByteRange read, const Access& access, const Facts& facts, const Surroundings& around,
                              const TrailMatch& match, ByteCount hop, ByteCount jump) {
  const Track forward = Track::Forward(facts.page);
  const bool is_sequential = access.advice == HostAdvice::kSequential;
  // Pages read once are dear to the others on the machine: for them nothing is fetched on a guess.
  const bool may_guess = access.advice != HostAdvice::kNoReuse;
  if ((access.fresh || IsAfterTail()) && read.begin.value == 0 && may_guess) {
    Stream& stream = Begin(Class::initial, forward, read, facts.initial, access.time, facts, around);
    stream.proved = is_sequential;
    return &stream;
  }
  if (is_sequential && match.kind != TrailMatch::Kind::kBackward) {
    Stream& stream =
        Begin(read.begin.value == 0 ? Class::contexta : Class::context, forward, read, {}, access.time, facts, around);
    stream.proved = stream.jumped = true;
    return &stream;
  }
  const ByteRange tail = (access.fresh || IsAfterHead()) && may_guess ? TailOf(read, facts) : ByteRange{};
  if (!tail.empty()) return &BeginTail(tail, access.time, facts, around);

  // Three reads in a row prove a stream in the middle of a file; two do where reads follow each other anyway.
  const int32_t needed = trail_.mostly_runs() ? 1 : 2;
  if (match.kind == TrailMatch::Kind::kForward && match.hits >= needed) {
    trail_.Remove(read);
    lookups_ -= match.hits < lookups_ ? match.hits : lookups_;
    Stream& stream = Begin(match.run_begin.value == 0 ? Class::contexta : Class::context, forward, read, {},
                           access.time, facts, around);
    Consume(stream, match, read, access.time);
    stream.first = forward.Slots({match.run_begin, match.run_end}).begin;
    stream.in_row = stream.position - stream.first;
    const ByteCount usual = runs_.LongestLength(read.size() * 2);
    if (usual.value > 0) stream.bound = forward.Slots({match.run_begin, match.run_begin + usual}).end;
    stream.proved = stream.jumped = true;
    return &stream;
  }
  // One that reads the last bytes and then what they point at, which ends there, goes nowhere.
  const bool is_even = (match.run_end - read.end) * 4 >= read.size();
  if (match.kind == TrailMatch::Kind::kBackward && match.hits >= needed &&
      ((match.immediate && is_even) || match.hits >= 2)) {
    trail_.Remove(read);
    Stream& stream =
        Begin(Class::backward, Track::Backward(read.end, facts.page), read, {}, access.time, facts, around);
    Consume(stream, match, read, access.time);
    stream.proved = stream.jumped = true;
    return &stream;
  }
  if (match.kind != TrailMatch::Kind::kNone) return nullptr;

  const int64_t distance = hop.value < 0 ? -hop.value : hop.value;
  if (distance > read.size().value) {
    // Where gaps are within what may be fetched for each page read, one of them included, fetching them costs less than
    // many small requests; and gaps of less than a page are none.
    if (hop.value > 0 && distance <= HitRate(around.options) * AlignUp(read.size().value, facts.page.value) &&
        distance < facts.piece.value)
      return &Begin(Class::context, forward, read, startup_, access.time, facts, around);
    if (hop.value > 0 && IsDense(distance, read.size().value)) return nullptr;
    if (HasFailed(facts, around)) return nullptr;
    Stream& stream = Begin(Class::stride, Track::Strided(read.begin, hop, read.size()), read,
                           read.size() * StrideStartup(facts), access.time, facts, around);
    stream.proved = true;
    return &stream;
  }
  const ByteCount enough = may_guess && runs_.is_new() ? EnoughAfterJump(read, facts, around) : ByteCount{};
  if (enough.value > 0) {
    passive_ = false;  // elsewhere in the file that may be otherwise
    Stream& stream = Begin(Class::onseek, forward, read, enough, access.time, facts, around);
    stream.jumped = true;
    // Its second read asks for more: the third may begin within what was asked for and end behind it.
    stream.low_water = (EnoughFor(stream.pace, facts, around) + read.size()).value / facts.page.value;
    return &stream;
  }
  if (jump > read.size() && may_guess) {
    Stream& stream = Begin(Class::onseek, forward, read, jump - read.size(), access.time, facts, around);
    stream.bound = forward.Slots({read.begin, read.begin + jump}).end;
    stream.jumped = true;
    return &stream;
  }
  // One read of many pieces: the kernel would fetch them one after the other.
  if (Pages(read, facts.page) > facts.piece / facts.page && !facts.kernel_leads) {
    Stream& stream = Begin(Class::context, forward, read, {}, access.time, facts, around);
    const ByteCount usual = runs_.LongestLength(read.size() * 2);
    if (usual.value > 0) stream.bound = forward.Slots({read.begin, read.begin + usual}).end;
    stream.jumped = true;
    return &stream;
  }
  return nullptr;
}

// Who reads a table column by column goes through the same rows again and again. Returns the slot of a stream that
// begins at `first` behind which lies what the pass before did not come to; 0 when there was none that went farther.
// What lies there is not fetched until the reader does.
int64_t AdaptivePolicy::BoundOfPass(const Track& track, int64_t first, const Facts& facts) const {
  const bool is_cyclic = track.shape == Shape::kRuns;
  const int64_t period = is_cyclic ? track.cycle.period : track.step.value;
  if ((!is_cyclic && track.shape != Shape::kStride) || period <= 0) return 0;
  const Stream* last = nullptr;
  for (const Stream& stream : table_) {
    if (stream.track.shape != track.shape || stream.track.step != track.step) continue;
    if (is_cyclic && stream.track.cycle.period != period) continue;
    if (last == nullptr || stream.tick > last->tick) last = &stream;
  }
  if (last == nullptr) return 0;
  const ByteCount farther = last->track.Begin(last->position) - track.origin;
  if (farther.value <= 0) return 0;
  const int64_t passes = (farther.value + period - 1) / period;
  return first + passes * (is_cyclic ? track.cycle.SlotsPerCycle(track.origin, facts.page) : 1);
}

// Looks whether an earlier stride or cycle did not go on, though it was found like this one: then a few equal distances
// are by chance, and more are needed.
bool AdaptivePolicy::HasFailed(const Facts& facts, const Surroundings& around) {
  constexpr int64_t kFew = 8;
  bool has_failed = false;
  for (Stream& stream : table_) {
    const bool is_cyclic = stream.track.shape == Shape::kRuns;
    if ((stream.track.shape != Shape::kStride && !is_cyclic) || tick_ - stream.tick <= 2) continue;
    const int64_t runs = is_cyclic ? stream.position / UnitOf(stream.track, facts) : stream.position - stream.first;
    if (runs >= kFew) {
      stride_.Trust();
      runs_.Trust();
    } else if (stream.useful.outstanding() > 0) {
      stride_.Doubt();
      runs_.Doubt();
      Rest(stream, facts, around);
      has_failed = true;
    }
  }
  return has_failed;
}

Stream& AdaptivePolicy::Begin(Class method, const Track& track, ByteRange read, ByteCount distance, Nanos now,
                              const Facts& facts, const Surroundings& around) {
  const Stream* latest = Latest();
  const Pace pace = latest != nullptr ? latest->pace : Pace();
  const ByteCount run_before = latest != nullptr ? latest->run() : ByteCount{};
  const SlotRange slots = track.Slots(read);
  const int64_t bound = BoundOfPass(track, slots.begin, facts);
  if (Stream* const surplus = table_.Surplus(); surplus != nullptr) {
    GiveUp(*surplus, surplus->useful.TakeAll(), facts, around);
    table_.End(*surplus);
  }
  Stream& stream = table_.Make(tick_);
  around.congestion.OnFirstRead(now);
  stream.method = method;
  stream.track = track;
  stream.pace = pace;  // who jumps goes on at the pace it had
  stream.run_before = run_before;
  stream.bound = bound;
  stream.first = stream.position = stream.frontier = stream.mark = stream.taken = slots.begin;
  stream.next = track.shape == Shape::kBackward ? read.end : read.begin;
  stream.window.Start(slots.begin, distance.value / track.length.value, LeastDistance(track, facts),
                      kStartup / track.length.value, now);
  stream.led = facts.kernel_leads && track.shape == Shape::kForward && method != Class::onseek;
  return stream;
}

// Tells a stream that was just proved what the trail knows of its reader: its reads so far were as long as this one.
void AdaptivePolicy::Consume(Stream& stream, const TrailMatch& match, ByteRange read, Nanos now) {
  stream.appetite = match.appetite;
  stream.appetite.OnBegin(read.size(), now, waited_);
}

// Returns the stream that read last, or null.
const Stream* AdaptivePolicy::Latest() const {
  const Stream* latest = nullptr;
  for (const Stream& stream : table_)
    if (latest == nullptr || stream.tick > latest->tick) latest = &stream;
  return latest;
}

void AdaptivePolicy::Finish(const Decision& decision, const Completion& completion, const Facts& facts, Filter& filter,
                            const Surroundings& around) {
  const ByteRange read = ClipRead(completion.range, facts.file_size);
  const bool was_alone = concurrency_.OnEnd(completion.time, completion.duration);
  Stream* stream = table_.Find(decision.stream);
  if (stream != nullptr && !decision.empty()) stream->asking.End();
  if (stream != nullptr) stream->overtaking.OnEnd();
  if (completion.failed) Fail(decision, completion.range.begin, facts, around);
  if (read.empty()) return;
  stream = table_.Find(decision.stream);
  const bool fast = IsFast(completion.duration, read.size());
  const auto pages = static_cast<uint64_t>(Pages(read, facts.page));
  const SlotRange slots = stream != nullptr ? stream->track.Slots(read) : SlotRange{};
  const bool in_window = stream != nullptr && stream->useful.Any(slots);

  if (!fast) around.ledger.Add(in_window ? Event::io_block : Event::cache_miss, last_method_, pages);
  if (stream == nullptr) around.ledger.Add(Event::random_read, last_method_, pages);
  LearnSpeed(decision, completion, stream, in_window, fast, was_alone, facts, around);
  if (!fast && !in_window) around.learnt.safety.Advance(read.size());
  if (!fast) waited_ = waited_ + completion.duration;
  if (stream == nullptr) {
    trail_.End(read, completion.time, waited_);
    NoteScattered(fast ? Nanos{} : completion.duration);
  }
  if (stream != nullptr && !fast && !keeps_kernel_out_ && stream->frontier < stream->position) kernel_has_read_ = true;
  if (stream != nullptr) {
    if (stream->is_first_read) around.congestion.OnFirstReadOver();
    if (!stream->is_first_read && !fast && in_window && stream->waits < INT32_MAX) ++stream->waits;
    stream->is_first_read = false;
    stream->appetite.OnEnd(completion.time, waited_);
    CreditHits(*stream, slots, facts, around);
    const int64_t usual = kLag / stream->track.length;
    const int64_t apart = stream->overtaking.reach() * 2;
    const int64_t lag = apart > usual ? apart : usual;
    GiveUp(*stream, stream->useful.TakeBelow(stream->position - lag), facts, around, Unread::kLeftBehind);
    if (!fast) around.congestion.OnWaited(stream->counted, completion.duration, completion.time);
    OnProgress(*stream, fast ? Nanos{} : completion.duration, completion.time, around);
  }
  CreditOthers(stream, read, facts, around);
  ArmFilter(filter, stream, read, facts);
}

// What another stream fetched and this read needed was not fetched in vain: readers in several threads overtake each
// other, and streams are found twice.
void AdaptivePolicy::CreditOthers(const Stream* own, ByteRange read, const Facts& facts, const Surroundings& around) {
  for (Stream& stream : table_)
    if (&stream != own && stream.useful.outstanding() != 0 && stream.track.shape != Shape::kStride)
      CreditHits(stream, stream.track.Slots(read), facts, around);
}

// The reader of a stream has come to its position, having waited for so long.
void AdaptivePolicy::OnProgress(Stream& stream, Nanos waited, Nanos now, const Surroundings& around) {
  if (stream.probe_asked.value != 0 && stream.position >= stream.probe) {
    around.congestion.OnArrival(now - stream.probe_asked, waited.value > 0);
    stream.probe_asked = {};
    stream.probe = stream.position;
  }
  stream.window.OnProgress(stream.position, waited, now, around.congestion.latency(), around.congestion.arrival());
}

// A read ended with an error at `at`: the piece around it is not asked for again. Its stream ends; should the reader go
// on behind, another one has to prove itself.
void AdaptivePolicy::Fail(const Decision& decision, ByteOffset at, const Facts& facts, const Surroundings& around) {
  const ByteOffset begin{AlignDown(at.value, facts.piece.value)};
  if (at.value >= 0 && at.value < facts.file_size.value) failed_.Add({begin, begin + facts.piece});
  Stream* stream = table_.Find(decision.stream);
  if (stream == nullptr) return;
  GiveUp(*stream, stream->useful.TakeAll(), facts, around);
  table_.End(*stream);
}

// What the duration of a read says of the device, and whether the file is cached.
void AdaptivePolicy::LearnSpeed(const Decision& decision, const Completion& completion, Stream* stream, bool in_window,
                                bool fast, bool was_alone, const Facts& facts, const Surroundings& around) {
  const bool first_of_window =
      !decision.empty() && ((stream != nullptr && stream->is_tail) ||
                            decision.Piece(0).contains(decision.step.value < 0 ? completion.range.end - ByteCount{1}
                                                                               : completion.range.begin));
  const Books& books = stream != nullptr ? stream->books : kNoBooks;
  // What was on its way before, for another stream or the kernel, arrives sooner than the device answers.
  const bool is_look = decision.method == Class::onthrash && books.lost == 0;
  const bool was_there_in_part = !decision.empty() && books.resident > 0;
  const bool was_asked = first_of_window
                             ? is_look || (!in_window && was_there_in_part)
                             : in_window || was_there_in_part || kernel_asked_.contains(completion.range.begin) ||
                                   (!fast && IsOutstanding(completion.range));
  // Nor is a time that is shorter than any before believed where others read: they may have had the kernel fetch it.
  const bool is_doubtful = !was_alone && !first_of_window && completion.duration < around.congestion.latency();
  if (!fast && !was_asked && !is_doubtful) {
    // The device had as long as since the request; the calls for the pieces behind it, on a busy machine, may take most
    // of that; where they do not, the time of the read is near enough, and strides keep more in flight by it (0.85 of
    // the oracle, 0.82 with the longer time; tests/sim/gaps_test.cc). Counted from the read, one of 26 runs of cat at
    // 20 ms had a latency of 5 ms, and windows for that.
    const Nanos since_asked = completion.time - books.first_asked;
    const bool is_counted = first_of_window && books.first_asked.value != 0 && since_asked > completion.duration * 2;
    around.congestion.OnMiss(is_counted ? since_asked : completion.duration);
    kernel_asked_ = {completion.range.begin, completion.range.begin + facts.kernel_window * 2};
  }

  const Nanos latency = around.congestion.latency();
  if (!fast && in_window && !first_of_window && stream != nullptr && latency.value > 0 &&
      completion.duration * 4 > latency * 3 &&
      completion.time - completion.duration - stream->issued_at > latency * 3) {
    // It should have arrived long ago, and yet the reader waited as long as for a page nobody asked for.
    OnMissing(*stream, completion.range, completion.time, facts, around);
  }

  // Of a file that is read at random, and whose kernel windows are told so, nothing is to be had from a disk that takes
  // no longer to answer than to be asked: to look at each read would cost a fifth of it.
  const bool is_cached =
      fast && (hint_.is_proved() || hint_.is_given() || IsSurelyCached(completion.duration, completion.range.size()));
  if (passive_) {
    // One of a cached file that was interrupted says nothing; two do.
    fast_reads_ = !fast ? 0 : is_cached ? kCachedReads : fast_reads_ / kCachedReads;
  } else {
    const bool untouched = is_cached && !in_window && OutstandingPages() == 0;
    fast_reads_ = untouched ? fast_reads_ + 1 : 0;
  }
  // Pieces that could not be looked at before they were asked for, and a read that did not wait for the first of them:
  // they had been there before.
  const bool was_there = fast && first_of_window && books.unsure > 0;
  // Under advice to the kernel nobody is ahead of reads in order.
  if (passive_ && (fast_reads_ == 0 || (goes_on_unseen_ && hint_.is_given()))) {
    passive_ = false;
    fast_reads_ = 0;
    pass_calls_ = kFewPasses;
    clusters_.Interrupt();
  } else if ((fast_reads_ >= kCachedReads || was_there) && !IsShort(facts)) {
    BePassive();
  }
}

// Tells the log of runs of the strided reads that passed a filter: they are few.
void AdaptivePolicy::Replay(const Filter::Run& run, const Track& track, const Facts& facts) {
  constexpr int64_t kFew = 8;
  if (run.reads > kFew) runs_.Interrupt();
  for (int64_t left = run.reads < kFew ? run.reads : kFew; left > 0; --left) {
    const ByteOffset begin = run.expected - track.step * left;
    runs_.Observe({begin, begin + track.length}, facts.page);
  }
}

void AdaptivePolicy::SettleFilter(Filter& filter, Nanos now, const Facts& facts, const Surroundings& around) {
  const Filter::Run run = filter.Settle();
  goes_on_unseen_ = run.mode == Filter::Mode::kPass && !run.broken && run.reads >= kFewPasses / 2;
  is_near_unseen_ = run.mode == Filter::Mode::kScattered && run.reads > 0 && run.reads < Filter::kScatteredReads;
  if (run.mode == Filter::Mode::kScattered) {
    // The read that ended it may be the third of a stride.
    if (run.reads > 1) stride_.Observe(run.anchor);
    if (run.reads > 0) stride_.Observe(run.expected);
    return SettleScattered(run.reads < Filter::kScatteredReads ? run.reads : Filter::kScatteredReads, around);
  }
  Stream* stream = table_.Find(run.stream);
  if (run.reads != 0 && (stream == nullptr || run.broken)) runs_.Interrupt();
  if (stream == nullptr || run.reads == 0 || (run.mode == Filter::Mode::kPass && run.broken)) return;
  SlotRange slots;
  switch (run.mode) {
    case Filter::Mode::kClosed:
    case Filter::Mode::kScattered:
      return;
    case Filter::Mode::kForward:
    case Filter::Mode::kPass:
      if ((stream->track.shape != Shape::kForward && stream->track.shape != Shape::kRuns) || run.expected <= run.anchor)
        return;
      runs_.Observe({run.anchor, run.expected}, facts.page);
      slots = stream->Advance({run.anchor, run.expected});
      break;
    case Filter::Mode::kBackward:
      runs_.Interrupt();
      slots = stream->Advance({run.expected, run.anchor});
      break;
    case Filter::Mode::kStride:
      Replay(run, stream->track, facts);
      slots = stream->Advance(
          {run.expected - stream->track.step, run.expected - stream->track.step + stream->track.length});
      slots.begin -= run.reads - 1;
      stream->in_row += run.reads - 1;
      break;
  }
  if (stream->frontier < stream->position) stream->frontier = stream->position;
  // What the kernel fetched by itself.
  if (!passive_ && stream->useful.outstanding() == 0) around.learnt.safety.Advance(stream->track.length * slots.size());
  CreditHits(*stream, slots, facts, around);
  OnProgress(*stream, {}, now, around);
}

// A read in no stream waited so long. One that was held up says little of those that are not looked at.
void AdaptivePolicy::NoteScattered(Nanos waited) {
  const int64_t usual = scattered_wait_.value;
  const int64_t most = usual > 0 ? usual * 2 : 1'000'000'000;
  const int64_t now = waited.value < most ? waited.value : most;
  scattered_wait_ = {usual > 0 ? usual + (now - usual) / 4 : now};
}

// Of reads at random that passed only their number is known. They count as those that were looked at, and as long as
// the last of those on average.
void AdaptivePolicy::SettleScattered(int64_t reads, const Surroundings& around) {
  if (reads == 0) return;
  runs_.Interrupt();
  trail_.OnUnseen(reads);
  tick_ += static_cast<uint32_t>(reads);
  hint_.OnRandom(reads);
  lookups_ = reads < kMostLookUps - lookups_ ? lookups_ + static_cast<int32_t>(reads) : kMostLookUps;
  last_lookup_ = tick_;
  waited_ = waited_ + Nanos{scattered_wait_.value * reads};
  if (scattered_wait_.value > 0) around.learnt.safety.Advance(page_ * reads);
  around.ledger.Add(Event::random_read, last_method_, static_cast<uint64_t>(reads), static_cast<uint64_t>(reads));
}

// Lets reads at random pass where they are known to be, unless their clusters are to be fetched. `stream`: of the last
// read, or null.
bool AdaptivePolicy::ArmScattered(Filter& filter, const Stream* stream, ByteRange read, const Facts& facts) const {
  if (!hint_.may_pass() || clusters_.is_open() || IsShort(facts) || (stream != nullptr && stream->is_cluster))
    return false;
  const Stream* const latest = Latest();
  ByteRange window;
  if (latest != nullptr) {
    const int64_t last = latest->frontier > latest->position ? latest->frontier - 1 : latest->position;
    window = latest->track.Between(latest->position, last);
  }
  filter.ArmScattered(read, window);
  return true;
}

void AdaptivePolicy::ArmFilter(Filter& filter, const Stream* stream, ByteRange read, const Facts& facts) {
  const StreamId id = stream != nullptr ? table_.IdOf(*stream) : StreamId{};
  if (passive_) {
    // A slow reader may go to where nothing is cached: each of its reads is looked at.
    const Stream* latest = stream != nullptr ? stream : Latest();
    if (latest != nullptr && IsLeisurely(latest->pace)) return;
    const int64_t most = (int64_t{1} << 20) / (read.size().value + 1) + 1;
    filter.ArmPass(id, read.end, pass_calls_ < most ? pass_calls_ : most);
    if (pass_calls_ < 4 * kFewPasses) pass_calls_ *= 2;
    return;
  }
  if (ArmScattered(filter, stream, read, facts)) return;
  if (stream == nullptr || stream->is_cluster) return;
  const int64_t piece = facts.piece.value;
  const bool windowed = stream->frontier > stream->position;
  if (!windowed && !stream->left_alone && !stream->led) return;
  // Where memory is short each read is looked at: one that finds its pages gone has the kernel fetch a window of its
  // own, for which there is no room either.
  // The same of the first window where memory may become short: how many streams there will be is not known yet.
  if (IsShort(facts) || (facts.safe < kAmple && stream->run() < facts.initial)) return;
  // A read that reaches the mark is one that Plan answers: the filter ends a slot before it.
  const int64_t last = stream->mark - 1;
  switch (stream->track.shape) {
    case Shape::kForward: {
      int64_t limit = AlignUp(stream->next.value, piece);  // the first read of each piece is timed
      const int64_t mark = stream->track.Begin(last).value;
      if (windowed && mark < limit) limit = mark;
      if (read.end == stream->next) filter.ArmForward(id, stream->next, {limit});
      break;
    }
    case Shape::kBackward: {
      int64_t limit = AlignDown(stream->next.value, piece);
      const int64_t mark = (stream->track.Begin(last) + facts.page).value;
      if (windowed && mark > limit) limit = mark;
      if (read.begin == stream->next) filter.ArmBackward(id, stream->next, {limit});
      break;
    }
    case Shape::kRuns: {
      const Cycle::Run run = stream->track.RunAt(stream->position - 1);
      int64_t limit = AlignUp(stream->next.value, piece);
      if (windowed && last < run.slots.end && stream->track.Begin(last).value < limit)
        limit = stream->track.Begin(last).value;
      if (run.range.end.value < limit) limit = run.range.end.value;
      if (read.end == stream->next) filter.ArmForward(id, stream->next, {limit});
      break;
    }
    case Shape::kStride: {
      // Each read has a piece of its own and may wait for it: only while nobody waits do a few go untimed.
      const int64_t left = windowed && !stream->window.late() ? last - stream->position : 0;
      filter.ArmStride(id, stream->next, stream->track.step, stream->track.length, left < 4 ? left : 4);
      break;
    }
  }
}

void AdaptivePolicy::CreditHits(Stream& stream, SlotRange slots, const Facts& facts, const Surroundings& around) {
  Credit(stream, stream.useful.Take(slots), facts, around);
}

void AdaptivePolicy::Credit(Stream& stream, const Usefulness::Count& hits, const Facts& facts,
                            const Surroundings& around) {
  Charge(around.ledger, Event::readahead_hit, hits, stream.track.PagesPerSlot(facts.page));
  stream.initial_hits += hits.slots[static_cast<int>(Class::initial)];
  const int64_t used = Guesses(hits) * stream.track.PagesPerSlot(facts.page);
  stream.tap.OnUsed(used);
  tap_.OnUsed(used);
  around.learnt.tap.OnUsed(used);
}

// Counts what was `lost` of a stream's slots as wasted. What a mapping touches is not seen: its pages stay outstanding.
void AdaptivePolicy::GiveUp(Stream& stream, const Usefulness::Count& lost, const Facts& facts,
                            const Surroundings& around, Unread why) {
  Usefulness::Count wasted = lost;
  wasted.total -= wasted.slots[static_cast<int>(Class::mapped)];
  wasted.slots[static_cast<int>(Class::mapped)] = 0;
  Charge(around.ledger, Event::readahead_waste, wasted, stream.track.PagesPerSlot(facts.page));
  // Not what a stream left behind that reads most of where it goes: other threads read that while the file was busy,
  // unseen. With it counted, threads-interleaved lost all of its gain (ahead score, net-20ms: 1.00 -> 0.04). Nor what a
  // long stream had ahead when it rested: its reader may come back.
  if (why == Unread::kLeftBehind && stream.in_row * 2 >= stream.position - stream.first) return;
  if (why == Unread::kResting && stream.run() >= ByteCount{kStartup}) return;
  const int64_t lost_pages = Guesses(wasted) * stream.track.PagesPerSlot(facts.page);
  stream.tap.OnWasted(lost_pages);
  tap_.OnWasted(lost_pages);
  around.learnt.tap.OnWasted(lost_pages);
}

void AdaptivePolicy::RestIdleStreams(const Facts& facts, const Surroundings& around) {
  uint32_t active = 0;
  for (const Stream& stream : table_) active += tick_ - stream.tick < kRecentTicks ? 1 : 0;
  for (Stream& stream : table_) {
    if (tick_ - stream.tick <= 4 * (active + 1) || stream.useful.outstanding() == 0) continue;
    // It stays in the table, should its reader come back; what it was to be given is not waited for any longer.
    if (stream.jumped && stream.run() < ByteCount{kStartup})
      startup_ = startup_ / 2 < facts.piece ? facts.piece : startup_ / 2;
    Rest(stream, facts, around);
  }
}

void AdaptivePolicy::Rest(Stream& stream, const Facts& facts, const Surroundings& around) {
  GiveUp(stream, stream.useful.TakeAll(), facts, around, Unread::kResting);
  stream.frontier = stream.mark = stream.position;
  stream.burst_end = 0;
  stream.marked = false;
}

void AdaptivePolicy::Detach(Filter& filter, const Facts& facts, const Surroundings& around) {
  SettleFilter(filter, {}, facts, around);
}

void AdaptivePolicy::CountAdvice(HostAdvice advice, ByteRange range, const Facts& facts, Ledger& ledger) {
  const auto pages = static_cast<uint64_t>(Pages(Clip(range, facts.file_size), facts.page));
  ledger.Add(Event::advice, Class::none, pages);
  if (advice == HostAdvice::kWillNeed) ledger.Add(Event::readahead, Class::none, pages);
}

void AdaptivePolicy::OnHostAdvice(HostAdvice advice, ByteRange range, const Facts& facts, const Surroundings& around) {
  CountAdvice(advice, range, facts, around.ledger);
  if (advice == HostAdvice::kRandom) is_random_ = true;
  if (advice == HostAdvice::kNormal || advice == HostAdvice::kSequential) is_random_ = false;
  if (advice != HostAdvice::kDontNeed) return;
  passive_ = false;
  fast_reads_ = 0;
  pass_calls_ = kFewPasses;
  for (Stream& stream : table_) {
    if (stream.useful.outstanding() == 0) continue;
    ByteRange window = stream.track.Between(stream.position, stream.frontier - 1);
    if (stream.track.shape == Shape::kRuns) window = {{}, {facts.file_size.value}};
    if (window.begin < range.end && range.begin < window.end) Rest(stream, facts, around);
  }
}

// What became of the first window of a new file.
void AdaptivePolicy::LearnInitial(Stream& stream, const Facts& facts, const Surroundings& around) {
  if (stream.initial_slots == 0 || stream.is_tail) return;
  around.learnt.LearnInitial(folder_, facts.page * stream.initial_slots, facts.page * stream.initial_hits, stream.run(),
                             stream.position >= stream.track.EndSlot(facts.file_size));
  stream.initial_slots = stream.initial_hits = 0;
}

// The same as soon as it is known: files may be left open for long after they were read.
void AdaptivePolicy::SettleInitial(Stream& stream, const Facts& facts, const Surroundings& around) {
  const int64_t fetched = stream.initial_slots;
  if (fetched > 0 && stream.initial_hits >= fetched &&
      (stream.is_at_end || stream.position - stream.first >= fetched * 2))
    LearnInitial(stream, facts, around);
}

void AdaptivePolicy::Forget(const Facts& facts, const Surroundings& around) {
  SettleOpening(around);
  for (Stream& stream : table_) {
    LearnInitial(stream, facts, around);
    GiveUp(stream, stream.useful.TakeAll(), facts, around);
    table_.End(stream);
  }
}

bool AdaptivePolicy::IsOutstanding(ByteRange range) const {
  for (const Stream& stream : table_)
    if (stream.useful.outstanding() > 0 && stream.useful.Any(stream.track.Slots(range))) return true;
  return false;
}

int64_t AdaptivePolicy::OutstandingPages(Class cls) const {
  int64_t pages = 0;
  for (const Stream& stream : table_) pages += stream.useful.Outstanding(cls) * stream.track.PagesPerSlot(page_);
  return pages;
}

int32_t AdaptivePolicy::ActiveStreams() const {
  int32_t streams = 0;
  for (const Stream& stream : table_)
    streams +=
        stream.useful.outstanding() != 0 || (!passive_ && !stream.is_at_end && tick_ - stream.tick < kRecentTicks);
  return streams;
}

int64_t AdaptivePolicy::OutstandingPages() const {
  int64_t pages = 0;
  for (const Stream& stream : table_) pages += stream.useful.outstanding() * stream.track.PagesPerSlot(page_);
  return pages;
}

}  // namespace ahead
