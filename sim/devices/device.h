// Which disk is being imitated, and when does it answer? The one list of models, shared by the simulator, which calls
// them in virtual time, and by ahead-disk, which calls them with the clock. A further model is a further alternative.
//
// A device takes requests in the order of their arrival and may answer them in another. How many may be at the device
// at a time is not its affair: the mount's queue sees to that.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "core/units.h"
#include "sim/devices/hdd_device.h"
#include "sim/devices/net_device.h"
#include "sim/devices/placement.h"
#include "sim/devices/ssd_device.h"

namespace ahead::sim {

using DeviceParameters = std::variant<NetParameters, HddParameters, SsdParameters>;

// Thread safety: none.
class Device {
 public:
  // Takes where the files lie; all the same to net.
  explicit Device(const DeviceParameters& parameters, Placement placement = {})
      : model_(std::visit([&](const auto& chosen) { return ModelOf(chosen, std::move(placement)); }, parameters)) {}

  // Takes a request, which may change NextAnswer(). Answers due before `now` need not have been taken. REQUIRES: `now`
  // is not below that of any earlier call, nor below the time of an answer that was taken.
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

  // Returns how often an arm has moved so far; 0 for a device without one.
  int64_t ArmMoves() const {
    const auto* hdd = std::get_if<HddDevice>(&model_);
    return hdd != nullptr ? hdd->seeks() : 0;
  }

  // Returns how long an arm and its platter took to reach the data so far, transfers not counted.
  Nanos Positioning() const {
    const auto* hdd = std::get_if<HddDevice>(&model_);
    return hdd != nullptr ? hdd->positioning() : Nanos{};
  }

 private:
  using Model = std::variant<NetDevice, HddDevice, SsdDevice>;

  static Model ModelOf(const NetParameters& parameters, Placement) { return NetDevice(parameters); }
  static Model ModelOf(const HddParameters& parameters, Placement placement) {
    return HddDevice(parameters, std::move(placement));
  }
  static Model ModelOf(const SsdParameters& parameters, Placement placement) {
    return SsdDevice(parameters, std::move(placement));
  }

  Model model_;
};

}  // namespace ahead::sim
