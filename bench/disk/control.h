// What do `ahead-disk --query`, `--reset` and `--unmount` ask of a mounted disk, and where is a report kept?
#pragma once

#include <cstddef>
#include <string>

namespace ahead::disk {

// Extended attributes of the mount's root. Reading one waits until no read is in flight and yields the report as JSON;
// reading the second sets the counters to zero as well. Only the user who runs the disk, and root, may do that.
inline constexpr const char* kReportAttribute = "user.ahead-disk.report";
inline constexpr const char* kResetAttribute = "user.ahead-disk.reset";
inline constexpr size_t kMostReportBytes = 65536;  // XATTR_SIZE_MAX

// Reads attribute `name` (kReportAttribute or kResetAttribute) of the disk mounted at `mountpoint` and, for the report,
// prints it. Returns the exit status; failures print one line.
int AskDisk(const std::string& mountpoint, const char* name);

// Unmounts the disk mounted at `mountpoint` and waits until its process has ended, so that its report is written.
// Returns the exit status; failures print one line.
int UnmountDisk(const std::string& mountpoint);

// Replaces file `path` by `text` at once, so that a reader sees the old report or the new one, with mode 0600. Returns
// false with errno set when it cannot, and leaves the old file as it was.
bool WriteReport(const std::string& path, const std::string& text);

}  // namespace ahead::disk
