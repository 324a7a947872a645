#include "cli/command_line.h"

#include <algorithm>

namespace ahead::cli {
namespace {

bool IsLongOption(const std::string& word) { return word.size() > 2 && word[0] == '-' && word[1] == '-'; }

void JoinWithDashes(std::string& word) {
  std::replace(word.begin(), std::find(word.begin(), word.end(), '='), '_', '-');
}

bool TakesValue(const CLI::App& parser, const std::string& word) {
  if (word.find('=') != std::string::npos) return false;
  const CLI::Option* option = parser.get_option_no_throw(word);
  return option != nullptr && option->get_items_expected_min() > 0;
}

}  // namespace

std::vector<std::string> TakeCommand(const CLI::App& app, const std::vector<std::string>& takes_command,
                                     std::vector<std::string>& words) {
  if (words.empty()) return {};
  const bool has_command = std::find(takes_command.begin(), takes_command.end(), words[0]) != takes_command.end();
  const auto named = app.get_subcommands([&](const CLI::App* each) { return each->get_name() == words[0]; });
  const CLI::App* parser = named.empty() ? nullptr : named.front();
  size_t end = 1;
  bool found_separator = false;
  for (; end < words.size(); ++end) {
    if (words[end] == "--") {
      found_separator = true;
      break;
    }
    if (has_command && words[end][0] != '-') break;
    if (IsLongOption(words[end])) JoinWithDashes(words[end]);
    if (parser != nullptr && TakesValue(*parser, words[end])) ++end;
  }
  if (!has_command || end >= words.size()) return {};
  std::vector<std::string> command(words.begin() + static_cast<ptrdiff_t>(end) + (found_separator ? 1 : 0),
                                   words.end());
  words.resize(end);
  return command;
}

}  // namespace ahead::cli
