// What has the disk done? Counted where requests arrive and leave; the truth other counters are held against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "core/units.h"

namespace ahead::disk {

// Says which file on the source, whatever its name.
struct FileKey {
  uint64_t device = 0;
  uint64_t inode = 0;
  bool operator==(const FileKey&) const = default;
};

struct FileKeyHash {
  std::size_t operator()(const FileKey& key) const {
    return std::hash<uint64_t>()(key.inode * 0x9E3779B97F4A7C15u + key.device);
  }
};

// Counts since the start or the last Reset(). Thread safety: none, its owner locks.
class Counters {
 public:
  uint64_t requests = 0;        // reads that reached the disk
  uint64_t bytes = 0;           // bytes it answered them with
  uint64_t failures = 0;        // of the reads, those answered with EIO, and with no bytes
  uint64_t bytes_repeated = 0;  // of these, in pages it had answered with before
  uint64_t seeks = 0;  // reads that did not begin where the file's last one ended; a file's first only if not at 0
  uint64_t opens = 0;
  uint64_t lookups = 0;
  uint64_t getattrs = 0;
  uint64_t opendirs = 0;
  uint64_t readdirs = 0;
  uint64_t readlinks = 0;
  uint64_t max_in_flight = 0;  // reads
  Nanos transfer{};            // time the pipe moved bytes
  Nanos late_total{};          // answers after their time, summed
  Nanos late_max{};

  explicit Counters(Nanos now) : start_(now) {}

  // Counts a read of `size` bytes, the part that the file really has, at `offset`. `transfer_time` is the model's.
  void ReadArrived(Nanos now, const FileKey& file, ByteOffset offset, ByteCount size, Nanos transfer_time);

  // Counts the answer to a read that was due at `due`.
  void ReadAnswered(Nanos now, Nanos due);

  // Forgets everything counted, including which pages were served, but not what is in flight.
  void Reset(Nanos now);

  uint64_t in_flight() const { return in_flight_; }
  uint64_t files_read() const { return files_.size(); }
  // Time with, and without, a read at the disk.
  Nanos Busy(Nanos now) const { return busy_ + (in_flight_ > 0 ? now - busy_since_ : Nanos{}); }
  Nanos Idle(Nanos now) const { return now - start_ - Busy(now); }

 private:
  struct FileCounts {
    ByteOffset next{};
    std::vector<uint64_t> served;  // one bit a page
  };

  Nanos start_;
  Nanos busy_{};
  Nanos busy_since_{};
  uint64_t in_flight_ = 0;
  std::unordered_map<FileKey, FileCounts, FileKeyHash> files_;
};

}  // namespace ahead::disk
