// What do descriptors lead to, in a trace of system calls? The processes with their tables of descriptors, as the
// kernel keeps them (copied by fork, shared by threads, thinned by exec), and the trace that comes of what they do.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stats/trace_import.h"

namespace ahead {

// An open file description.
struct SeenDescription {
  uint32_t number = 0;      // never used again
  uint32_t file = 0;        // index into the world's files
  int32_t opened_by = 0;    // pid; 0: not seen
  bool is_special = false;  // nothing that one could read ahead
  bool is_placed = true;    // `offset` is known
  bool is_read = false;
  HostAdvice advice = HostAdvice::kNormal;
  ByteOffset offset;
};

struct SeenDescriptor {
  std::shared_ptr<SeenDescription> description;
  bool closes_on_exec = false;
};
using SeenDescriptors = std::map<int32_t, SeenDescriptor>;

struct SeenThread {
  int32_t tid = 0;
  int32_t pid = 0;
  std::shared_ptr<SeenDescriptors> descriptors;  // shared by threads, and with CLONE_FILES
  std::shared_ptr<std::string> folder;           // its current one; empty: not known
};

struct SeenFile {
  std::string path;
  uint64_t device = 0;
  uint64_t inode = 0;
  ByteCount size;
  bool is_special = false;
};

// What a child shares with its parent.
struct Sharing {
  bool process = false;
  bool descriptors = false;
  bool folder = false;
};

// A read, as the call tells it.
struct SeenRead {
  TraceAccessKind kind = TraceAccessKind::kRead;
  std::optional<int64_t> offset;  // given by the call; empty: the description's own
  int64_t asked = 0;
  int64_t returned = 0;  // -1: it failed
  int error = 0;
  Nanos begin;
  Nanos end;
};

// Thread safety: none. Time is that of the last SetTime.
class TracedWorld {
 public:
  void SetTime(Nanos now) { now_ = now; }

  // Returns the thread; null when it was not seen yet.
  SeenThread* Find(int32_t tid);
  // Makes a process out of nothing, or the child of a thread that is there.
  SeenThread& Begin(int32_t tid);
  SeenThread& Begin(int32_t tid, const SeenThread& parent, Sharing shared);
  void End(int32_t tid);

  uint32_t FileAt(const std::string& path);
  // Returns its number; nothing when no such file was seen.
  std::optional<uint32_t> FindFile(const std::string& path) const;
  SeenFile& file(uint32_t number) { return files_[number]; }

  // A new description of the file at `path` under `number`.
  SeenDescription& Install(SeenThread& thread, int32_t number, const std::string& path, bool closes_on_exec);
  // Null when it was not seen.
  SeenDescription* DescriptionAt(SeenThread& thread, int32_t number);
  void Duplicate(SeenThread& thread, int32_t from, int32_t to, bool closes_on_exec);
  void Close(SeenThread& thread, int32_t number);
  void Execute(SeenThread& thread);

  // Adds to the trace, unless the description is special.
  void AddOpen(const SeenThread& thread, const SeenDescription& description);
  void AddAdvice(const SeenThread& thread, SeenDescription& description, int advice, ByteRange range);
  void AddSeek(const SeenThread& thread, const SeenDescription& description);
  void AddMapping(const SeenThread& thread, const SeenDescription& description, ByteRange range);
  // `description` null: one that was not seen.
  void AddRead(const SeenThread& thread, SeenDescription* description, const SeenRead& seen);

  // Returns the trace, its reads and events in order of time, and what was left out. Once, at the end.
  TraceImport Finish();

 private:
  uint32_t TracedFileOf(int32_t pid, uint32_t file);
  TracedEvent* Add(TraceKind kind, const SeenThread& thread, const SeenDescription& description);

  TraceImport out_;
  Nanos now_{};
  std::map<int32_t, SeenThread> threads_;
  std::map<int32_t, uint32_t> process_of_;  // pid to the trace's number of the process
  std::vector<SeenFile> files_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::map<std::pair<int32_t, uint32_t>, uint32_t> traced_;  // (pid, file) to the trace's number
  uint32_t descriptions_ = 0;
};

}  // namespace ahead
