// docs/options.md and the manual page list the options as options.def has them. To write them anew: AHEAD_WRITE_DOCS=1.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "core/options.h"
#include "tests/core/option_text.h"

namespace ahead {
namespace {

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
    out << "| " << row.name << " | " << row.variable << " | " << DefaultText(row) << " | "
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

// Text as roff has it: no hyphenation, no quotes made nice.
std::string Roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '-')
      escaped += "\\-";
    else if (c == '\'')
      escaped += "\\(aq";
    else if (c == '`')
      escaped += "\\(ga";
    else
      escaped += c;
  }
  return escaped;
}

std::string ExpectedManual() {
  constexpr const char* kValues[] = {"N", "bytes", "auto|off", "text"};
  std::ostringstream out;
  for (size_t i = 0; i < kOptionCount; ++i) {
    const OptionRow& row = OptionAt(i);
    std::string name = row.name;
    for (char& c : name) c = c == '_' ? '-' : c;
    char accepted[128];
    out << ".TP\n.BI " << Roff("--" + name) << " \" " << kValues[static_cast<size_t>(row.kind)] << "\"\n"
        << Roff(row.help) << ".\n";
    if (row.kind != OptionKind::kText)
      out << "Takes " << Roff(DescribeAccepted(i, accepted, sizeof accepted)) << "; default " << DefaultText(row)
          << ".\n";
    out << "Variable\n.BR " << row.variable << " .\n";
  }
  return out.str();
}

TEST(OptionsDocTest, ManualListsTheOptionsAsTheyAre) {
  const std::string path = std::string(AHEAD_SOURCE) + "/docs/man/ahead.1";
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  const std::string manual = text.str();
  const size_t begin = manual.find('\n', manual.find(".\\\" options: generated")) + 1;
  const size_t end = manual.find(".\\\" options end");
  ASSERT_NE(end, std::string::npos);
  ASSERT_LE(begin, end);
  if (getenv("AHEAD_WRITE_DOCS") != nullptr) {
    std::ofstream(path) << manual.substr(0, begin) << ExpectedManual() << manual.substr(end);
    return;
  }
  EXPECT_EQ(manual.substr(begin, end - begin), ExpectedManual());
}

}  // namespace
}  // namespace ahead
