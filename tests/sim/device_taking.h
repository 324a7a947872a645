// Takes the answers of a device and says when each left, for the tests of the models.
#pragma once

#include <utility>
#include <vector>

#include "sim/devices/request.h"

namespace ahead::sim {

using Answers = std::vector<std::pair<uint64_t, int64_t>>;  // request's number, time in nanoseconds

// Takes all answers, the ones that are due first first.
template <typename Device>
Answers TakeAll(Device& device) {
  Answers answers;
  while (device.NextAnswer() < kNever) {
    const Nanos time = device.NextAnswer();
    answers.emplace_back(device.TakeAnswer().number, time.value);
  }
  return answers;
}

// Returns a request of `size` bytes at `begin` of file 1.
inline DeviceRequest Request(uint64_t number, int64_t begin, int64_t size) {
  return {number, 1, {{begin}, {begin + size}}};
}

}  // namespace ahead::sim
