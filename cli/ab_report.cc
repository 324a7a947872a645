#include "cli/ab_report.h"

#include <sys/utsname.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace ahead::cli {
namespace {

// The arms of one round by their letters, in the order they ran.
std::string Letters(const std::vector<size_t>& order) {
  std::string letters;
  for (const size_t arm : order) letters += static_cast<char>('a' + arm);
  return letters;
}

std::string FormatOrders(const std::vector<std::vector<size_t>>& orders) {
  std::vector<std::string> rounds;
  for (const auto& order : orders) rounds.push_back(Letters(order));
  return absl::StrJoin(rounds, " ");
}

std::string FormatCold(const Cooler& cooler) {
  if (cooler.method() == ColdMethod::kNone) return "no: files stay as they are";
  std::string text =
      cooler.method() == ColdMethod::kDrop ? "drop_caches before each run" : "files evicted before each run";
  if (cooler.file_count() == 0) return text + "; no file was seen that the command reads";
  absl::StrAppend(&text, "; ", cooler.file_count(), cooler.file_count() == 1 ? " file" : " files", ", looked at ",
                  cooler.checked(), " times: ");
  const size_t known = cooler.checked() - cooler.unknown();
  if (!cooler.warm().empty())
    absl::StrAppend(&text, "NOT ALL COLD");
  else if (known == cooler.checked())
    absl::StrAppend(&text, "all cold");
  else
    absl::StrAppend(&text, known, " times cold");
  if (cooler.unknown() > 0) absl::StrAppend(&text, "; cannot be told ", cooler.unknown(), " times (files of others)");
  return text;
}

// The files that could not be made cold, worst first.
std::string FormatWarm(const Cooler& cooler) {
  constexpr size_t kShown = 3;
  std::vector<std::pair<std::string, Cooler::Warm>> files(cooler.warm().begin(), cooler.warm().end());
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.second.most_bytes > b.second.most_bytes; });
  std::string text;
  for (size_t i = 0; i < std::min(kShown, files.size()); ++i)
    absl::StrAppendFormat(
        &text, "         %s: up to %.1f MB stayed in memory before %d runs (dirty, or mapped by a program)\n",
        files[i].first, static_cast<double>(files[i].second.most_bytes) / 1e6, files[i].second.times);
  if (files.size() > kShown) absl::StrAppend(&text, "         and ", files.size() - kShown, " more files\n");
  return text;
}

std::string FormatArm(char letter, const ArmTimes& arm, size_t name_width) {
  return absl::StrFormat("%c  %-*s %6d %10.3f %10.3f %10.3f\n", letter, static_cast<int>(name_width), arm.name,
                         arm.real_s.size(), Median(arm.real_s), Median(arm.user_s), Median(arm.sys_s));
}

const char* VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kTooFewPairs:
      return "too few pairs";
    case Verdict::kNoDifference:
      return "no difference";
    case Verdict::kFaster:
      return "faster";
    case Verdict::kSlower:
      break;
  }
  return "slower";
}

nlohmann::json ColdJson(const Cooler& cooler) {
  nlohmann::json cold = {{"method", ColdMethodName(cooler.method())},
                         {"files", cooler.file_count()},
                         {"checks", cooler.checked()},
                         {"checks_unknown", cooler.unknown()},
                         {"files_not_cold", cooler.warm().size()}};
  return cold;
}

nlohmann::json MachineJson() {
  utsname machine = {};
  uname(&machine);
  return {
      {"kernel", machine.release}, {"architecture", machine.machine}, {"cpus", std::thread::hardware_concurrency()}};
}

}  // namespace

std::string FormatAb(const AbResult& result, const Cooler& cooler) {
  size_t name_width = 12;
  for (const ArmTimes& arm : result.arms) name_width = std::max(name_width, arm.name.size());

  std::string text = absl::StrCat("command  ", absl::StrJoin(result.command, " "), "\n");
  absl::StrAppend(&text, "output   ", result.output_bytes, " bytes, exit status ", result.exit_status, ", ",
                  result.was_output_compared ? "the same in all runs" : "output not compared", "\n");
  absl::StrAppend(&text, "cold     ", FormatCold(cooler), "\n", FormatWarm(cooler));
  absl::StrAppend(&text, "order    ", FormatOrders(result.orders), " (seed ", result.seed, ")\n\n");
  absl::StrAppendFormat(&text, "   %-*s %6s %10s %10s %10s\n", static_cast<int>(name_width), "median of", "runs",
                        "real s", "user s", "sys s");
  for (size_t arm = 0; arm < result.arms.size(); ++arm)
    text += FormatArm(static_cast<char>('a' + arm), result.arms[arm], name_width);
  text += "\n";
  for (size_t i = 0; i < result.comparisons.size(); ++i)
    absl::StrAppend(&text, Sentence(result.comparisons[i], result.arms[0].name, result.arms[i + 1].name), "\n");
  return text;
}

std::string FormatAbJson(const AbResult& result, const Cooler& cooler) {
  nlohmann::json arms = nlohmann::json::array();
  for (const ArmTimes& arm : result.arms)
    arms.push_back({{"name", arm.name},
                    {"options", arm.options},
                    {"real_s", arm.real_s},
                    {"user_s", arm.user_s},
                    {"sys_s", arm.sys_s},
                    {"median_real_s", Median(arm.real_s)},
                    {"median_user_s", Median(arm.user_s)},
                    {"median_sys_s", Median(arm.sys_s)}});
  nlohmann::json comparisons = nlohmann::json::array();
  for (size_t i = 0; i < result.comparisons.size(); ++i) {
    const Comparison& found = result.comparisons[i];
    comparisons.push_back({{"arm", result.arms[i + 1].name},
                           {"reference", result.arms[0].name},
                           {"pairs", found.pair_count},
                           {"speedup", found.speedup},
                           {"interval_95", {found.likely.low, found.likely.high}},
                           {"interval_99", {found.certain.low, found.certain.high}},
                           {"verdict", VerdictName(found.verdict)},
                           {"sentence", Sentence(found, result.arms[0].name, result.arms[i + 1].name)}});
  }
  const std::string& program = result.command.front();
  const nlohmann::json all = {{"program", program.substr(program.rfind('/') + 1)},
                              {"machine", MachineJson()},
                              {"exit_status", result.exit_status},
                              {"output_bytes", result.output_bytes},
                              {"output_compared", result.was_output_compared},
                              {"seed", result.seed},
                              {"cold", ColdJson(cooler)},
                              {"orders", result.orders},
                              {"arms", arms},
                              {"comparisons", comparisons}};
  return all.dump(2) + "\n";
}

}  // namespace ahead::cli
