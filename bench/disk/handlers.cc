#include "bench/disk/handlers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bench/disk/disk.h"

namespace ahead::disk {
namespace {

// A query is answered even on a disk that never comes to rest, after this long.
constexpr Nanos kQueryPatience = 5_s;

// What an open of a file keeps.
struct OpenFile {
  std::shared_ptr<SourceFile> source;
};

// What an open of a directory keeps: its entries as they were then, so that positions in it stay valid.
struct OpenDirectory {
  struct Entry {
    std::string name;
    struct stat attributes;  // inode number and type only
  };
  std::vector<Entry> entries;
};

Disk& DiskOf(fuse_req_t request) { return *static_cast<Disk*>(fuse_req_userdata(request)); }

double Seconds(Nanos time) { return static_cast<double>(time.value) / 1e9; }

template <typename T>
T* HandleOf(const fuse_file_info* handle) {
  return reinterpret_cast<T*>(handle->fh);
}

}  // namespace

fuse_lowlevel_ops Handlers::Table() {
  fuse_lowlevel_ops table{};
  table.init = Init;
  table.lookup = Lookup;
  table.forget = Forget;
  table.forget_multi = ForgetMany;
  table.getattr = GetAttributes;
  table.readlink = ReadLink;
  table.open = Open;
  table.read = Read;
  table.release = Release;
  table.opendir = OpenDirectory;
  table.readdir = ReadDirectory;
  table.releasedir = ReleaseDirectory;
  table.statfs = FileSystemStatus;
  table.getxattr = GetExtendedAttribute;
  return table;
}

void Handlers::Init(void* user_data, fuse_conn_info* connection) {
  const DiskOptions& options = static_cast<Disk*>(user_data)->options_;
  connection->max_background = static_cast<unsigned>(options.in_flight);
  // The kernel's own rule; at 0 it would take its default instead.
  connection->congestion_threshold = std::max(1U, connection->max_background * 3 / 4);
  connection->max_readahead = static_cast<unsigned>(options.readahead.value);
  connection->max_read = static_cast<unsigned>(options.max_request.value);
  connection->max_write = static_cast<unsigned>(options.max_request.value);  // also bounds the pages of a read
  connection->want |= connection->capable & FUSE_CAP_ASYNC_READ;
  // The answer is written straight from the source's pages; a pipe between would cost a call and save no copy.
  connection->want &= ~static_cast<unsigned>(FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE);
}

void Handlers::Lookup(fuse_req_t request, fuse_ino_t parent, const char* name) {
  Disk& disk = DiskOf(request);
  const Nanos due = disk.MetadataDue();
  disk.Count(&Counters::lookups);
  fuse_entry_param entry{};
  entry.ino = disk.tree_.Lookup(parent, name, entry.attr);
  if (entry.ino == 0) return disk.AnswerError(due, request, errno);
  entry.attr_timeout = Seconds(disk.options_.attribute_timeout);
  entry.entry_timeout = entry.attr_timeout;
  disk.replies_.Push(due, [&disk, request, entry](Nanos) {
    if (fuse_reply_entry(request, &entry) != 0) disk.tree_.Forget(entry.ino, 1);
  });
}

void Handlers::Forget(fuse_req_t request, fuse_ino_t node, uint64_t count) {
  DiskOf(request).tree_.Forget(node, count);
  fuse_reply_none(request);
}

void Handlers::ForgetMany(fuse_req_t request, size_t count, fuse_forget_data* forgets) {
  for (size_t i = 0; i < count; ++i) DiskOf(request).tree_.Forget(forgets[i].ino, forgets[i].nlookup);
  fuse_reply_none(request);
}

void Handlers::GetAttributes(fuse_req_t request, fuse_ino_t node, fuse_file_info*) {
  Disk& disk = DiskOf(request);
  const Nanos due = disk.MetadataDue();
  disk.Count(&Counters::getattrs);
  struct stat attributes;
  const Descriptor path = disk.tree_.OpenPath(node);
  if (!path || fstatat(path.get(), "", &attributes, AT_EMPTY_PATH) != 0) {
    return disk.AnswerError(due, request, errno);
  }
  disk.replies_.Push(due, [request, attributes, timeout = Seconds(disk.options_.attribute_timeout)](Nanos) {
    fuse_reply_attr(request, &attributes, timeout);
  });
}

void Handlers::ReadLink(fuse_req_t request, fuse_ino_t node) {
  Disk& disk = DiskOf(request);
  const Nanos due = disk.MetadataDue();
  disk.Count(&Counters::readlinks);
  char target[PATH_MAX + 1];
  const Descriptor path = disk.tree_.OpenPath(node);
  const ssize_t size = path ? readlinkat(path.get(), "", target, PATH_MAX) : -1;
  if (size < 0) return disk.AnswerError(due, request, errno);
  disk.replies_.Push(due, [request, text = std::string(target, static_cast<size_t>(size))](Nanos) {
    fuse_reply_readlink(request, text.c_str());
  });
}

void Handlers::Open(fuse_req_t request, fuse_ino_t node, fuse_file_info* handle) {
  Disk& disk = DiskOf(request);
  const Nanos due = disk.MetadataDue();
  disk.Count(&Counters::opens);
  if ((handle->flags & O_ACCMODE) != O_RDONLY) return disk.AnswerError(due, request, EROFS);
  const Descriptor opened_source = disk.tree_.Open(node, O_NONBLOCK | O_NOCTTY);
  auto source = opened_source ? disk.files_.Get(opened_source.get()) : nullptr;
  if (source == nullptr) return disk.AnswerError(due, request, errno);
  fuse_file_info opened = *handle;
  opened.fh = reinterpret_cast<uint64_t>(new OpenFile{std::move(source)});
  opened.keep_cache = disk.options_.keep_cache ? 1 : 0;
  opened.direct_io = disk.options_.direct_io ? 1 : 0;
  disk.replies_.Push(due, [request, opened](Nanos) {
    if (fuse_reply_open(request, &opened) != 0) delete HandleOf<OpenFile>(&opened);
  });
}

void Handlers::Read(fuse_req_t request, fuse_ino_t node, size_t size, off_t offset, fuse_file_info* handle) {
  Disk& disk = DiskOf(request);
  const Nanos arrival = Now();
  std::shared_ptr<SourceFile>& source = HandleOf<OpenFile>(handle)->source;
  const ByteOffset begin{offset};
  const ByteRange asked{begin, begin + ByteCount{static_cast<int64_t>(size)}};
  if (asked.end > ByteOffset{} + source->size()) {
    // Perhaps the file has grown or shrunk since it was opened.
    const Descriptor now = disk.tree_.Open(node, O_NONBLOCK | O_NOCTTY);
    if (auto current = now ? disk.files_.Get(now.get()) : nullptr) source = std::move(current);
  }
  const ByteCount there = std::clamp(ByteOffset{} + source->size() - begin, 0_B, asked.size());
  const bool fails = IsBad(disk.options_.fail_at, {begin, begin + there});
  const ByteCount served = fails ? 0_B : there;
  const ByteRange range{begin, begin + served};
  const FileKey file = source->key();
  {
    const std::lock_guard lock(disk.counters_mutex_);
    if (IsDead(disk.options_.die_after, disk.counters_.requests, disk.counters_.bytes))
      return disk.DieInsteadOf(arrival, file.inode, range);
    disk.counters_.ReadArrived(arrival, file, begin, served, disk.replies_.TransferTime(served));
    if (fails) ++disk.counters_.failures;
  }
  disk.log_.Add(arrival, asked, file.inode);
  if (fails) return disk.AnswerRead(arrival, file.inode, range, request, {EIO, nullptr, 0_B, nullptr});
  source->BringIn(begin, there);
  disk.AnswerRead(arrival, file.inode, range, request, {0, source->data() + offset, there, source});
}

void Handlers::Release(fuse_req_t request, fuse_ino_t, fuse_file_info* handle) {
  delete HandleOf<OpenFile>(handle);
  fuse_reply_err(request, 0);
}

void Handlers::OpenDirectory(fuse_req_t request, fuse_ino_t node, fuse_file_info* handle) {
  Disk& disk = DiskOf(request);
  const Nanos due = disk.MetadataDue();
  disk.Count(&Counters::opendirs);
  const Descriptor path = disk.tree_.OpenPath(node);
  const int listed = path ? openat(path.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  DIR* stream = listed < 0 ? nullptr : fdopendir(listed);
  if (stream == nullptr) return disk.AnswerError(due, request, errno);
  auto directory = std::make_unique<struct OpenDirectory>();
  while (const dirent* entry = readdir(stream)) {
    struct stat attributes {};
    attributes.st_ino = entry->d_ino;
    attributes.st_mode = static_cast<mode_t>(DTTOIF(entry->d_type));
    directory->entries.push_back({entry->d_name, attributes});
  }
  closedir(stream);
  fuse_file_info opened = *handle;
  opened.fh = reinterpret_cast<uint64_t>(directory.release());
  disk.replies_.Push(due, [request, opened](Nanos) {
    if (fuse_reply_open(request, &opened) != 0) delete HandleOf<struct OpenDirectory>(&opened);
  });
}

void Handlers::ReadDirectory(fuse_req_t request, fuse_ino_t, size_t size, off_t offset, fuse_file_info* handle) {
  Disk& disk = DiskOf(request);
  const Nanos due = disk.MetadataDue();
  disk.Count(&Counters::readdirs);
  const auto& entries = HandleOf<struct OpenDirectory>(handle)->entries;
  std::vector<char> buffer(size);
  size_t used = 0;
  for (auto i = static_cast<size_t>(offset); i < entries.size(); ++i) {
    const auto next = static_cast<off_t>(i + 1);
    const size_t needed = fuse_add_direntry(request, buffer.data() + used, size - used, entries[i].name.c_str(),
                                            &entries[i].attributes, next);
    if (needed > size - used) break;
    used += needed;
  }
  buffer.resize(used);
  disk.replies_.Push(
      due, [request, buffer = std::move(buffer)](Nanos) { fuse_reply_buf(request, buffer.data(), buffer.size()); });
}

void Handlers::ReleaseDirectory(fuse_req_t request, fuse_ino_t, fuse_file_info* handle) {
  delete HandleOf<struct OpenDirectory>(handle);
  fuse_reply_err(request, 0);
}

void Handlers::FileSystemStatus(fuse_req_t request, fuse_ino_t node) {
  struct statvfs status;
  const Descriptor path = DiskOf(request).tree_.OpenPath(node);
  if (!path || fstatvfs(path.get(), &status) != 0) {
    fuse_reply_err(request, errno);
  } else {
    fuse_reply_statfs(request, &status);
  }
}

void Handlers::GetExtendedAttribute(fuse_req_t request, fuse_ino_t node, const char* name, size_t size) {
  Disk& disk = DiskOf(request);
  const bool is_reset = strcmp(name, kResetAttribute) == 0;
  if (node != FUSE_ROOT_ID || (!is_reset && strcmp(name, kReportAttribute) != 0)) {
    fuse_reply_err(request, ENODATA);
    return;
  }
  const uid_t user = fuse_req_ctx(request)->uid;
  if (is_reset && user != 0 && user != geteuid()) {
    fuse_reply_err(request, EPERM);
    return;
  }
  if (size == 0) {
    fuse_reply_xattr(request, kMostReportBytes);
  } else if (size < kMostReportBytes) {
    fuse_reply_err(request, ERANGE);
  } else {
    disk.queries_.push_back({request, is_reset, Now() + kQueryPatience});
    disk.is_query_waiting_ = true;
  }
}

}  // namespace ahead::disk
