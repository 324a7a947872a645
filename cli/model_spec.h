// Which device does a text name? The devices of the score table, and others made of them:
//
//   net-2ms
//   net:latency=5ms,bandwidth=100MB/s,in_flight=64
//   hdd:rotation=off,memory=64MiB
//   net-2ms:memory=64MiB
//
// What is not said is as in the device named, or as the model has it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "sim/lab.h"

namespace ahead::cli {

// Returns the device, named as the text. Errors, one line: which word is refused, and what is accepted.
absl::StatusOr<sim::LabDevice> ParseModel(const std::string& text);

// Returns an empty text, or why `text` names no device.
std::string CheckModel(const std::string& text);

// Adds the option --device, which may be given several times, to a command that runs cells of the laboratory.
void AddDevices(CLI::App& app, std::vector<std::string>& devices);

// Returns the devices of such texts, which were checked when they were given; without any, those of the score table.
std::vector<sim::LabDevice> DevicesOf(const std::vector<std::string>& texts);

// Returns the names and settings that there are, for --help.
std::string DescribeModels();

}  // namespace ahead::cli
