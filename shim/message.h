// The few words that the library ever says: one line on standard error, about a setting it cannot follow.
#pragma once

#include <cstddef>

namespace ahead {

// Notes what standard error is, before the first line. A host that closes it may put a file of its own on the number:
// nothing is said there.
void RememberStandardError() noexcept;

// Says that the value of `entry` ("NAME=value") is not accepted by option `row`, and what would be.
void ReportBadOption(size_t row, const char* entry) noexcept;

// Says that the file a variable names cannot be used, and errno's number.
void ReportBadFile(const char* variable, const char* path) noexcept;

}  // namespace ahead
