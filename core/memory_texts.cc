#include "core/memory_texts.h"

namespace ahead {
namespace {

constexpr int64_t kNoLimit = int64_t{1} << 60;

bool IsDigit(char letter) { return letter >= '0' && letter <= '9'; }

// Returns the end of the word if it stands at `at`, else null.
const char* After(const char* at, const char* end, const char* word) {
  while (at != end && *word != 0 && *at == *word) ++at, ++word;
  return *word == 0 ? at : nullptr;
}

const char* Find(const char* at, const char* end, char letter) {
  while (at != end && *at != letter) ++at;
  return at;
}

// Says whether `word` is one of the names between commas.
bool Lists(const char* at, const char* end, const char* word) {
  for (;;) {
    const char* const comma = Find(at, end, ',');
    if (After(at, comma, word) == comma) return true;
    if (comma == end) return false;
    at = comma + 1;
  }
}

// Returns the number at `at`, kNoLimit for a greater one; -1 when there is none.
int64_t Number(const char* at, const char* end) {
  if (at == end || !IsDigit(*at)) return -1;
  int64_t number = 0;
  for (; at != end && IsDigit(*at); ++at) number = number < kNoLimit / 10 ? number * 10 + (*at - '0') : kNoLimit;
  return number;
}

// A process may be in a cgroup outside of what its namespace shows.
bool LeavesItsRoot(const char* path, size_t bytes) { return bytes >= 3 && path[1] == '.' && path[2] == '.'; }

}  // namespace

int64_t ParseLimit(const char* text, size_t size) {
  const int64_t limit = Number(text, text + size);
  return limit > 0 && limit < kNoLimit ? limit : 0;
}

int64_t NumberAfter(const char* name, const char* text, size_t size) {
  const char* const end = text + size;
  for (const char* line = text; line != end;) {
    const char* const stop = Find(line, end, '\n');
    if (const char* at = After(line, stop, name); at != nullptr && at != stop && *at == ' ') {
      while (at != stop && *at == ' ') ++at;
      return Number(at, stop);
    }
    line = stop == end ? end : stop + 1;
  }
  return -1;
}

int64_t StalledMicroseconds(const char* text, size_t size) {
  const char* const end = text + size;
  const char* at = After(text, end, "some ");
  for (const char* const stop = at != nullptr ? Find(at, end, '\n') : end; at != nullptr && at != stop; ++at)
    if (const char* const total = After(at, stop, "total="); total != nullptr) return Number(total, stop);
  return -1;
}

void CgroupFolders::Begin(const char* text, size_t size, const char* root) {
  at_ = text;
  end_ = text + size;
  root_ = root;
  mounts_ = 0;
  base_ = folder_ = 0;
}

// NUMBER:CONTROLLERS:PATH; version 2 has no controllers.
bool CgroupFolders::NextHierarchy() {
  while (at_ != end_) {
    const char* const stop = Find(at_, end_, '\n');
    const char* const number = Find(at_, stop, ':');
    const char* const controllers = number == stop ? stop : number + 1;
    const char* const colon = Find(controllers, stop, ':');
    at_ = stop == end_ ? end_ : stop + 1;
    if (colon == stop) continue;
    is_v2_ = colon == controllers;
    if (!is_v2_ && !Lists(controllers, colon, "memory")) continue;
    path_ = colon + 1;
    path_bytes_ = static_cast<size_t>(stop - path_);
    if (LeavesItsRoot(path_, path_bytes_)) path_bytes_ = 0;
    mounts_ = is_v2_ ? 2 : 1;
    return true;
  }
  return false;
}

// Begins at the cgroup below the next place where its hierarchy may be mounted.
bool CgroupFolders::Mount() {
  --mounts_;
  const char* const below = !is_v2_ ? "/memory" : mounts_ == 0 ? "/unified" : "";
  const char* const parts[] = {root_, "/sys/fs/cgroup", below};
  base_ = 0;
  for (const char* part : parts)
    for (; *part != 0; ++part) {
      if (base_ + 1 >= sizeof(text_)) return false;
      text_[base_++] = *part;
    }
  const size_t bytes = base_ + path_bytes_ < sizeof(text_) ? path_bytes_ : 0;
  for (size_t i = 0; i < bytes; ++i) text_[base_ + i] = path_[i];
  folder_ = base_ + bytes;
  while (folder_ > base_ && text_[folder_ - 1] == '/') --folder_;
  return true;
}

bool CgroupFolders::Next() {
  if (folder_ > base_) {
    while (folder_ > base_ && text_[folder_ - 1] != '/') --folder_;
    while (folder_ > base_ && text_[folder_ - 1] == '/') --folder_;
    return true;
  }
  while (mounts_ > 0 || NextHierarchy())
    if (Mount()) return true;
  return false;
}

const char* CgroupFolders::File(const char* name) {
  size_t end = folder_;
  if (end + 1 >= sizeof(text_)) return nullptr;
  // What stands there belongs to a folder below, which was left.
  text_[end++] = '/';
  for (; *name != 0; ++name) {
    if (end + 1 >= sizeof(text_)) return nullptr;
    text_[end++] = *name;
  }
  text_[end] = 0;
  return text_;
}

}  // namespace ahead
