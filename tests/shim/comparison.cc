#include "tests/shim/comparison.h"

namespace ahead::shim_test {
namespace {

const char* const kPreload = "LD_PRELOAD=" AHEAD_LIBRARY;

Words With(Words argv, const std::string& file) {
  for (std::string& word : argv)
    if (word == kFile) word = file;
  return argv;
}

}  // namespace

ComparisonTest::ComparisonTest(size_t text_bytes) : text_(folder_.WriteText("text", text_bytes)) {
  if (disk_.is_mounted()) disk_.Copy(text_, "text");
}

Outcome ComparisonTest::ExpectSame(const Words& argv) {
  Outcome outcome = ExpectSameAs(With(argv, text_), {}, {kPreload});
  if (disk_.is_mounted())
    outcome = ExpectSameAs(With(argv, disk_.Path("text")), {}, {kPreload, "AHEAD_STATS=" + folder_.Path("statistics")});
  return outcome;
}

Outcome ComparisonTest::ExpectSameAs(const Words& argv, const Words& bare, const Words& preloaded) {
  const Outcome expected = RunBare(argv, bare);
  const Outcome outcome = RunBare(argv, preloaded);
  EXPECT_EQ(expected.out, outcome.out);
  EXPECT_EQ(expected.err, outcome.err);
  EXPECT_EQ(expected.status, outcome.status);
  return outcome;
}

}  // namespace ahead::shim_test
