// Which device does a text name? The devices of the score table, and others made of them:
//
//   net-2ms
//   net:latency=5ms,bandwidth=100MB/s,in_flight=64
//   hdd:rotation=off,memory=64MiB
//   net-2ms:memory=64MiB
//
// What is not said is as in the device named, or as the model has it.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "sim/lab.h"

namespace ahead::cli {

// Returns the device, named as the text. Errors, one line: which word is refused, and what is accepted.
absl::StatusOr<sim::LabDevice> ParseModel(const std::string& text);

// Returns an empty text, or why `text` names no device.
std::string CheckModel(const std::string& text);

// Returns the names and settings that there are, for --help.
std::string DescribeModels();

}  // namespace ahead::cli
