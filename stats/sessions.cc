#include "stats/sessions.h"

#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "stats/input.h"
#include "stats/segment_map.h"

namespace ahead {
namespace {

// Returns the entries of a folder that are numbers, in ascending order.
std::vector<int> NumberedEntries(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), closedir);
  std::vector<int> numbers;
  while (const dirent* entry = entries == nullptr ? nullptr : readdir(entries.get()))
    if (int number = 0; absl::SimpleAtoi(entry->d_name, &number)) numbers.push_back(number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

bool IsSessionLink(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t length = readlink(path.c_str(), target, sizeof(target));
  const std::string name = absl::StrCat("/memfd:", kSessionMemfdName);
  return length > 0 && absl::StartsWith(std::string(target, static_cast<size_t>(length)), name);
}

std::vector<Session> HeldBy(pid_t pid) {
  std::vector<Session> held;
  const std::string folder = absl::StrCat("/proc/", pid, "/fd");
  for (const int fd : NumberedEntries(folder))
    if (std::string path = absl::StrCat(folder, "/", fd); IsSessionLink(path)) held.push_back({pid, std::move(path)});
  return held;
}

// Says whether the process that holds the segment also made it.
bool IsMaker(const Session& session) {
  const auto input = Input::Open(session.path, Input::Purpose::kRead);
  return input.ok() && input->segment() && input->segment()->session_pid == session.pid;
}

std::optional<std::string> Variable(const std::vector<std::string>& environment, const std::string& name) {
  for (const std::string& entry : environment)
    if (absl::StartsWith(entry, name + "=") && entry.size() > name.size() + 1) return entry.substr(name.size() + 1);
  return std::nullopt;
}

// The file AHEAD_STATS names for process `pid`, as seen from here.
std::string StatsPath(const std::string& pattern, pid_t pid) {
  char path[PATH_MAX];
  if (!ExpandProcessPattern(pattern.c_str(), pid, path, sizeof(path))) return pattern;
  return path[0] == '/' ? path : absl::StrCat("/proc/", pid, "/cwd/", path);
}

bool HasBlockOf(const std::string& path, pid_t pid) {
  const auto input = Input::Open(path, Input::Purpose::kRead);
  if (!input.ok() || !input->segment()) return false;
  for (uint32_t index = 0; index < input->segment().block_count(); ++index)
    if (const Owner owner = input->segment().owner(index); owner.state != Owner::State::kFree && owner.pid == pid)
      return true;
  return false;
}

}  // namespace

absl::StatusOr<Session> SessionOf(pid_t pid) {
  const std::vector<Session> held = HeldBy(pid);
  for (const Session& session : held)
    if (IsMaker(session)) return session;
  if (!held.empty()) return held.front();
  const std::string folder = absl::StrCat("/proc/", pid, "/fd");
  return absl::NotFoundError(access(folder.c_str(), R_OK) == 0 ? "it is not a running `ahead run`" : strerror(errno));
}

std::vector<Session> RunningSessions(uid_t uid) {
  // A child about to become the command still holds its parent's: the maker goes before other holders.
  std::map<std::pair<dev_t, ino_t>, Session> sessions;
  for (const int pid : NumberedEntries("/proc")) {
    struct stat owner;
    if (stat(absl::StrCat("/proc/", pid).c_str(), &owner) != 0 || owner.st_uid != uid) continue;
    for (Session& session : HeldBy(pid)) {
      struct stat memfd;
      if (stat(session.path.c_str(), &memfd) != 0) continue;
      const auto [known, is_new] = sessions.try_emplace({memfd.st_dev, memfd.st_ino}, session);
      if (!is_new && IsMaker(session)) known->second = std::move(session);
    }
  }
  std::vector<Session> ordered;
  for (auto& [inode, session] : sessions) ordered.push_back(std::move(session));
  std::sort(ordered.begin(), ordered.end(), [](const Session& a, const Session& b) { return a.pid < b.pid; });
  return ordered;
}

absl::StatusOr<std::string> SegmentPathOf(pid_t pid) {
  const std::string path = absl::StrCat("/proc/", pid, "/environ");
  std::ifstream file(path, std::ios::binary);
  const int error = file ? 0 : errno;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::vector<std::string> environment = absl::StrSplit(text, '\0');
  if (auto session = Variable(environment, "AHEAD_SESSION"); session && access(session->c_str(), R_OK) == 0)
    return *session;
  if (auto stats = Variable(environment, "AHEAD_STATS")) return StatsPath(*stats, pid);
  for (const Session& session : RunningSessions(geteuid()))
    if (HasBlockOf(session.path, pid)) return session.path;
  if (error == 0) return absl::NotFoundError("it does not run under `ahead run`, nor with AHEAD_STATS");
  return absl::NotFoundError(error == ENOENT ? "there is no such process, and no running session counted it"
                                             : absl::StrCat("its environment cannot be read: ", strerror(error)));
}

}  // namespace ahead
