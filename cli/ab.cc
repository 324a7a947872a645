#include "cli/ab.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/ab_experiment.h"
#include "cli/job.h"
#include "cli/preload.h"
#include "cli/preloadable.h"
#include "cli/program.h"
#include "cli/usage.h"
#include "stats/table.h"

namespace ahead::cli {
namespace {

constexpr const char* kName = "ab";
constexpr int kNoComparison = 1;
constexpr size_t kMostArms = 26;  // they are shown by a letter

// The options as they were given.
struct Given {
  std::vector<std::string> arms;
  int64_t rounds = 0;
  std::string cold = "auto";
  bool ignores_output = false;
  std::string json;
  int64_t seed = -1;
};

int64_t AnySeed() {
  uint32_t seed = 0;
  if (getrandom(&seed, sizeof seed, 0) != sizeof seed) seed = static_cast<uint32_t>(getpid());
  return seed;
}

// Throws a refusal that ends in one line and exit status 2.
std::vector<Arm> ParseArms(const std::vector<std::string>& texts) {
  if (texts.size() < 2 || texts.size() > kMostArms)
    throw CLI::ValidationError("--arm",
                               absl::StrCat("given ", texts.size(), " times; 2 to ", kMostArms,
                                            " arms can be compared, e.g. --arm bare --arm ratio100:ratio=100"));
  std::vector<Arm> arms;
  std::set<std::string> names;
  for (const std::string& text : texts) {
    absl::StatusOr<Arm> arm = ParseArm(text);
    if (!arm.ok()) throw CLI::ValidationError("--arm", std::string(arm.status().message()));
    if (!names.insert(arm->name).second)
      throw CLI::ValidationError("--arm", absl::StrCat("two arms are named '", arm->name, "'; names must differ"));
    arms.push_back(*std::move(arm));
  }
  return arms;
}

// The library, wanted as soon as one arm is not bare. Returns an empty text, or why there is none.
std::string FindLibraryFor(const std::vector<Arm>& arms, std::string& library) {
  const absl::StatusOr<std::string> found = FindLibrary();
  if (found.ok()) library = *found;
  if (std::all_of(arms.begin(), arms.end(), [](const Arm& arm) { return arm.is_bare; })) return "";
  return found.ok() ? WhyNotExpressible(library) : std::string(found.status().message());
}

// Only for the eyes of somebody who waits.
void ShowProgress(size_t round, size_t rounds) {
  if (isatty(STDERR_FILENO) == 0) return;
  const std::string text = absl::StrFormat("\rround %d of %d ", round + 1, rounds);
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

void EndProgress() {
  constexpr char kErase[] = "\r\033[K";
  if (isatty(STDERR_FILENO) != 0 && write(STDERR_FILENO, kErase, sizeof kErase - 1) < 0) return;
}

// The file for the results, opened before the runs, so that none is made for nothing.
class JsonFile {
 public:
  // `path` may be empty: nothing is written then.
  explicit JsonFile(std::string path) : path_(std::move(path)) {
    if (!path_.empty()) fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  }
  JsonFile(const JsonFile&) = delete;
  JsonFile& operator=(const JsonFile&) = delete;
  ~JsonFile() {
    if (fd_ >= 0) close(fd_);
  }

  bool is_wanted() const { return !path_.empty(); }
  bool is_open() const { return fd_ >= 0; }
  bool Write(const std::string& text) const {
    return ftruncate(fd_, 0) == 0 && write(fd_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  }
  std::string Fault() const { return absl::StrCat("--json: cannot write '", path_, "': ", strerror(errno)); }

 private:
  std::string path_;
  int fd_ = -1;
};

int Fail(const std::string& why) {
  Complain(kName, why);
  return kNoComparison;
}

void Print(const std::string& text) { fwrite(text.data(), 1, text.size(), stdout); }

int CompareArms(const Given& given, const std::vector<std::string>& command) {
  AbSettings settings;
  settings.arms = ParseArms(given.arms);
  settings.command = command;
  settings.rounds = static_cast<size_t>(given.rounds);
  settings.cold = ChooseColdMethod(given.cold);
  settings.compare_output = !given.ignores_output;
  settings.seed = static_cast<uint64_t>(given.seed >= 0 ? given.seed : AnySeed());
  if (const std::string missing = FindLibraryFor(settings.arms, settings.library); !missing.empty())
    return Fail(missing);
  const Program program = FindProgram(command[0]);
  if (program.error != 0) return Fail(absl::StrCat("cannot execute '", command[0], "': ", strerror(program.error)));
  settings.program = program.path;
  const Inactivity inactivity = WhyInactive(program.path);
  settings.keeps_library_out = inactivity.refuses_library;
  if (!inactivity.reason.empty())
    Complain(kName, absl::StrCat("ahead is not active in '", command[0], "': ", inactivity.reason));

  const JsonFile json(given.json);
  if (json.is_wanted() && !json.is_open()) return Fail(json.Fault());

  const std::vector<Arm> arms = settings.arms;
  absl::StatusOr<AbExperiment> experiment = AbExperiment::Prepare(std::move(settings));
  if (!experiment.ok()) return Fail(std::string(experiment.status().message()));
  const absl::StatusOr<AbResult> result = experiment->Run(ShowProgress);
  EndProgress();
  if (absl::IsCancelled(result.status())) {
    Complain(kName, std::string(result.status().message()));
    DieBy(experiment->interrupted_by());
  }
  if (!result.ok()) return Fail(std::string(result.status().message()));

  Print(FormatAb(*result, experiment->cooler()));
  for (size_t arm = 0; arm < arms.size(); ++arm)
    if (const std::optional<Snapshot> events = experiment->Events(arm))
      Print(events->total.processes > 0
                ? absl::StrCat("\nEvents of all runs of ", arms[arm].name, ":\n\n", FormatTables(*events))
                : absl::StrCat("\nNo events of ", arms[arm].name, ": ahead was active in none of its processes\n"));
  if (!json.is_wanted()) return 0;
  return json.Write(FormatAbJson(*result, experiment->cooler())) ? 0 : Fail(json.Fault());
}

}  // namespace

void AddAbCommand(CLI::App& app, const std::vector<std::string>& command, int& exit_status) {
  const auto given = std::make_shared<Given>();
  CLI::App* ab = app.add_subcommand("ab", "Compare a command's run time under different settings");
  SetUsage(*ab, "ahead ab --arm NAME[:OPTION=VALUE,...]... [--OPTION VALUE]... -- COMMAND [ARGUMENT]...");
  ab->add_option(
        "--arm", given->arms,
        "what to compare, at least twice; the others are compared with the first. 'bare' is the command without "
        "the library, any other name the options of `ahead run` given after ':', e.g. ratio100:ratio=100")
      ->type_name("NAME[:OPTION=VALUE,...]")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  AddWholeNumber(*ab, "--runs", given->rounds, 1, 100000,
                 "runs of each arm (30, or 15 when one takes longer than 2 s)");
  AddChoice(*ab, "--cold", given->cold, {"auto", "drop", "evict", "none"},
            "before each run: drop all caches of the machine (root), evict the files the command reads, nothing; "
            "auto: drop as root, else evict");
  ab->add_flag("--ignore-output", given->ignores_output, "compare times also where the arms print different things");
  ab->add_option("--json", given->json, "write every time measured to this file")->type_name("FILE");
  AddWholeNumber(*ab, "--seed", given->seed, 0, INT64_MAX, "of the random order and the intervals, to repeat a report");
  ab->footer(
      "Each round runs every arm once, in random order. The command gets no input and prints into a pipe; its output "
      "and\n"
      "exit status must be the same in all runs. Which files it reads is found out in a first run that is not timed.\n"
      "Exit status: 0 when a comparison was made, whatever it says; 1 when not; 2 for bad usage.");
  ab->callback([given, &command, &exit_status] {
    RequireCommand(command, "ahead ab --arm NAME --arm NAME -- COMMAND");
    exit_status = CompareArms(*given, command);
  });
}

}  // namespace ahead::cli
