#include "stats/traced_world.h"

#include <fcntl.h>

#include <algorithm>
#include <set>

#include "stats/text.h"

namespace ahead {
namespace {

bool IsSpecialPath(std::string_view path) {
  if (!path.starts_with("/")) return Contains(path, ":[") || path.starts_with("anon_inode");
  return path.starts_with("/dev/") || path.starts_with("/proc/") || path.starts_with("/sys/");
}

}  // namespace

SeenThread* TracedWorld::Find(int32_t tid) {
  const auto thread = threads_.find(tid);
  return thread == threads_.end() ? nullptr : &thread->second;
}

SeenThread& TracedWorld::Begin(int32_t tid) {
  SeenThread& thread = threads_[tid];
  thread = {tid, tid, std::make_shared<SeenDescriptors>(), std::make_shared<std::string>()};
  TracedProcess process;
  process.pid = tid;
  process.time = now_;
  process_of_[tid] = static_cast<uint32_t>(out_.contents.processes.size());
  out_.contents.processes.push_back(process);
  return thread;
}

SeenThread& TracedWorld::Begin(int32_t tid, const SeenThread& parent, Sharing shared) {
  const int32_t parent_pid = parent.pid;
  const auto descriptors =
      shared.descriptors ? parent.descriptors : std::make_shared<SeenDescriptors>(*parent.descriptors);
  const auto folder = shared.folder ? parent.folder : std::make_shared<std::string>(*parent.folder);
  if (shared.process) return threads_[tid] = {tid, parent_pid, descriptors, folder};
  SeenThread& thread = Begin(tid);
  thread.descriptors = descriptors;
  thread.folder = folder;
  out_.contents.processes.back().parent_pid = parent_pid;
  return thread;
}

void TracedWorld::End(int32_t tid) {
  SeenThread* thread = Find(tid);
  if (thread == nullptr) return;
  // The last one of the table closes what is open.
  if (thread->descriptors.use_count() == 1)
    while (!thread->descriptors->empty()) Close(*thread, thread->descriptors->begin()->first);
  threads_.erase(tid);
}

uint32_t TracedWorld::FileAt(const std::string& path) {
  const auto [entry, is_new] = numbers_.try_emplace(path, static_cast<uint32_t>(files_.size()));
  // A number of its own stands in for the inode until a stat says it.
  if (is_new) files_.push_back({path, 0, files_.size() + 1, {}, IsSpecialPath(path)});
  return entry->second;
}

std::optional<uint32_t> TracedWorld::FindFile(const std::string& path) const {
  const auto known = numbers_.find(path);
  if (known == numbers_.end()) return std::nullopt;
  return known->second;
}

SeenDescription& TracedWorld::Install(SeenThread& thread, int32_t number, const std::string& path,
                                      bool closes_on_exec) {
  // Its closing was not seen.
  Close(thread, number);
  auto description = std::make_shared<SeenDescription>();
  description->number = ++descriptions_;
  description->file = FileAt(path);
  description->is_special = files_[description->file].is_special;
  return *((*thread.descriptors)[number] = {description, closes_on_exec}).description;
}

SeenDescription* TracedWorld::DescriptionAt(SeenThread& thread, int32_t number) {
  const auto known = thread.descriptors->find(number);
  return known == thread.descriptors->end() ? nullptr : known->second.description.get();
}

void TracedWorld::Duplicate(SeenThread& thread, int32_t from, int32_t to, bool closes_on_exec) {
  if (from == to) return;
  const auto known = thread.descriptors->find(from);
  const std::shared_ptr<SeenDescription> description =
      known == thread.descriptors->end() ? nullptr : known->second.description;
  Close(thread, to);
  if (description) (*thread.descriptors)[to] = {description, closes_on_exec};
}

void TracedWorld::Close(SeenThread& thread, int32_t number) {
  const auto known = thread.descriptors->find(number);
  if (known == thread.descriptors->end()) return;
  const std::shared_ptr<SeenDescription> description = known->second.description;
  thread.descriptors->erase(known);
  for (const auto& [other, descriptor] : *thread.descriptors)
    if (descriptor.description == description) return;
  if (traced_.contains({thread.pid, description->file})) Add(TraceKind::kClose, thread, *description);
}

void TracedWorld::Execute(SeenThread& thread) {
  // The table is the process's own from now on.
  if (thread.descriptors.use_count() > 1) thread.descriptors = std::make_shared<SeenDescriptors>(*thread.descriptors);
  std::vector<int32_t> closed;
  for (const auto& [number, descriptor] : *thread.descriptors)
    if (descriptor.closes_on_exec) closed.push_back(number);
  for (const int32_t number : closed) Close(thread, number);
}

uint32_t TracedWorld::TracedFileOf(int32_t pid, uint32_t file) {
  const auto [entry, is_new] = traced_.try_emplace({pid, file}, static_cast<uint32_t>(out_.contents.files.size()));
  if (is_new) {
    TracedFile traced;
    traced.pid = pid;
    traced.process = process_of_[pid];
    traced.time = now_;
    traced.inode = file;  // the rest in Finish
    out_.contents.files.push_back(std::move(traced));
  }
  return entry->second;
}

TracedEvent* TracedWorld::Add(TraceKind kind, const SeenThread& thread, const SeenDescription& description) {
  if (description.is_special) return nullptr;
  TracedEvent event;
  event.kind = kind;
  event.file = TracedFileOf(thread.pid, description.file);
  event.tid = thread.tid;
  event.description = description.number;
  event.time = now_;
  return &out_.contents.events.emplace_back(event);
}

void TracedWorld::AddOpen(const SeenThread& thread, const SeenDescription& description) {
  if (TracedEvent* event = Add(TraceKind::kOpen, thread, description)) event->opened_here = true;
}

void TracedWorld::AddAdvice(const SeenThread& thread, SeenDescription& description, int advice, ByteRange range) {
  if (advice == POSIX_FADV_NORMAL) description.advice = HostAdvice::kNormal;
  if (advice == POSIX_FADV_SEQUENTIAL) description.advice = HostAdvice::kSequential;
  if (advice == POSIX_FADV_RANDOM) description.advice = HostAdvice::kRandom;
  TracedEvent* event = Add(TraceKind::kAdvice, thread, description);
  if (event == nullptr) return;
  event->advice = advice;
  event->range = range;
}

void TracedWorld::AddSeek(const SeenThread& thread, const SeenDescription& description) {
  if (TracedEvent* event = Add(TraceKind::kSeek, thread, description))
    event->range = {description.offset, description.offset};
}

void TracedWorld::AddMapping(const SeenThread& thread, const SeenDescription& description, ByteRange range) {
  if (TracedEvent* event = Add(TraceKind::kMapping, thread, description)) event->range = range;
}

void TracedWorld::AddRead(const SeenThread& thread, SeenDescription* description, const SeenRead& seen) {
  const bool has_data = seen.returned > 0;
  if (description == nullptr) return void(out_.unknown_reads += has_data ? 1 : 0);
  if (description->is_special) return void(out_.special_reads += has_data ? 1 : 0);
  const int64_t offset = seen.offset.value_or(description->offset.value);
  const bool is_placed = seen.offset || description->is_placed;
  if (!is_placed || offset < 0 || offset > kLargestFile.value) return void(++out_.unplaced_reads);
  TracedRead read;
  read.file = TracedFileOf(thread.pid, description->file);
  read.tid = thread.tid;
  read.description = description->number;
  read.kind = seen.kind;
  read.advice = description->advice;
  read.fresh = !description->is_read && description->opened_by == thread.pid;
  read.completed = true;
  // The kernel reads less than 2 GiB at a time.
  read.returned = {std::clamp<int64_t>(seen.returned, 0, INT32_MAX)};
  read.error = seen.error;
  read.range.begin = {offset};
  read.range.end = read.range.begin + ByteCount{std::clamp<int64_t>(seen.asked, read.returned.value, INT32_MAX)};
  read.time = seen.begin;
  read.end = seen.end;
  read.duration = seen.end - seen.begin;
  description->is_read = true;
  if (!seen.offset) description->offset = description->offset + read.returned;
  ByteCount& size = files_[description->file].size;
  size = std::max(size, ByteCount{offset} + read.returned);
  out_.contents.reads.push_back(read);
}

TraceImport TracedWorld::Finish() {
  TraceContents& contents = out_.contents;
  contents.page = {4096};
  std::set<uint32_t> relative;
  for (TracedFile& traced : contents.files) {
    const auto number = static_cast<uint32_t>(traced.inode);
    const SeenFile& file = files_[number];
    traced.path = file.path;
    traced.device = file.device;
    traced.inode = file.inode;
    traced.size = file.size;
    if (!file.path.starts_with("/")) relative.insert(number);
  }
  out_.relative_paths = relative.size();
  for (TracedRead& read : contents.reads) read.facts.file_size = contents.files[read.file].size;
  std::stable_sort(contents.reads.begin(), contents.reads.end(),
                   [](const TracedRead& a, const TracedRead& b) { return a.time < b.time; });
  std::stable_sort(contents.events.begin(), contents.events.end(),
                   [](const TracedEvent& a, const TracedEvent& b) { return a.time < b.time; });
  return std::move(out_);
}

}  // namespace ahead
