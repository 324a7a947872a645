#include "shim/issuer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/congestion.h"
#include "shim/facts.h"

namespace ahead {
namespace {

using State = PieceOutcome::State;

// Not known: the piece was not looked at.
constexpr int32_t kUnknownPages = -1;

class BatchIssue {
 public:
  BatchIssue(int fd, Slot slot, const Decision& decision, const Facts& facts, ResidencySource& source, Batch& batch)
      : fd_(fd), slot_(slot), decision_(decision), facts_(facts), source_(source), batch_(batch) {}

  void LookBefore() {
    for (int32_t i = 0; i < batch_.count; ++i) before_[i] = kUnknownPages;
    if (!decision_.check) return;
    if (source_ == ResidencySource::kCachestat && LookByCachestat(before_)) return TakeOver();
    for (int32_t i = 0; i < batch_.count && source_ == ResidencySource::kNowait; ++i)
      if (!PieceAt(i).empty() && IsReadableNow(fd_, PieceAt(i).begin, source_)) before_[i] = PagesOf(i);
  }

  void Ask(int32_t allowed) {
    Nanos before_call = Now();
    bool stopped = false;
    for (int32_t i = 0; i < batch_.count; ++i) {
      PieceOutcome& outcome = batch_.outcomes[i];
      outcome = {};
      batch_.asked_at[i] = before_call;
      if (before_[i] >= PagesOf(i)) {
        outcome.state = State::kResident;
        outcome.sure = source_ == ResidencySource::kCachestat;
        continue;
      }
      const bool required = batch_.first + i < decision_.required && batch_.refused == 0;
      if (((stopped || allowed <= 0) && !required) || decision_.look_only || !IsStill(fd_, slot_)) continue;
      const bool taken = syscall(SYS_readahead, fd_, PieceAt(i).begin.value, PieceAt(i).size().value) == 0;
      const int error = errno;
      const Nanos after_call = Now();
      if (!taken) {
        batch_.refused = error == EINVAL && !IsStill(fd_, slot_) ? EBADF : error;
        stopped = true;
        continue;
      }
      --allowed;
      outcome.state = State::kIssued;
      outcome.fresh_pages = PagesOf(i) - (before_[i] > 0 ? before_[i] : 0);
      outcome.blocked = after_call - before_call;
      batch_.asked_at[i] = before_call = after_call;
      stopped = EndsBatch(decision_, batch_.first + i, outcome.blocked);
    }
  }

  // What was taken shows as cached at once, because the kernel puts the pages there before it reads them.
  void LookAfter() {
    if (source_ != ResidencySource::kCachestat || !IsStill(fd_, slot_)) return;
    int32_t after[Batch::kMost];
    if (!AnyIssued() || !LookByCachestat(after)) return;
    for (int32_t i = 0; i < batch_.count; ++i) {
      PieceOutcome& outcome = batch_.outcomes[i];
      if (outcome.state != State::kIssued) continue;
      const int32_t before = before_[i] > 0 ? before_[i] : 0;
      outcome.sure = before_[i] != kUnknownPages;
      outcome.fresh_pages = after[i] > before ? after[i] - before : 0;
      if (outcome.fresh_pages == 0) outcome.state = State::kDropped;
    }
  }

 private:
  ByteRange PieceAt(int32_t i) const { return decision_.Piece(batch_.first + i); }

  int32_t PagesOf(int32_t i) const {
    const ByteRange piece = PieceAt(i);
    const int64_t page = facts_.page.value;
    return static_cast<int32_t>((piece.end.value + page - 1) / page - piece.begin.value / page);
  }

  // The first stream after a description got FADV_RANDOM was the kernel's. That ends what the kernel starts, not what
  // it has begun: where the reader comes to the page it marked last, it fetches two to four times as much as the last
  // time, up to its window, and marks the next; nothing but its eviction takes a mark away. So what it has ahead of the
  // reader is dropped, once, if it is no more than such a window; pages that others have mapped or not written back
  // stay. A scan among nine times as many random reads, kernel window of 8 MiB: 1.07 to 1.18 times the bytes without
  // (`bench/sizing/run.py --rows random`).
  void TakeOver() {
    constexpr int64_t kMostPages = 256;
    Description& description = DescriptionOf(slot_);
    if (!facts_.kernel_leads || batch_.first != 0 || decision_.required == 0 || decision_.step.value < 0 ||
        before_[0] <= 0 || !description.is_hinted || !description.may_be_led)
      return;
    description.may_be_led = false;
    const ByteOffset begin = PieceAt(0).begin;
    int64_t pages = before_[0];
    while (pages <= kMostPages && CountResidentPages(fd_, {begin, begin + facts_.page * pages}, source_) == pages)
      pages *= 2;
    if (pages > kMostPages || !IsStill(fd_, slot_)) return;
    // Not the page that the read is about to take.
    const ByteOffset next = begin + facts_.page;
    syscall(SYS_fadvise64, fd_, next.value, facts_.page.value * (pages - 1), POSIX_FADV_DONTNEED);
    if (!LookByCachestat(before_))
      for (int32_t i = 0; i < batch_.count; ++i) before_[i] = kUnknownPages;
  }

  bool AnyIssued() const {
    for (int32_t i = 0; i < batch_.count; ++i)
      if (batch_.outcomes[i].state == State::kIssued) return true;
    return false;
  }

  // Fills `pages` with what is cached of each piece. As a rule all of a batch is there or nothing is, and one call
  // tells. Returns false when cachestat does not work on this file.
  bool LookByCachestat(int32_t (&pages)[Batch::kMost]) {
    ByteRange whole = PieceAt(0);
    int64_t wanted = 0;
    for (int32_t i = 0; i < batch_.count; ++i) {
      const ByteRange piece = PieceAt(i);
      if (piece.begin < whole.begin) whole.begin = piece.begin;
      if (piece.end > whole.end) whole.end = piece.end;
      wanted += PagesOf(i);
    }
    const int64_t cached = CountResidentPages(fd_, whole, source_);
    if (cached < 0) return false;
    const int64_t step = decision_.step.value < 0 ? -decision_.step.value : decision_.step.value;
    const bool is_gapless = batch_.count == 1 || (decision_.extent_count <= 1 && step <= decision_.length.value);
    for (int32_t i = 0; i < batch_.count; ++i) {
      int64_t found = cached == 0 ? 0 : PagesOf(i);
      if (cached != 0 && !(is_gapless && cached >= wanted)) found = CountResidentPages(fd_, PieceAt(i), source_);
      if (found < 0) return false;
      pages[i] = static_cast<int32_t>(found);
    }
    return true;
  }

  const int fd_;
  const Slot slot_;
  const Decision& decision_;
  const Facts& facts_;
  ResidencySource& source_;
  Batch& batch_;
  int32_t before_[Batch::kMost];
};

}  // namespace

void IssueBatch(int fd, Slot slot, const Decision& decision, const Facts& facts, int32_t allowed,
                ResidencySource& source, Batch& batch) noexcept {
  BatchIssue issue(fd, slot, decision, facts, source, batch);
  issue.LookBefore();
  issue.Ask(allowed);
  issue.LookAfter();
}

}  // namespace ahead
