// A simulated machine with one thread of one program: a virtual clock, a page cache without bound, and a disk.
//
// What is modelled: a read of absent pages waits for requests of exactly those pages; what is fetched ahead is
// asynchronous; at most `in_flight` requests are at the disk, and one more, whoever makes it, blocks its caller until a
// slot is free; calls and copies take the host's time. What is not: the kernel's own readahead (a bare sequential
// reader is slower here than on a real kernel), silent drops, eviction.
#pragma once

#include <cstdint>
#include <vector>

#include "core/access.h"
#include "core/decision.h"
#include "sim/slotted_net.h"
#include "sim/workload.h"

namespace ahead::sim {

// What the host's own work takes. Measured on a Xeon of 2 x 2.9 GHz, FUSE, Linux 6.18: cached pread of 4 KiB 0.8 us, of
// 64 KiB 9 us (perf-free loops of ahead-patterns); 45 ms in readahead(2) for 256 MiB; design, facts 3 and 6.
struct HostCosts {
  Nanos read{500};
  Nanos copy_page{500};
  Nanos look{500};         // whether a piece is resident
  Nanos advise{4'000};     // a readahead call
  Nanos advise_page{550};  // and each page it allocates
};

// What a run came to.
struct Score {
  Nanos elapsed;
  int64_t reads = 0;
  int64_t waits = 0;  // reads that waited for the disk
  ByteCount read_bytes;
  ByteCount first_second_bytes;
  int64_t requests = 0;    // at the disk
  ByteCount bytes;         // from the disk
  ByteCount wasted_bytes;  // fetched ahead and never read
  int64_t advised_pieces = 0;
};

// Thread safety: none.
class Machine {
 public:
  Machine(const Workload& work, const SlottedNetParameters& disk, const HostCosts& costs);

  Nanos now() const { return now_; }
  SlottedNet& disk() { return disk_; }
  const SlottedNet& disk() const { return disk_; }

  // Reads on the program's thread, waiting for what is not there.
  Completion Read(const WorkStep& read);

  // Asks for a piece ahead of its reader, on the program's thread. With `look`, a piece that is wholly there is not
  // asked for; without `ask`, no piece is.
  PieceOutcome Advise(uint32_t file, ByteRange piece, bool look, bool ask = true);

  // Asks for `range` at time `when`, off the program's thread: the oracle's way. Returns when all of it is there.
  // REQUIRES: disk().FreeAt(when) == when; calls and reads are in ascending order of time; at most one request's worth.
  Nanos FetchAside(uint32_t file, ByteRange range, Nanos when);

  // Lets the program's thread do nothing until `time`.
  void WaitUntil(Nanos time) { now_ = time > now_ ? time : now_; }

  // Returns what the run came to so far.
  Score score() const;

 private:
  struct Page {
    int64_t arrival = INT64_MAX;  // when it is (or was) there
    bool is_ahead = false;        // fetched ahead and not read yet
  };
  struct Span {
    int64_t begin = 0;
    int64_t end = 0;
  };

  Span SpanOf(uint32_t file, ByteRange range) const;
  // Requests the absent pages of `span` in runs of at most one request. Returns the number of pages.
  int64_t Request(uint32_t file, Span span, bool is_ahead);

  const Workload& work_;
  HostCosts costs_;
  SlottedNet disk_;
  Nanos now_{};
  std::vector<std::vector<Page>> pages_;
  Score score_;
};

}  // namespace ahead::sim
