// The laboratory: what would a policy have made of a workload on a device? One cell is one deterministic run in virtual
// time; a table of cells runs on all processors. The same input gives the same output, whatever the number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/ledger.h"
#include "core/options.h"
#include "core/units.h"
#include "sim/devices/device.h"
#include "sim/memory_step.h"
#include "sim/workload.h"

namespace ahead::sim {

// A device with the mount and the machine around it.
struct LabDevice {
  std::string name;  // as in the table: net-0.2ms, hdd, ...
  DeviceParameters parameters;
  int32_t in_flight = 12;              // requests at the device at a time, whoever asks
  ByteCount max_request{1 << 20};      // the most that one request takes
  ByteCount max_call{128 << 10};       // the most that one call of readahead takes where the kernel's window is less
  ByteCount kernel_window{128 << 10};  // of the kernel's own readahead
  ByteCount memory;                    // for the page cache; 0: without bound
  std::vector<MemoryStep> steps;       // how it changes, in order; for a device with a bound
  bool drops_silently = true;          // as FUSE does when it is congested (design, fact 2)
  bool is_local = false;               // a disk of the machine's own: Facts::kernel_leads
};

// Returns the devices of the score table: net-0.2ms, net-2ms, net-20ms, hdd, ssd, net-2ms-64MiB.
const std::vector<LabDevice>& LabDevices();

// Returns the device of that name; null when there is none.
const LabDevice* FindLabDevice(const std::string& name);

enum class LabPolicyKind : uint8_t {
  kNone,        // nothing is read ahead, not even by the kernel: each read fetches what it lacks
  kKernelLike,  // the kernel alone
  kFixed,       // the kernel, and a fixed window ahead of every reader
  kAdaptive,    // the kernel, and our core: what a program under libahead.so gets
  kOracle,      // perfect knowledge of the workload, with the device's limit of requests in flight
  kOracleOpen,  // the same, but nothing of a file is fetched before the program has opened it
};

struct LabPolicy {
  std::string name;
  LabPolicyKind kind = LabPolicyKind::kAdaptive;
  Options engine;             // kAdaptive
  ByteCount window{8 << 20};  // kFixed
};

// Returns the policies of the score table: none, kernel, fixed-8MiB, adaptive, oracle-open, oracle.
const std::vector<LabPolicy>& LabPolicies();

// What a run came to.
struct LabScore {
  Nanos elapsed;
  int64_t reads = 0;
  int64_t waits = 0;  // reads that waited for the device
  ByteCount read_bytes;
  int64_t requests = 0;      // at the device
  ByteCount bytes;           // from the device
  ByteCount wasted_bytes;    // of these, never read before they were evicted or the run was over
  ByteCount repeated_bytes;  // of pages that had been there before
  ByteCount peak_ahead;      // the most that was in memory ahead of its readers
  // Was ahead of its readers whenever memory was lowered, together.
  ByteCount ahead_when_lowered;
  uint64_t decisions = 0;  // kAdaptive: that asked for something
  uint64_t digest = 0;     // kAdaptive: of all decisions, in order
  Ledger ledger{};         // kAdaptive: after all files were closed
};

// Runs one cell. Think times are those of the workload's recording.
LabScore RunCell(const Workload& work, const LabDevice& device, const LabPolicy& policy);

// Returns the least that must come from a device for `work`, whatever the policy: the pages read, and with a bound on
// memory those that perfect eviction (Belady's) must fetch again.
ByteCount LeastBytes(const Workload& work, ByteCount memory);

// What a request asks for: whole pages.
struct KernelRequest {
  uint32_t file = 0;
  ByteRange range;

  bool operator==(const KernelRequest&) const = default;
};

// Returns the requests that a kernel whose cache is empty makes for `work`, in order, when none is dropped and the
// device answers at once. `window`: read_ahead_kb; `max_request`: the most that one request takes.
std::vector<KernelRequest> KernelRequests(const Workload& work, ByteCount window, ByteCount max_request);

// One cell of a table: indices into the spans that RunCells is given.
struct LabCell {
  uint32_t workload = 0;
  uint32_t device = 0;
  uint32_t policy = 0;
};

// Runs all cells on as many threads as `threads` says (0: all processors). `on_done(cell index, score)` is called as
// cells end, one at a time, in any order. When `stop` becomes true no further cell begins. Returns the scores in the
// order of the cells; those that did not run have `reads` -1.
std::vector<LabScore> RunCells(std::span<const Workload> works, std::span<const LabDevice> devices,
                               std::span<const LabPolicy> policies, std::span<const LabCell> cells, int threads = 0,
                               const std::function<void(size_t, const LabScore&)>& on_done = {},
                               const std::atomic<bool>* stop = nullptr);

}  // namespace ahead::sim
