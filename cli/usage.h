// How every subcommand reads numbers and choices from its command line, and how it says that it cannot: one line on
// stderr that names the thing, the value and what is accepted.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace ahead::cli {

inline constexpr int kBadUsage = 2;
// `ahead run` stands between a caller and its command, so it fails as env, nice and timeout do.
inline constexpr int kRunFailure = 125;

// Writes "ahead COMMAND: MESSAGE" and a newline to stderr in one piece. Newlines inside become spaces.
void Complain(const std::string& command, const std::string& message);

// Sets the usage line that --help of `app` begins with.
void SetUsage(CLI::App& app, const std::string& usage);

// Refuses a command line that names no command to run. `usage`: what to type instead. Throws a refusal.
void RequireCommand(const std::vector<std::string>& command, const std::string& usage);

// Adds an option that takes a whole number in [min, max].
CLI::Option* AddWholeNumber(CLI::App& app, const std::string& name, int64_t& target, int64_t min, int64_t max,
                            const std::string& help);

// Adds an option that takes one of `choices`.
CLI::Option* AddChoice(CLI::App& app, const std::string& name, std::string& target, std::vector<std::string> choices,
                       const std::string& help);

// Returns the candidate that `word` is most likely a misspelling of, or an empty string when none is near.
std::string NearestName(const std::string& word, const std::vector<std::string>& candidates);

// Returns one line that says what was wrong in a command line that `app` refused with `error`.
std::string ExplainRefusal(const CLI::App& app, const CLI::ParseError& error);

}  // namespace ahead::cli
