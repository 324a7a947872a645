// docs/options.md lists the options as options.def has them. To write it anew: AHEAD_WRITE_DOCS=1.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "core/options.h"

namespace ahead {
namespace {

std::string Bytes(int64_t value) {
  const char* units[] = {"", "KiB", "MiB", "GiB"};
  int unit = 0;
  while (unit < 3 && value != 0 && value % 1024 == 0) value /= 1024, ++unit;
  return std::to_string(value) + units[unit];
}

std::string Default(const OptionRow& row) {
  if (row.kind == OptionKind::kText) return "";
  if (row.kind == OptionKind::kNumber) return std::to_string(row.default_value);
  return row.default_value == 0 ? "auto" : Bytes(row.default_value);
}

std::string Expected() {
  std::ostringstream out;
  out << "# Options\n\n"
         "For `LD_PRELOAD=libahead.so program` as environment variables, for `ahead run` and the arms of `ahead ab` "
         "under\n"
         "the name in the first column (`--hit-rate` or `--hit_rate`). They are read once, when a program starts. "
         "`ahead\n"
         "run` refuses a bad value; the library alone keeps the default and says so in one line on stderr.\n\n"
         "| option | variable | default | accepts | meaning |\n|---|---|---|---|---|\n";
  for (size_t i = 0; i < kOptionCount; ++i) {
    const OptionRow& row = OptionAt(i);
    char accepted[128];
    out << "| " << row.name << " | " << row.variable << " | " << Default(row) << " | "
        << DescribeAccepted(i, accepted, sizeof accepted) << " | " << row.help << " |\n";
  }
  out << "\nGenerated from core/options.def; tests/core/options_doc_test.cc keeps it so.\n";
  return out.str();
}

TEST(OptionsDocTest, ListsTheOptionsAsTheyAre) {
  const std::string path = std::string(AHEAD_SOURCE) + "/docs/options.md";
  if (getenv("AHEAD_WRITE_DOCS") != nullptr) std::ofstream(path) << Expected();
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), Expected());
}

}  // namespace
}  // namespace ahead
