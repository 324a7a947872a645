#include "tests/shim/system_call_log.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>

namespace ahead::shim_test {
namespace {

constexpr size_t kMostFaults = 3;

// What the library asks of its own accord. Everything is about a descriptor of the host's, about memory of its own, or
// about nothing.
const std::regex kOurs(
    R"((statx\(\d+, "", AT_STATX_DONT_SYNC\|AT_EMPTY_PATH, .*)"
    R"(|lseek\(\d+, 0, SEEK_CUR\) .*)"
    R"(|fcntl\(\d+, F_GETFL\) .*)"
    R"(|readlinkat\(AT_FDCWD, "/proc/self/fd/\d+", .*)"
    R"(|(syscall_0x1c3|cachestat)\(.*)"
    R"(|readahead\(.*)"
    R"(|fadvise64\(\d+, 0, 0, POSIX_FADV_(RANDOM|NORMAL)\) .*|fcntl\(\d+, F_GETFD\) .*)"
    R"(|prctl\(PR_GET_SECCOMP\) .*|process_vm_readv\(.*)"
    R"(|getpid\(\) .*|sysinfo\(.*|sigaltstack\(NULL, .*|mincore\(.*)"
    R"(|mmap\(NULL, \d+, PROT_READ\|PROT_WRITE, MAP_PRIVATE\|MAP_ANONYMOUS(\|MAP_NORESERVE)?, -1, 0\) .*)"
    R"(|madvise\(.*(MADV_WIPEONFORK|MADV_NOHUGEPAGE|MADV_POPULATE_WRITE|0x12 .*|0x17 .*)\) .*))");

// The look at a page where cachestat is not to be had.
const std::regex kNowait(R"(preadv2\(\d+, \[\{iov_base="?.*"?, iov_len=1\}\], 1, \d+, RWF_NOWAIT\) .*)");

// What it asks once where statistics are kept: whether the file may grow, what the process is, and what its standard
// error is.
const std::regex kOfStatistics(
    R"((fstat\(2, .*|prlimit64\(0, RLIMIT_FSIZE, NULL, .*|gettid\(\) .*|prctl\(PR_GET_NAME, .*))");

// What the loader does with a library, and the library with its statistics, between opening and closing a descriptor.
const std::regex kOfAnOpenFile(R"((read|pread64|fstat|newfstatat|statx|fallocate|mmap|mprotect|close)\(.*)");

// Where it looks, once, for the limit of its memory: before the first thread, which might see a number taken.
const std::regex kOfLimit(R"re(openat\(AT_FDCWD, "(?:/proc/self/cgroup|/sys/fs/cgroup/.*)", )re"
                          R"re(O_RDONLY\|O_NOCTTY\|O_NONBLOCK\|O_CLOEXEC\) = (\d+|-1 ENOENT).*)re");

// How a child comes to be, with its number as the result.
const std::regex kBirth(R"((clone|clone3|fork|vfork)\(.* = (\d+).*)");

// Where numbers of processes stand.
const std::regex kNamesProcesses(
    R"((clone3?|fork|vfork|wait4|waitid|kill|tgkill|tkill|gettid|getpid|getppid|getpgid|setpgid|setsid|)"
    R"(set_tid_address|prlimit64|pidfd_open|ptrace|openat|readlink)\(.*)");

// What comes when it comes: signals, wake-ups, children of which any will do, and what is left over where malloc aligns
// the memory of a thread at 64 MiB.
const std::regex kChance(
    R"(((---|brk\(|futex\(|getrandom\(|rt_sigreturn\(|restart_syscall\(|sched_yield\(|wait4\(-1, ).*)"
    R"(|munmap\(0x[0-9a-f]+, \d{7,8}\) .*))");

std::map<std::string, Calls> ReadLogs(const std::filesystem::path& folder) {
  std::map<std::string, Calls> logs;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream lines(entry.path());
    Calls& calls = logs[entry.path().extension().string().substr(1)];
    for (std::string line; std::getline(lines, line);) calls.push_back(line);
  }
  return logs;
}

// Names the children of a process, and theirs.
void NameFamily(const std::map<std::string, Calls>& logs, const std::string& process, const std::string& name,
                std::map<std::string, std::string>& names) {
  names[process] = name;
  int children = 0;
  for (const std::string& call : logs.at(process)) {
    std::smatch birth;
    if (!std::regex_match(call, birth, kBirth) || logs.count(birth[2]) == 0) continue;
    NameFamily(logs, birth[2], name + "." + std::to_string(++children), names);
  }
}

// Puts the names of processes in the place of their numbers; strace itself, their parent, has none.
std::string WithNames(const std::string& call, const std::map<std::string, std::string>& names) {
  static const std::regex number(R"(\b\d{2,}\b)");
  if (call.rfind("getppid()", 0) == 0 && names.count(call.substr(call.rfind(' ') + 1)) == 0)
    return "getppid() = strace";
  std::string named;
  auto rest = call.begin();
  for (std::sregex_iterator match(call.begin(), call.end(), number), end; match != end; ++match) {
    const auto name = names.find(match->str());
    named.append(rest, (*match)[0].first);
    named += name == names.end() ? match->str() : "PROCESS-" + name->second;
    rest = (*match)[0].second;
  }
  return named.append(rest, call.end());
}

// Leaves out how long a host waited for a thread to be gone (hosts/open_numbers.c): that is the machine's affair.
bool IsWaitForThread(const std::string& call) {
  static const std::regex wait(
      R"((tgkill\(\d+, \d+, 0\)|clock_nanosleep\(CLOCK_REALTIME, 0, .*tv_nsec=1000000\}, NULL\)) .*)");
  return std::regex_match(call, wait);
}

// Leaves that out, and where the loader gets memory for what it notes about libraries: with one more, it is elsewhere.
Calls WithoutWaitsAndLoadersMemory(const Calls& calls) {
  static const std::regex memory(R"(mmap\(NULL, \d+, PROT_READ\|PROT_WRITE, MAP_PRIVATE\|MAP_ANONYMOUS, -1, 0\) .*)");
  Calls kept;
  bool is_loading = false;
  for (const std::string& call : calls) {
    if (call.rfind("execve(", 0) == 0) is_loading = true;
    if (call.rfind("prlimit64(", 0) == 0) is_loading = false;
    if (!IsWaitForThread(call) && (!is_loading || !std::regex_match(call, memory))) kept.push_back(call);
  }
  return kept;
}

std::string Normalized(std::string call, const std::map<std::string, std::string>& names) {
  static const std::regex address("0x[0-9a-f]{6,}");
  static const std::regex variables(R"( /\* \d+ vars \*/)");
  static const std::regex scratch(R"((/tmp/ahead-open-numbers-)\w{6}\b)");
  static const std::regex time(R"(tv_sec=\d+, tv_nsec=\d+)");
  static const std::regex padding(R"(\) += )");
  // Names that are numbers of processes are longer from 10000 on.
  static const std::regex listing(R"((getdents64\(\d+, ADDRESS /\* [1-9]\d* entries \*/, \d+\) = )\d+)");
  // The array is not there: strace shows what it finds in its place.
  static const std::regex wild_vector(R"(readv\(.* = -1 EINVAL .*)");
  static const std::regex memory(R"(sysinfo\(\{.*\}\) )");
  if (std::regex_match(call, wild_vector)) return "readv = -1 EINVAL";
  call = std::regex_replace(call, memory, "sysinfo({}) ");
  call = std::regex_replace(call, address, "ADDRESS");
  call = std::regex_replace(call, variables, "");
  call = std::regex_replace(call, scratch, "$1XXXXXX");
  call = std::regex_replace(call, time, "TIME");
  call = std::regex_replace(call, padding, ") = ");
  call = std::regex_replace(call, listing, "$1BYTES");
  return std::regex_match(call, kNamesProcesses) ? WithNames(call, names) : call;
}

// Goes along the calls of a preloaded thread and says which are neither the host's nor allowed.
class Comparison {
 public:
  Comparison(const Calls& bare, const std::string& library, const std::string& statistics)
      : bare_(bare), library_('"' + library + '"'), statistics_(statistics.empty() ? "" : '"' + statistics + '"') {}

  // Returns false when the call has no business here.
  bool Accepts(const std::string& call) {
    if (IsOfOpenFile(call)) return true;
    if (next_ < bare_.size() && call == bare_[next_]) {
      ++next_;
      return true;
    }
    if (call.rfind("mprotect(", 0) == 0 && to_be_sealed_ > 0) return --to_be_sealed_ >= 0;
    return IsOwnCall(call) || std::regex_match(call, kNowait) ||
           (!statistics_.empty() && std::regex_match(call, kOfStatistics));
  }

  std::string expected() const { return next_ < bare_.size() ? bare_[next_] : "the end"; }
  bool is_complete() const { return next_ == bare_.size(); }

 private:
  bool IsOfOpenFile(const std::string& call) {
    if (!open_file_.empty()) {
      if (!std::regex_match(call, kOfAnOpenFile)) return false;
      if (call == "close(" + open_file_ + ") = 0") open_file_.clear();
      return true;
    }
    if (std::smatch look; std::regex_match(call, look, kOfLimit)) {
      if (look[1] != "-1 ENOENT") open_file_ = look[1];
      return true;
    }
    const bool is_library = call.find(library_) != std::string::npos;
    if (call.rfind("openat(", 0) != 0 ||
        (!is_library && (statistics_.empty() || call.find(statistics_) == std::string::npos)))
      return false;
    // The loader protects a library's relocated data when all are loaded.
    if (is_library) to_be_sealed_ = 1;
    open_file_ = call.substr(call.rfind(' ') + 1);
    return true;
  }

  const Calls& bare_;
  const std::string library_;
  const std::string statistics_;
  size_t next_ = 0;
  std::string open_file_;
  int to_be_sealed_ = 0;
};

}  // namespace

bool IsOwnCall(const std::string& call) { return std::regex_match(call, kOurs); }

bool CanTrace() { return RunBare({"strace", "-o", "/dev/null", "true"}).status == 0; }

SystemCallLog TraceCalls(const Words& argv, const Words& variables) {
  const TemporaryFolder folder;
  // -ff: a log for each thread, in which no call is interrupted by another's.
  Words traced = {"strace", "-ff", "-s", "48", "-o", folder.Path("log")};
  for (const std::string& variable : variables) traced.insert(traced.end(), {"-E", variable});
  traced.insert(traced.end(), argv.begin(), argv.end());
  RunBare(traced);
  const std::map<std::string, Calls> logs = ReadLogs(folder.Path(""));
  // The first is the one that nobody made.
  std::map<std::string, std::string> names;
  for (const auto& [process, calls] : logs) {
    const bool is_child = std::any_of(logs.begin(), logs.end(), [&, number = process](const auto& other) {
      return std::any_of(other.second.begin(), other.second.end(), [&](const std::string& call) {
        std::smatch birth;
        return std::regex_match(call, birth, kBirth) && birth[2] == number;
      });
    });
    if (!is_child) NameFamily(logs, process, "1", names);
  }
  SystemCallLog log;
  for (const auto& [process, name] : names)
    for (const std::string& call : WithoutWaitsAndLoadersMemory(logs.at(process)))
      if (!std::regex_match(call, kChance)) log[name].push_back(Normalized(call, names));
  return log;
}

std::vector<std::string> FindFaults(const SystemCallLog& bare, const SystemCallLog& preloaded,
                                    const std::string& library, const std::string& statistics) {
  std::vector<std::string> faults;
  for (const auto& [name, calls] : preloaded)
    if (bare.count(name) == 0) faults.push_back(name + ": no such thread in the bare run");
  for (const auto& [name, expected] : bare) {
    const auto calls = preloaded.find(name);
    if (calls == preloaded.end()) {
      faults.push_back(name + ": no such thread in the preloaded run");
      continue;
    }
    Comparison comparison(expected, library, statistics);
    size_t found = 0;
    for (const std::string& call : calls->second) {
      if (comparison.Accepts(call)) continue;
      faults.push_back(name + ": " + call + "\n  expected: " + comparison.expected());
      if (++found == kMostFaults) break;
    }
    if (found == 0 && !comparison.is_complete()) faults.push_back(name + ": missing: " + comparison.expected());
  }
  return faults;
}

}  // namespace ahead::shim_test
