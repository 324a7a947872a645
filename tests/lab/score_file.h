// What did the laboratory say of a trace when it was last accepted? Reads and writes the files of golden/: one a trace,
// one line a cell, so that a change can be read in a diff.
#pragma once

#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "sim/lab.h"
#include "sim/workload.h"

namespace ahead::lab_test {

struct NamedTrace {
  std::string name;  // without .trace
  std::string path;

  friend std::ostream& operator<<(std::ostream& out, const NamedTrace& trace) { return out << trace.name; }
};

// Returns the traces of bench/traces, in the order of their names.
std::vector<NamedTrace> CommittedTraces();

// Loads what the laboratory runs. A trace that cannot be read ends the process, with the reason.
sim::Workload Load(const NamedTrace& trace);

// By device and policy, in the order of the score table.
using Scores = std::vector<std::pair<std::string, sim::LabScore>>;

// Runs all devices and policies of the score table.
Scores Measure(const sim::Workload& work);

// Returns the text of a golden file.
std::string Write(const Scores& scores);

// Returns the lines of a golden file by their cell ("net-2ms adaptive"); empty when there is no such file.
std::map<std::string, std::string> ReadGolden(const std::string& name);

// Returns the path of the golden file of a trace.
std::string GoldenPath(const std::string& name);

// Says what became of a cell: time, requests, bytes and waste, as they were and as they are. `was`: its golden line.
std::string Difference(const std::string& cell, const std::string& was, const sim::LabScore& is);

}  // namespace ahead::lab_test
