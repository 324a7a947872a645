#include "cli/model_spec.h"

#include <cmath>
#include <functional>
#include <map>
#include <variant>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace ahead::cli {
namespace {

using sim::HddParameters;
using sim::LabDevice;
using sim::NetParameters;
using sim::SsdParameters;

struct Unit {
  const char* name;
  double factor;
};

// Takes a number with one of `units`, of which the first is that of a bare number. Returns false when it is none, is
// negative or does not fit.
bool ParseAmount(const std::string& text, const std::vector<Unit>& units, int64_t& amount) {
  const size_t end = text.find_first_not_of("0123456789.");
  const std::string unit = end == std::string::npos ? units[0].name : text.substr(end);
  double number = 0;
  if (end == 0 || !absl::SimpleAtod(text.substr(0, end), &number)) return false;
  for (const Unit& each : units) {
    if (unit != each.name) continue;
    number *= each.factor;
    if (number > 9e18) return false;
    amount = std::llround(number);
    return true;
  }
  return false;
}

bool ParseTime(const std::string& text, Nanos& time) {
  return ParseAmount(text, {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}}, time.value);
}

bool ParseBytes(const std::string& text, ByteCount& bytes) {
  constexpr double kKi = 1024, kMi = kKi * kKi, kGi = kMi * kKi;
  return ParseAmount(text,
                     {{"", 1},
                      {"B", 1},
                      {"K", kKi},
                      {"M", kMi},
                      {"G", kGi},
                      {"KiB", kKi},
                      {"MiB", kMi},
                      {"GiB", kGi},
                      {"TiB", kGi * kKi},
                      {"kB", 1e3},
                      {"MB", 1e6},
                      {"GB", 1e9},
                      {"TB", 1e12}},
                     bytes.value);
}

bool ParseRate(std::string text, int64_t& rate) {
  if (text.ends_with("/s")) text.resize(text.size() - 2);
  ByteCount bytes;
  if (!ParseBytes(text, bytes)) return false;
  rate = bytes.value;
  return true;
}

bool ParseCount(const std::string& text, int32_t& count) { return absl::SimpleAtoi(text, &count) && count > 0; }

bool ParseSwitch(const std::string& text, bool& is_on) {
  is_on = text == "on" || text == "yes" || text == "1";
  return is_on || text == "off" || text == "no" || text == "0";
}

// Pages are what a request is made of.
bool IsPages(ByteCount bytes) { return bytes.value > 0 && bytes.value % 4096 == 0; }

// Sets one thing of a device from a text; returns false when it is refused.
using Setter = std::function<bool(LabDevice&, const std::string&)>;

struct Setting {
  const char* accepted;
  Setter set;
};

// Returns a setter of a member of the model's parameters.
template <typename Parameters, typename Member, typename Parse>
Setter Of(Member Parameters::*member, Parse parse) {
  return [=](LabDevice& device, const std::string& text) {
    return parse(text, std::get<Parameters>(device.parameters).*member);
  };
}

bool ParsePositiveTime(const std::string& text, Nanos& time) { return ParseTime(text, time) && time.value > 0; }
bool ParsePositiveBytes(const std::string& text, ByteCount& bytes) {
  return ParseBytes(text, bytes) && bytes.value > 0;
}

constexpr const char* kTime = "a time such as 2ms";
constexpr const char* kRate = "bytes a second such as 500MB/s, 0: without limit";
constexpr const char* kBytes = "bytes such as 128KiB";
constexpr const char* kPages = "bytes such as 128KiB, a multiple of 4KiB";
constexpr const char* kCount = "a whole number above 0";
constexpr const char* kSwitch = "on or off";

std::map<std::string, Setting> CommonSettings() {
  return {
      {"in_flight",
       {kCount, [](LabDevice& device, const std::string& text) { return ParseCount(text, device.in_flight); }}},
      {"request",
       {kPages,
        [](LabDevice& device, const std::string& text) {
          return ParseBytes(text, device.max_request) && IsPages(device.max_request);
        }}},
      {"call",
       {kPages, [](LabDevice& device,
                   const std::string& text) { return ParseBytes(text, device.max_call) && IsPages(device.max_call); }}},
      {"window",
       {kPages,
        [](LabDevice& device, const std::string& text) {
          return ParseBytes(text, device.kernel_window) && IsPages(device.kernel_window);
        }}},
      {"memory",
       {"bytes such as 64MiB, 0: without bound",
        [](LabDevice& device, const std::string& text) { return ParseBytes(text, device.memory); }}},
      {"drops",
       {kSwitch, [](LabDevice& device, const std::string& text) { return ParseSwitch(text, device.drops_silently); }}},
      {"local",
       {kSwitch, [](LabDevice& device, const std::string& text) { return ParseSwitch(text, device.is_local); }}},
  };
}

std::map<std::string, Setting> SettingsOf(const sim::DeviceParameters& parameters) {
  std::map<std::string, Setting> settings = CommonSettings();
  if (std::holds_alternative<NetParameters>(parameters)) {
    settings["latency"] = {kTime, Of(&NetParameters::latency, ParseTime)};
    settings["bandwidth"] = {kRate, Of(&NetParameters::bandwidth_per_second, ParseRate)};
  } else if (std::holds_alternative<HddParameters>(parameters)) {
    settings["settle"] = {kTime, Of(&HddParameters::settle, ParseTime)};
    settings["stroke"] = {kTime, Of(&HddParameters::full_stroke, ParseTime)};
    settings["revolution"] = {kTime, Of(&HddParameters::revolution, ParsePositiveTime)};
    settings["capacity"] = {kBytes, Of(&HddParameters::capacity, ParsePositiveBytes)};
    settings["bandwidth"] = {kRate, Of(&HddParameters::transfer_per_second, ParseRate)};
    settings["rotation"] = {kSwitch, Of(&HddParameters::has_rotation, ParseSwitch)};
  } else {
    settings["channels"] = {kCount, Of(&SsdParameters::channels, ParseCount)};
    settings["latency"] = {kTime, Of(&SsdParameters::latency, ParseTime)};
    settings["stripe"] = {kBytes, Of(&SsdParameters::stripe, ParsePositiveBytes)};
    settings["bandwidth"] = {kRate, Of(&SsdParameters::bandwidth_per_second, ParseRate)};
  }
  return settings;
}

std::vector<std::string> DeviceNames() {
  std::vector<std::string> names;
  for (const LabDevice& device : sim::LabDevices()) names.push_back(device.name);
  return names;
}

std::vector<std::string> NamesOf(const std::map<std::string, Setting>& settings) {
  std::vector<std::string> names;
  for (const auto& [name, setting] : settings) names.push_back(name);
  return names;
}

absl::StatusOr<LabDevice> Base(const std::string& name) {
  if (const LabDevice* known = sim::FindLabDevice(name)) return *known;
  LabDevice device;
  if (name == "net") return device;
  std::vector<std::string> names = DeviceNames();
  names.push_back("net");
  return absl::InvalidArgumentError(absl::StrCat("'", name, "' is not one of ", absl::StrJoin(names, ", ")));
}

}  // namespace

absl::StatusOr<sim::LabDevice> ParseModel(const std::string& text) {
  const size_t colon = text.find(':');
  absl::StatusOr<LabDevice> device = Base(text.substr(0, colon));
  if (!device.ok()) return device;
  device->name = text;
  if (colon == std::string::npos) return device;
  const std::map<std::string, Setting> settings = SettingsOf(device->parameters);
  const std::vector<std::string> words = absl::StrSplit(text.substr(colon + 1), ',');
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    const auto setting = settings.find(word.substr(0, equals));
    if (equals == std::string::npos || setting == settings.end())
      return absl::InvalidArgumentError(
          absl::StrCat("'", word, "' is not NAME=VALUE with one of ", absl::StrJoin(NamesOf(settings), ", ")));
    if (!setting->second.set(*device, word.substr(equals + 1)))
      return absl::InvalidArgumentError(absl::StrCat("'", word, "' is not ", setting->second.accepted));
  }
  return device;
}

std::string CheckModel(const std::string& text) {
  const absl::StatusOr<LabDevice> device = ParseModel(text);
  return device.ok() ? "" : std::string(device.status().message());
}

void AddDevices(CLI::App& app, std::vector<std::string>& devices) {
  app.add_option("--device", devices, "a model; as often as there are to be; all six if not given")
      ->check(CLI::Validator([](std::string& text) { return CheckModel(text); }, ""))
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all()
      ->type_name("MODEL");
}

std::vector<LabDevice> DevicesOf(const std::vector<std::string>& texts) {
  if (texts.empty()) return sim::LabDevices();
  std::vector<LabDevice> devices;
  for (const std::string& text : texts) devices.push_back(*ParseModel(text));
  return devices;
}

std::string DescribeModels() {
  std::string text = absl::StrCat("Models: ", absl::StrJoin(DeviceNames(), ", "),
                                  ";\nor one of them, or net, with settings after a colon, e.g. "
                                  "net:latency=5ms,bandwidth=100MB/s.\n");
  const auto add = [&](const char* name, const sim::DeviceParameters& parameters) {
    absl::StrAppend(&text, "Settings of ", name, ": ", absl::StrJoin(NamesOf(SettingsOf(parameters)), " "), "\n");
  };
  add("net", NetParameters{});
  add("hdd", HddParameters{});
  add("ssd", SsdParameters{});
  return text;
}

}  // namespace ahead::cli
