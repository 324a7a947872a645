// What was asked for on the command line of ahead-disk?
#pragma once

#include <string>

#include "bench/disk/faults.h"
#include "core/units.h"
#include "sim/devices/device.h"

namespace ahead::disk {

enum class Action { kServe, kQuery, kReset, kUnmount };

struct DiskOptions {
  Action action = Action::kServe;
  std::string source;
  std::string mountpoint;

  sim::DeviceParameters device = sim::NetParameters{};
  Nanos metadata_latency = 2_ms;

  int in_flight = 12;  // the kernel's own max_background
  ByteCount readahead = 128_KiB;
  ByteCount max_request = 1_MiB;
  bool keep_cache = false;
  bool direct_io = false;
  Nanos attribute_timeout = 1_s;

  ByteRange fail_at;  // of every file; empty: nothing fails
  DieAfter die_after;

  std::string report;  // empty: none is written
  std::string log;     // as well
  bool preload = true;
  bool foreground = false;
};

// Parses the command line. Returns -1 when `options` is filled and the work can begin, else the exit status: 0 after
// --help or --version, 2 after bad usage, which prints one line that names the option, the value and what is accepted.
int ParseDiskOptions(int argc, char** argv, DiskOptions& options);

}  // namespace ahead::disk
