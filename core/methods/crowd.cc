// Many readers, little memory. The kernel keeps two windows for each reader. Where that is more than memory holds, it
// evicts what it has just fetched, and half of the bytes come twice. So where a reader's share of memory is a few
// windows, the kernel is kept out from a file's first read on, by FADV_RANDOM on the description: it then fetches what
// is read and not there, and no more; what lies ahead is asked for as ever, within the share.
//
// Where several readers wait at a time, they keep the device busy between them, and what lies ahead of one is fetched
// at the cost of another. Then nothing is: a reader that comes to the end of what it has gets the rest of its piece,
// or, where memory has no room for a piece for each, what fits, and waits for it.
//
// The advice has to come before the kernel has ever read ahead through the description: FUSE drops what is to be read
// ahead, once it is congested, by what the kernel's last window left there, and a dropped read is then made a page at a
// time (sim/kernel_readahead.h; 70 MB/s in place of 360).
//
// A call that asks for more waits for room at the device, as reads do, while what has come for its reader grows old and
// is gone, which then costs a wait for every page. So in a crowd what is there is read first, and a description that
// the kernel has read ahead through is its own. bench/sizing, 256 threads: 439 MB/s before, 470 so, bare 470 to 481;
// 384: 263 and 403, bare 230 or killed for want of memory.
//
// Simulated, 64 MiB, net-2ms, reads of 64 KiB (MemoryTest): 512 readers, as threads, 369 MB/s, the kernel alone 241;
// 384 481 and 362; 256 488 and 499, before 421. In turn in one thread: 256 277 and 86, before 80.

#include "core/adaptive_policy.h"
#include "core/request.h"

namespace ahead {
namespace {

// The kernel's windows in a reader's share of memory below which it is kept out, and from which on it no longer is. It
// needs two; a share halves quickly when readers begin at the same time.
constexpr int64_t kFewWindows = 4;
constexpr int64_t kEnoughWindows = 8;
// More wait at a time than one program's threads by chance.
constexpr int32_t kFewWaiting = 2;

}  // namespace

// Decides it for the description that the read comes through.
void AdaptivePolicy::KeepKernelOut(const Stream& stream, const Access& access, const Facts& facts,
                                   const Surroundings& around) {
  if (access.fresh) kernel_has_read_ = false;
  const int64_t windows = keeps_kernel_out_ ? kEnoughWindows : kFewWindows;
  keeps_kernel_out_ = stream.track.shape == Shape::kForward && !kernel_has_read_ && !facts.kernel_leads && access.own &&
                      access.advice == HostAdvice::kNormal && around.options.advice != 0 &&
                      around.options.ratio >= 10 && facts.share < facts.kernel_window * windows;
}

bool AdaptivePolicy::IsCrowded(const Surroundings& around) {
  const Congestion& congestion = around.congestion;
  return congestion.Waiting() > kFewWaiting || congestion.FirstReads() > kFewWaiting;
}

bool AdaptivePolicy::IsInCrowd(const Stream& stream, const Surroundings& around) const {
  return keeps_kernel_out_ && stream.window.late() && around.congestion.Waiting() > kFewWaiting;
}

// Returns where the window of a reader that has nothing left ends. Its read begins at slot `from`.
int64_t AdaptivePolicy::CrowdEnd(const Stream& stream, int64_t from, const Facts& facts,
                                 const Surroundings& around) const {
  const bool is_in_crowd = IsInCrowd(stream, around);
  // An eighth more than a piece for each: what is read goes after what came before it. What is on its way to all at the
  // same time cannot go at all; of readers in turn it is one's. What a file that begins is given says distance.cc.
  const bool has_piece = facts.share * 16 >= facts.piece * (IsCrowded(around) ? 18 : 15);
  if (has_piece && (is_in_crowd || stream.proved)) return AlignUp(stream.position, UnitOf(stream.track, facts));
  if (!is_in_crowd) return stream.position;
  // What leaves no whole read over would be two requests instead of one.
  const int64_t half = from + facts.share / 2 / facts.page;
  return half - stream.position >= stream.position - from ? half : stream.position;
}

}  // namespace ahead
