// Which disk is being imitated? The one list of models; a further one is a further alternative of the variant.
#pragma once

#include <variant>

#include "bench/disk/net_model.h"
#include "core/units.h"

namespace ahead::disk {

using Model = std::variant<NetModel>;

// Returns when `model` answers a read of `size` bytes that arrived at `arrival`.
inline Nanos Admit(Model& model, Nanos arrival, ByteCount size) {
  return std::visit([&](auto& disk) { return disk.Admit(arrival, size); }, model);
}

// Returns how long the transfer alone of `size` bytes takes in `model`.
inline Nanos TransferTime(const Model& model, ByteCount size) {
  return std::visit([&](const auto& disk) { return disk.TransferTime(size); }, model);
}

}  // namespace ahead::disk
