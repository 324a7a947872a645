// Makes the files of a command cold before a run, and checks that they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ahead::cli {

// How data leave memory. kDrop: /proc/sys/vm/drop_caches, everything on the machine and the metadata too (root).
// kEvict: POSIX_FADV_DONTNEED on the files, data only. Both write dirty data out first.
enum class ColdMethod : uint8_t { kDrop, kEvict, kNone };

// Returns the method for "auto", "drop", "evict" or "none"; auto: drop as root, else evict.
ColdMethod ChooseColdMethod(const std::string& name);

const char* ColdMethodName(ColdMethod method);

// Thread safety: one thread.
class Cooler {
 public:
  // A file that stayed in memory, in whole or in part.
  struct Warm {
    size_t times = 0;
    int64_t most_bytes = 0;
  };

  // `files`: what the command reads.
  Cooler(ColdMethod method, std::vector<std::string> files) : method_(method), files_(std::move(files)) {}

  // Empties memory of the files and looks whether they are gone. Returns an empty text, or why the method is not
  // possible at all. Cost: an open and a few calls per file; kDrop looks at 256 files a time, in turn, because looking
  // them up on a slow disk costs more than many a run.
  std::string MakeCold();

  ColdMethod method() const { return method_; }
  size_t file_count() const { return files_.size(); }
  // Over all calls so far.
  size_t checked() const { return checked_; }
  size_t unknown() const { return unknown_; }  // checks without an answer: somebody else's file
  const std::map<std::string, Warm>& warm() const { return warm_; }

 private:
  std::string Drop();
  void EvictAll();
  void CheckSome();
  void Note(const std::string& path, int fd);

  ColdMethod method_;
  std::vector<std::string> files_;
  size_t next_ = 0;
  size_t checked_ = 0;
  size_t unknown_ = 0;
  std::map<std::string, Warm> warm_;
};

}  // namespace ahead::cli
