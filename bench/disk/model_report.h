// What does the report say of the disk that is imitated?
#pragma once

#include <nlohmann/json.hpp>

#include "sim/devices/device.h"

namespace ahead::disk {

// Returns the model's name and its parameters, each with its unit.
nlohmann::ordered_json DescribeModel(const sim::DeviceParameters& parameters);

}  // namespace ahead::disk
