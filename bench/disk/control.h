// What do `ahead-disk --query`, `--reset` and `--unmount` ask of a mounted disk, and where is a report kept?
#pragma once

#include <string>

namespace ahead::disk {

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
