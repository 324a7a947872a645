// What goes wrong with the disk, when it was asked to? Bad sectors, and death: the arithmetic, without FUSE.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/units.h"

namespace ahead::disk {

inline constexpr const char* kFailAtAccepted = "OFFSET or OFFSET+LENGTH, sizes such as 1MiB+64KiB";
inline constexpr const char* kDieAfterAccepted = "a size such as 8MiB, or a number of reads such as 20reads";

// What the disk lives through before it dies; nothing: it does not.
struct DieAfter {
  std::optional<uint64_t> reads;
  std::optional<uint64_t> bytes;
};

// Parses `--fail-at` (a bad sector of 4 KiB where no length is said) and `--die-after`. Nothing for what the constants
// above do not describe.
std::optional<ByteRange> ParseFailAt(std::string_view text);
std::optional<DieAfter> ParseDieAfter(std::string_view text);

// Says whether a read of `asked` touches the bad range, so that all of it fails: a disk does not answer half a request.
bool IsBad(ByteRange bad, ByteRange asked);

// Says whether the read that comes after `reads` reads and `bytes` bytes is one that the disk does not live to answer.
bool IsDead(const DieAfter& die_after, uint64_t reads, uint64_t bytes);

}  // namespace ahead::disk
