// The slow disk itself: takes requests as they arrive, hands reads to the model, and answers when it does.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "bench/disk/control.h"
#include "bench/disk/counters.h"
#include "bench/disk/disk_options.h"
#include "bench/disk/fuse.h"
#include "bench/disk/reply_queue.h"
#include "bench/disk/request_log.h"
#include "bench/disk/source_file.h"
#include "bench/disk/source_tree.h"

namespace ahead::disk {

// Thread safety: requests come from one thread, the caller of fuse_session_process_buf; answers leave from the queue's.
class Disk {
 public:
  // Takes ownership of `root_fd`, an O_PATH descriptor of the source, and of `settled_fd` nothing: an eventfd that is
  // written when the last read in flight has been answered and a query waits for that.
  Disk(const DiskOptions& options, int root_fd, int settled_fd);
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  // Returns the table of operations for fuse_session_new, whose user data must be the Disk.
  static fuse_lowlevel_ops Operations();

  // Reads the source into memory if the options say so.
  void Preload();

  // Begins the log of requests if the options ask for one. Returns false with errno set when it cannot.
  bool OpenLog() { return options_.log.empty() || log_.Open(options_.log); }

  // Returns the report as JSON text, ending in a newline.
  std::string Report();

  // Sets all counters to zero and empties the log.
  void Reset();

  // Returns whether every read has been answered. What the kernel held back for lack of room is at the session's
  // descriptor by then, because the kernel passes it on while it takes an answer.
  bool IsSettled() const { return unsent_ == 0; }

  // Answers the queries that wait: all when `settled`, else those that have waited too long. Returns how long the next
  // may still wait, 0 when none does.
  Nanos AnswerQueries(bool settled);

  // Notes the window that the kernel really uses, for the report.
  void set_readahead(ByteCount readahead) { options_.readahead = readahead; }

 private:
  friend struct Handlers;

  struct Query {
    fuse_req_t request;
    bool is_reset;
    Nanos given_up;
  };

  // What a read is answered with: `error`, or where that is 0 `size` bytes at `data`, which `file` keeps mapped.
  struct ReadAnswer {
    int error;
    const char* data;
    ByteCount size;
    std::shared_ptr<SourceFile> file;
  };

  // Returns when an answer about names or attributes that is asked for now is due.
  Nanos MetadataDue() const { return Now() + options_.metadata_latency; }
  void Count(uint64_t Counters::*counter);
  void AnswerError(Nanos due, fuse_req_t request, int error);
  // Answers a read of `range` that arrived at `arrival` when the model says.
  void AnswerRead(Nanos arrival, uint64_t inode, ByteRange range, fuse_req_t request, ReadAnswer answer);
  // Ends the process instead of answering a read, after those that came before were answered, and leaves the mount
  // behind.
  void DieInsteadOf(Nanos arrival, uint64_t inode, ByteRange range);
  void DieIfSettled();

  DiskOptions options_;
  int settled_fd_;
  int root_fd_;  // owned by the tree
  SourceTree tree_;
  SourceFiles files_;
  std::vector<Query> queries_;
  std::atomic<bool> is_query_waiting_{false};
  std::atomic<uint64_t> unsent_{0};  // reads taken and not yet handed to the kernel

  std::mutex counters_mutex_;
  Counters counters_;
  Nanos cpu_at_reset_{};
  bool has_died_ = false;
  int64_t arm_moves_at_reset_ = 0;
  Nanos positioning_at_reset_{};

  RequestLog log_;         // used by the thread that takes requests, and at death by the other
  bool is_dying_ = false;  // used by the thread of the replies

  ReplyQueue replies_;  // last: its thread uses all of the above
};

}  // namespace ahead::disk
