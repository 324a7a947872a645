#include "stats/trace_drain.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "stats/trace_chunks.h"

namespace ahead {
namespace {

// A thread fills 64 MB a second at the most, reading 4 KiB after 4 KiB from memory: 16 MiB last for 25 such threads.
constexpr std::chrono::milliseconds kPause{10};
// How often the owners of chunks are looked at, while many chunks are free.
constexpr int kPausesPerLook = 25;
// Frames are packed as a whole: larger ones become smaller, and more is lost if this process is killed.
constexpr int64_t kFrameBytes = int64_t{512} << 10;
// Of a small file a frame must not be the half.
constexpr int64_t kFramesInFile = 8;

uint64_t CountRecords(const char* records, size_t bytes) {
  uint64_t count = 0;
  TraceRecord head;
  for (size_t at = 0; at + sizeof(head) <= bytes; at += head.bytes) {
    std::memcpy(&head, records + at, sizeof(head));
    if (head.bytes < sizeof(head)) break;
    ++count;
  }
  return count;
}

absl::Status CannotWrite(const std::string& path, int error) {
  return absl::ErrnoToStatus(error, absl::StrCat("cannot write '", path, "'"));
}

}  // namespace

TraceDrain::TraceDrain(std::string path, ByteCount most)
    : path_(std::move(path)),
      most_(most.value),
      frame_bytes_(static_cast<size_t>(std::min(kFrameBytes, most.value / kFramesInFile))) {}

absl::StatusOr<std::unique_ptr<TraceDrain>> TraceDrain::Start(int memfd, const std::string& path, ByteCount most) {
  if (IsNoPlaceForFile(path))
    return absl::InvalidArgumentError(absl::StrCat("cannot write '", path, "': not a regular file"));
  std::unique_ptr<TraceDrain> drain(new TraceDrain(BehindLinks(path), most));
  struct stat status;
  if (fstat(memfd, &status) != 0) return absl::ErrnoToStatus(errno, "the memory of the trace");
  drain->memory_bytes_ = static_cast<size_t>(status.st_size);
  void* memory = mmap(nullptr, drain->memory_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
  if (memory == MAP_FAILED) return absl::ErrnoToStatus(errno, "the memory of the trace");
  drain->memory_ = static_cast<char*>(memory);
  drain->header_ = static_cast<TraceHeader*>(memory);
  drain->chunk_count_ =
      std::min<uint64_t>(drain->header_->chunk_count, (drain->memory_bytes_ - kTraceHeaderBytes) / kTraceChunkBytes);
  drain->file_.emplace(drain->path_);
  if (drain->file_->fd() < 0) return CannotWrite(path, errno);
  TraceHeader header = *drain->header_;
  header.claims = header.claimed_chunks = header.free_hint = header.processes = 0;
  drain->Put(PackedHeader(header));
  if (drain->error_ != 0) return CannotWrite(path, drain->error_);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  drain->thread_ = std::thread(&TraceDrain::Work, drain.get());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return drain;
}

TraceDrain::~TraceDrain() {
  JoinThread();
  if (memory_ != nullptr) munmap(memory_, memory_bytes_);
}

void TraceDrain::JoinThread() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

absl::StatusOr<DrainedTrace> TraceDrain::Finish() {
  JoinThread();
  const FileSizeSignalBlock no_signal;
  Poll(Take::kAll);
  PutFrame();
  done_.dropped += __atomic_load_n(&header_->dropped_records, __ATOMIC_RELAXED);
  const off_t place = offsetof(TraceHeader, dropped_records);
  if (error_ == 0 && pwrite(file_->fd(), &done_.dropped, sizeof(done_.dropped), place) != sizeof(done_.dropped))
    error_ = errno;
  PutInPlace();
  if (error_ != 0) return CannotWrite(path_, error_);
  return done_;
}

void TraceDrain::Work() {
  int pauses = 0;
  for (std::unique_lock lock(mutex_); !is_stopping_; wake_.wait_for(lock, kPause)) {
    lock.unlock();
    // Short processes leave chunks behind that are hardly used: where these are many, they are looked for at once.
    const bool is_tight = __atomic_load_n(&header_->claimed_chunks, __ATOMIC_RELAXED) > chunk_count_ / 4;
    const bool looks = is_tight || ++pauses % kPausesPerLook == 0;
    Poll(looks ? Take::kDead : Take::kFull);
    if (batch_.size() >= frame_bytes_ || (looks && pauses % kPausesPerLook == 0)) PutFrame();
    if (!file_->is_in_place() && __atomic_load_n(&header_->processes, __ATOMIC_RELAXED) > 0) PutInPlace();
    lock.lock();
  }
}

// A thread that executed another program has left its chunk, and lives on with a new one.
void TraceDrain::FindLatest() {
  latest_.clear();
  for (uint64_t index = 0; index < chunk_count_; ++index) {
    const TraceChunk& chunk = ChunkAt(index);
    const uint64_t order = __atomic_load_n(&chunk.order, __ATOMIC_ACQUIRE);
    if (order == 0 || (chunk.flags & TraceChunk::kForeign) != 0) continue;
    uint64_t& latest = latest_[{chunk.pid, chunk.tid}];
    latest = std::max(latest, order);
  }
}

void TraceDrain::Poll(Take take) {
  if (take == Take::kDead) FindLatest();
  // Chunks are taken from below: above the last one in use there is nothing to be seen.
  uint64_t left = __atomic_load_n(&header_->claimed_chunks, __ATOMIC_RELAXED);
  for (uint64_t index = 0; index < chunk_count_ && left > 0; ++index) {
    const TraceChunk& chunk = ChunkAt(index);
    if (__atomic_load_n(&chunk.state, __ATOMIC_ACQUIRE) == TraceChunk::kFree) continue;
    --left;
    if (IsToBeTaken(chunk, take)) found_.push_back({chunk.order, index});
  }
  // In the order of time, so that a file that becomes full lacks its end and nothing else.
  std::sort(found_.begin(), found_.end());
  for (const auto& [order, index] : found_) {
    TakeChunk(ChunkAt(index), index);
    if (batch_.size() >= frame_bytes_) PutFrame();
  }
  found_.clear();
}

TraceChunk& TraceDrain::ChunkAt(uint64_t index) const {
  return *reinterpret_cast<TraceChunk*>(memory_ + kTraceHeaderBytes + index * kTraceChunkBytes);
}

// Says whether nobody writes to the chunk any more, or that does not matter.
bool TraceDrain::IsToBeTaken(const TraceChunk& chunk, Take take) const {
  if (take == Take::kAll || __atomic_load_n(&chunk.state, __ATOMIC_ACQUIRE) == TraceChunk::kFull) return true;
  // Without an order its owner is just filling in who it is.
  const uint64_t order = __atomic_load_n(&chunk.order, __ATOMIC_ACQUIRE);
  if (take == Take::kFull || order == 0 || (chunk.flags & TraceChunk::kForeign) != 0) return false;
  const auto latest = latest_.find({chunk.pid, chunk.tid});
  if (latest != latest_.end() && latest->second > order) return true;
  return syscall(SYS_tgkill, chunk.pid, chunk.tid, 0) != 0 && errno == ESRCH;
}

void TraceDrain::TakeChunk(TraceChunk& chunk, uint64_t index) {
  TraceChunk head;
  const size_t used = std::min<size_t>(__atomic_load_n(&chunk.used_bytes, __ATOMIC_ACQUIRE), kTraceChunkRoom);
  std::memcpy(&head, &chunk, sizeof(head));
  head.used_bytes = static_cast<uint32_t>(used);
  if (used > 0) {
    batch_.append(reinterpret_cast<const char*>(&head), sizeof(head));
    batch_.append(reinterpret_cast<const char*>(&chunk + 1), used);
    batch_records_ += CountRecords(reinterpret_cast<const char*>(&chunk + 1), used);
  }
  chunk.used_bytes = 0;
  chunk.order = 0;
  __atomic_store_n(&chunk.state, uint32_t{TraceChunk::kFree}, __ATOMIC_RELEASE);
  if (index < __atomic_load_n(&header_->free_hint, __ATOMIC_RELAXED))
    __atomic_store_n(&header_->free_hint, index, __ATOMIC_RELAXED);
  __atomic_fetch_sub(&header_->claimed_chunks, 1, __ATOMIC_RELEASE);
}

void TraceDrain::PutFrame() {
  if (batch_.empty()) return;
  const std::string frame = error_ == 0 ? PackFrame(batch_) : std::string();
  // What is recorded has no gaps: after the first frame that does not fit, none is tried.
  is_full_ = is_full_ || frame.empty() || done_.bytes.value + static_cast<int64_t>(frame.size()) > most_;
  if (!is_full_) {
    Put(frame);
    done_.records += batch_records_;
  } else {
    done_.dropped += batch_records_;
  }
  batch_.clear();
  batch_records_ = 0;
}

void TraceDrain::Put(const std::string& bytes) {
  if (error_ == 0 && !WriteAll(file_->fd(), bytes)) error_ = errno;
  done_.bytes += ByteCount{static_cast<int64_t>(bytes.size())};
}

void TraceDrain::PutInPlace() {
  if (!file_->is_in_place() && error_ == 0 && !file_->PutInPlace()) error_ = errno;
}

}  // namespace ahead
