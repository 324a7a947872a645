#include "cli/usage.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace ahead::cli {
namespace {

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

// The parser that saw the offending word: the subcommand in use, or the top.
const CLI::App& ActiveParser(const CLI::App& app) {
  const auto subcommands = app.get_subcommands();
  return subcommands.empty() ? app : *subcommands.front();
}

std::string Suggestion(const std::string& nearest) {
  return nearest.empty() ? "" : absl::StrCat("; did you mean ", nearest, "?");
}

std::string ExplainUnexpected(const CLI::App& parser, const std::string& word) {
  if (word.size() > 1 && word[0] == '-') {
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> names;
    for (const CLI::Option* option : parser.get_options())
      for (const std::string& known : option->get_lnames()) names.push_back("--" + known);
    return absl::StrCat("unknown option ", name, Suggestion(NearestName(name, names)), " (see --help)");
  }
  std::vector<std::string> names;
  for (const CLI::App* subcommand : parser.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(subcommand->get_name());
  if (names.empty()) return absl::StrCat("unexpected argument '", word, "'");
  const std::string nearest = NearestName(word, names);
  return absl::StrCat(
      "unknown command '", word, "'",
      nearest.empty() ? absl::StrCat("; it is one of ", absl::StrJoin(names, ", ")) : Suggestion(nearest));
}

constexpr size_t kHelpWidth = 100;

// Returns `text` with line breaks in place of spaces, so that lines are no longer than `width` where words allow it.
std::string Wrapped(std::string text, size_t width) {
  size_t begin = 0, space = std::string::npos;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') begin = i + 1, space = std::string::npos;
    if (text[i] == ' ') space = i;
    if (i - begin < width || space == std::string::npos || space < begin) continue;
    text[space] = '\n';
    begin = space + 1;
    space = std::string::npos;
  }
  return text;
}

class UsageFormatter : public CLI::Formatter {
 public:
  explicit UsageFormatter(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App*, std::string) const override { return "Usage: " + usage_ + "\n"; }
  std::string make_option_desc(const CLI::Option* option) const override {
    return Wrapped(CLI::Formatter::make_option_desc(option), kHelpWidth - get_column_width());
  }

 private:
  std::string usage_;
};

}  // namespace

void SetUsage(CLI::App& app, const std::string& usage) { app.formatter(std::make_shared<UsageFormatter>(usage)); }

void Complain(const std::string& command, const std::string& message) {
  std::string line = absl::StrCat("ahead", command.empty() ? "" : " ", command, ": ", message);
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += '\n';
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

void RequireCommand(const std::vector<std::string>& command, const std::string& usage) {
  if (command.empty()) throw CLI::ValidationError("COMMAND", absl::StrCat("none given; usage: ", usage));
}

CLI::Option* AddWholeNumber(CLI::App& app, const std::string& name, int64_t& target, int64_t min, int64_t max,
                            const std::string& help) {
  const auto check = [min, max](std::string& text) -> std::string {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size() && min <= value && value <= max) return "";
    return absl::StrCat("'", text, "' is not a whole number from ", min, " to ", max);
  };
  return app.add_option(name, target, help)->check(CLI::Validator(check, ""))->type_name("N");
}

CLI::Option* AddChoice(CLI::App& app, const std::string& name, std::string& target, std::vector<std::string> choices,
                       const std::string& help) {
  const std::string type_name = absl::StrJoin(choices, "|");
  const auto check = [choices = std::move(choices)](std::string& text) -> std::string {
    if (std::find(choices.begin(), choices.end(), text) != choices.end()) return "";
    return absl::StrCat("'", text, "' is not one of ", absl::StrJoin(choices, ", "));
  };
  return app.add_option(name, target, help)->check(CLI::Validator(check, ""))->type_name(type_name);
}

std::string NearestName(const std::string& word, const std::vector<std::string>& candidates) {
  std::string nearest;
  size_t least = word.size() / 3 + 2;
  for (const std::string& candidate : candidates) {
    const size_t distance = EditDistance(word, candidate);
    if (distance < least) least = distance, nearest = candidate;
  }
  return nearest;
}

std::string ExplainRefusal(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& parser = ActiveParser(app);
  const bool is_missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (is_missing || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> words = app.remaining(true);
    if (!words.empty()) return ExplainUnexpected(parser, words.front());
  }
  if (is_missing && &parser == &app) {
    std::vector<std::string> names;
    for (const CLI::App* subcommand : app.get_subcommands([](const CLI::App*) { return true; }))
      names.push_back(subcommand->get_name());
    return absl::StrCat("no command given; it is one of ", absl::StrJoin(names, ", "), " (see --help)");
  }
  return error.what();
}

}  // namespace ahead::cli
