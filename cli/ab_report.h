// What an A/B comparison found, as text for people and as JSON for programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/ab_statistics.h"
#include "cli/cold.h"

namespace ahead::cli {

struct ArmTimes {
  std::string name;
  std::string options;                        // "name=value", one a line
  std::vector<double> real_s, user_s, sys_s;  // one a round
};

struct AbResult {
  std::vector<std::string> command;
  int exit_status = 0;
  uint64_t output_bytes = 0;
  bool was_output_compared = true;
  uint64_t seed = 0;
  std::vector<ArmTimes> arms;
  std::vector<std::vector<size_t>> orders;
  std::vector<Comparison> comparisons;  // of arm i + 1 with arm 0, by real time
};

// Returns the result as lines of text; the last ones are the verdicts.
std::string FormatAb(const AbResult& result, const Cooler& cooler);

// Returns the result as JSON, with every time measured. The command appears by its name only: arguments are the user's.
std::string FormatAbJson(const AbResult& result, const Cooler& cooler);

}  // namespace ahead::cli
