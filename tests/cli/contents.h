// Traces made by hand: a list of reads, as if one process had made them.
#pragma once

#include <string>

#include "stats/trace_reader.h"

namespace ahead::test {

class ContentsBuilder {
 public:
  ContentsBuilder() { contents.page = 4_KiB; }

  // Returns the number of the file, as process `pid` met it.
  uint32_t File(const std::string& path, int64_t size, int32_t pid = 100) {
    TracedFile file;
    file.path = path;
    file.pid = pid;
    file.device = 7;
    // The same file for all processes.
    file.inode = std::hash<std::string>{}(path);
    file.size = {size};
    contents.files.push_back(file);
    return static_cast<uint32_t>(contents.files.size() - 1);
  }

  // A read from `now` on that takes `duration`; then it is `now`.
  TracedRead& Read(uint32_t file, int64_t offset, int64_t length, uint32_t description = 1) {
    TracedRead read;
    read.file = file;
    read.tid = contents.files[file].pid;
    read.description = description;
    read.range = {{offset}, {offset + length}};
    read.time = now;
    read.completed = true;
    read.returned = {length};
    read.duration = duration;
    read.end = now + duration;
    now = read.end;
    contents.reads.push_back(read);
    return contents.reads.back();
  }

  TracedEvent& Event(TraceKind kind, uint32_t file, uint32_t description = 1) {
    TracedEvent event;
    event.kind = kind;
    event.file = file;
    event.tid = contents.files[file].pid;
    event.description = description;
    event.time = now;
    contents.events.push_back(event);
    return contents.events.back();
  }

  TraceContents contents;
  Nanos now{1000};
  Nanos duration{10};
};

}  // namespace ahead::test
