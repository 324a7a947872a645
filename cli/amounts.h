// How are amounts written in a table for people? Short, and always the same way.
#pragma once

#include <cstdint>
#include <string>

#include "core/units.h"

namespace ahead::cli {

// Returns e.g. "17 B", "4.0 KiB", "1.5 MiB", "-512.0 KiB".
std::string FormatBytes(int64_t bytes);
inline std::string FormatBytes(ByteCount bytes) { return FormatBytes(bytes.value); }

// Returns e.g. "12 ns", "1.50 us", "3.25 ms", "12.000 s".
std::string FormatTime(Nanos time);

// Returns e.g. "12.5 %", and "-" when there is nothing to have a share of.
std::string FormatShare(uint64_t part, uint64_t whole);

}  // namespace ahead::cli
