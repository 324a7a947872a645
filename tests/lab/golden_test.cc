// Does the core still decide as it did when that was last accepted, and does the laboratory still say the same of it?
// A difference is not an error in itself: it is printed, and accepted by `cmake --build BUILD --target accept-scores`.
#include <gtest/gtest.h>

#include <string>

#include "tests/lab/score_file.h"

namespace ahead::lab_test {
namespace {

class GoldenTest : public testing::TestWithParam<NamedTrace> {};

TEST_P(GoldenTest, DecisionsAndScoresAreThoseLastAccepted) {
  const auto golden = ReadGolden(GetParam().name);
  const Scores scores = Measure(Load(GetParam()));
  EXPECT_EQ(golden.size(), scores.size());
  std::string changed;
  for (const auto& [cell, score] : scores) {
    const auto line = golden.find(cell);
    changed += Difference(cell, line == golden.end() ? "" : line->second, score);
  }
  if (!changed.empty()) {
    ADD_FAILURE() << GetParam().name << "\n"
                  << changed << "To accept: cmake --build BUILD --target accept-scores, and commit tests/lab/golden.";
  }
}

INSTANTIATE_TEST_SUITE_P(Trace, GoldenTest, testing::ValuesIn(CommittedTraces()), [](const auto& trace) {
  std::string name = trace.param.name;
  for (char& letter : name)
    if (letter == '-') letter = '_';
  return name;
});

}  // namespace
}  // namespace ahead::lab_test
