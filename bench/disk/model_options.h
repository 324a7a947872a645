// Which disk was asked for on the command line, and with which figures?
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/devices/device.h"

namespace ahead::disk {

// Returns the name of the model as `--model` takes it: net, hdd, ssd.
std::string_view NameOf(const sim::DeviceParameters& parameters);

// `--model` and the options of each model.
class ModelOptions {
 public:
  // Adds them to `app`, which must be parsed while the object lives.
  explicit ModelOptions(CLI::App& app);
  ModelOptions(const ModelOptions&) = delete;
  ModelOptions& operator=(const ModelOptions&) = delete;

  // Returns the model that was parsed. Throws CLI::ParseError when an option of another model was given.
  sim::DeviceParameters Chosen() const;

 private:
  struct Limited {
    CLI::Option* option;
    std::vector<std::string_view> models;  // that have it
  };

  std::string model_ = "net";
  Nanos latency_{};        // of net or ssd, if given
  int64_t bandwidth_ = 0;  // as well
  CLI::Option* latency_option_;
  CLI::Option* bandwidth_option_;
  sim::HddParameters hdd_;
  sim::SsdParameters ssd_;
  std::vector<Limited> limited_;
};

}  // namespace ahead::disk
