// What is asked for at a time: slots of a track as pieces of bytes.
#pragma once

#include <cstdint>

#include "core/access.h"
#include "core/decision.h"
#include "core/facts.h"
#include "core/stream.h"
#include "core/track.h"

namespace ahead {

// More pieces than this are not issued in one call of the host.
inline constexpr int32_t kMostPieces = 64;

// Returns how many slots of a track one piece takes: the unit in which windows are sized.
int64_t UnitOf(const Track& track, const Facts& facts);

// Returns the facts with the piece that suits the stream, of a description with that standing advice.
//
// FADV_SEQUENTIAL doubles the kernel's window, and one call of readahead then takes as much. Measured on FUSE, window
// 128 KiB, Linux 6.18: of 1 MiB asked for 128 KiB are taken, in one request, and 256 KiB with the advice; of
// loop-mounted ext4 either way what the device takes, 1280 KiB. A request of twice the size has its first byte come
// later, which files of a few requests pay for, and it carries twice as much where the mount takes no more requests: so
// it is for streams that are far from their begin, or far ahead. Simulated (ahead score): cat at 20 ms takes 478 ms
// instead of 875, and 1.1 times the kernel's requests instead of 2.0; with all pieces so large md5sum-walk took 1.06
// times as long.
Facts WithPieceOf(const Stream& stream, HostAdvice advice, const Facts& facts);

// Returns the decision that asks for the slots [begin, end) of a track, begin < end: its pieces and its bounds.
Decision Describe(const Track& track, int64_t begin, int64_t end, const Facts& facts);

}  // namespace ahead
