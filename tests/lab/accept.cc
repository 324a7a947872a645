// Accepts what the laboratory says today: writes the golden files anew, and says what changed.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/lab/score_file.h"

int main() {
  using namespace ahead::lab_test;
  for (const NamedTrace& trace : CommittedTraces()) {
    const auto golden = ReadGolden(trace.name);
    const Scores scores = Measure(Load(trace));
    for (const auto& [cell, score] : scores) {
      const auto line = golden.find(cell);
      const std::string changed = Difference(cell, line == golden.end() ? "" : line->second, score);
      if (!changed.empty()) std::printf("%s %s", trace.name.c_str(), changed.c_str());
    }
    std::filesystem::create_directories(std::filesystem::path(GoldenPath(trace.name)).parent_path());
    std::ofstream file(GoldenPath(trace.name));
    file << Write(scores);
    if (!file.flush()) return std::perror(GoldenPath(trace.name).c_str()), 1;
  }
  return 0;
}
