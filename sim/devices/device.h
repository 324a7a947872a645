// Which disk is being imitated, and when does it answer? The one list of models, shared by the simulator, which calls
// them in virtual time, and by ahead-disk, which calls them with the clock. A further model is a further alternative.
//
// A device takes requests in the order of their arrival and may answer them in another. How many may be at the device
// at a time is not its affair: the mount's queue sees to that.
#pragma once

#include <cstdint>
#include <variant>

#include "core/units.h"
#include "sim/devices/net_device.h"

namespace ahead::sim {

using DeviceParameters = std::variant<NetParameters>;

// Thread safety: none.
class Device {
 public:
  explicit Device(const DeviceParameters& parameters)
      : model_(std::visit([](const auto& chosen) { return ModelOf(chosen); }, parameters)) {}

  // Takes a request. REQUIRES: `now` is not below that of any earlier call, nor below NextAnswer() of then.
  void Submit(Nanos now, const DeviceRequest& request) {
    std::visit([&](auto& model) { model.Submit(now, request); }, model_);
  }

  // Returns when the next answer leaves if nothing more is submitted until then; kNever when nothing is at the device.
  Nanos NextAnswer() const {
    return std::visit([](const auto& model) { return model.NextAnswer(); }, model_);
  }

  // Takes the request that is answered at NextAnswer(). REQUIRES: NextAnswer() < kNever.
  DeviceRequest TakeAnswer() {
    return std::visit([](auto& model) { return model.TakeAnswer(); }, model_);
  }

  // Returns how long the transfer alone of `size` bytes takes.
  Nanos TransferTime(ByteCount size) const {
    return std::visit([&](const auto& model) { return model.TransferTime(size); }, model_);
  }

 private:
  static NetDevice ModelOf(const NetParameters& parameters) { return NetDevice(parameters); }

  std::variant<NetDevice> model_;
};

}  // namespace ahead::sim
