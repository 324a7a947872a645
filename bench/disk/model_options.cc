#include "bench/disk/model_options.h"

#include <algorithm>
#include <charconv>

#include "bench/disk/quantity_option.h"

namespace ahead::disk {
namespace {

std::optional<std::string> ParseModel(std::string_view text) {
  if (text != "net" && text != "hdd" && text != "ssd") return std::nullopt;
  return std::string(text);
}

std::optional<int32_t> ParseChannels(std::string_view text) {
  int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > 1024) return std::nullopt;
  return value;
}

std::optional<ByteCount> ParsePositiveSize(std::string_view text) {
  const auto value = ParseSize(text);
  return value && *value > 0_B ? value : std::nullopt;
}

std::optional<Nanos> ParseRevolution(std::string_view text) {
  const auto value = ParseTime(text);
  return value && *value > 0_ns && *value <= 10_s ? value : std::nullopt;
}

}  // namespace

std::string_view NameOf(const sim::DeviceParameters& parameters) {
  static constexpr std::string_view kNames[] = {"net", "hdd", "ssd"};
  return kNames[parameters.index()];
}

ModelOptions::ModelOptions(CLI::App& app) {
  AddQuantity(app, "--model", model_, ParseModel, "MODEL", "net, hdd or ssd",
              "The disk to imitate: net, a link (default); hdd, one with an arm; ssd, one of flash chips");
  latency_option_ = AddQuantity(app, "--latency", latency_, ParseTime, "TIME", kTimeAccepted,
                                "net: time of one request without its transfer; overlaps (default 2ms)\n"
                                "ssd: of one read of a chip (default 80us)");
  bandwidth_option_ = AddQuantity(app, "--bandwidth", bandwidth_, ParseRate, "RATE", kRateAccepted,
                                  "net, ssd: of the one pipe that all share, decimal (default 500MB/s, 550MB/s)");
  for (CLI::Option* option : {latency_option_, bandwidth_option_}) limited_.push_back({option, {"net", "ssd"}});
  const auto add = [&](const char* model, const char* name, auto& target, auto parse, const char* type,
                       const char* accepted, const std::string& help) {
    limited_.push_back({AddQuantity(app, name, target, parse, type, accepted, model + (": " + help)), {model}});
  };
  add("hdd", "--settle", hdd_.settle, ParseTime, "TIME", kTimeAccepted, "the shortest seek (default 1ms)");
  add("hdd", "--full-stroke", hdd_.full_stroke, ParseTime, "TIME", kTimeAccepted, "the longest seek (default 15ms)");
  add("hdd", "--capacity", hdd_.capacity, ParsePositiveSize, "SIZE", kSizeAccepted,
      "what the longest seek spans; the files lie at its beginning (default 10^12 bytes)");
  add("hdd", "--transfer-rate", hdd_.transfer_per_second, ParseRate, "RATE", kRateAccepted,
      "of the head over a track (default 150MB/s)");
  add("hdd", "--rotation", hdd_.has_rotation, ParseSwitch, "on|off", "on or off",
      "is there a wait for the platter to turn (default on)");
  add("hdd", "--revolution", hdd_.revolution, ParseRevolution, "TIME", "a time above 0 and up to 10s",
      "of the platter (default 8.333333ms)");
  add("ssd", "--channels", ssd_.channels, ParseChannels, "N", "a whole number from 1 to 1024",
      "reads of chips at a time (default 8)");
  add("ssd", "--stripe", ssd_.stripe, ParsePositiveSize, "SIZE", kSizeAccepted,
      "one read of a chip; the next stripe is on the next channel (default 16KiB)");
}

sim::DeviceParameters ModelOptions::Chosen() const {
  for (const auto& [option, models] : limited_) {
    if (option->count() > 0 && std::find(models.begin(), models.end(), model_) == models.end())
      throw CLI::ValidationError(option->get_name() + ": model " + model_ + " has none", 2);
  }
  if (model_ == "hdd") {
    if (hdd_.settle > hdd_.full_stroke)
      throw CLI::ValidationError("--settle: more than --full-stroke; accepted: the shortest seek and the longest", 2);
    return hdd_;
  }
  const auto given = [&](auto parameters) {
    if (latency_option_->count() > 0) parameters.latency = latency_;
    if (bandwidth_option_->count() > 0) parameters.bandwidth_per_second = bandwidth_;
    return parameters;
  };
  if (model_ == "ssd") return given(ssd_);
  return given(sim::NetParameters{});
}

}  // namespace ahead::disk
