// What a program and all its children and threads ask of the kernel, as strace sees it, and what of it a preload added,
// dropped, changed or moved.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/shim/host.h"

namespace ahead::shim_test {

using Calls = std::vector<std::string>;
// The calls of each thread. Its name is its place in the family: "1" the first, "1.2" the second that "1" made.
using SystemCallLog = std::map<std::string, Calls>;

// Says whether the library may ask this of its own accord, wherever it is: it is about a descriptor of the host's,
// about memory of its own, or about nothing.
bool IsOwnCall(const std::string& call);

// Says whether strace works here.
bool CanTrace();

// Runs argv with `variables` and returns its calls without what differs between two runs of the same: addresses,
// numbers of processes, times, when signals and wake-ups come.
SystemCallLog TraceCalls(const Words& argv, const Words& variables);

// Compares the calls of a preloaded run with those of a bare one, thread by thread. The bare ones must all be there,
// once and in their order; what comes on top must be what the library asks of its own accord, or the loading of
// `library` or the opening of `statistics`. Returns a line for each fault, at most a few for one thread.
std::vector<std::string> FindFaults(const SystemCallLog& bare, const SystemCallLog& preloaded,
                                    const std::string& library, const std::string& statistics = "");

}  // namespace ahead::shim_test
