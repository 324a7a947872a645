// Where does our command line end and the command to run begin? Decided before the flag library sees the words, which
// must not touch those of the command (CLI11 2.1.2 takes a word like [ab] apart into a list).
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ahead::cli {

// Removes the command's words from `words` (all words after the program's name) and returns them. They begin after the
// first "--" or, where there is none, at the first word that is neither an option of the subcommand nor its value, as
// for nice and time. In what stays, '_' in the name of a long option becomes '-', so that --hit_rate is --hit-rate.
// `takes_command`: the names of the subcommands that run a command; for others nothing is removed.
std::vector<std::string> TakeCommand(const CLI::App& app, const std::vector<std::string>& takes_command,
                                     std::vector<std::string>& words);

}  // namespace ahead::cli
