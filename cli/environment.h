// The environment a command is started with: the caller's, with changes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ahead::cli {

class Environment {
 public:
  // Copies the caller's environment.
  static Environment Inherited();

  explicit Environment(std::vector<std::string> entries) : entries_(std::move(entries)) {}

  std::optional<std::string> Get(std::string_view name) const;
  // Replaces the variable in place, or adds it at the end. Later duplicates of the name are dropped.
  void Set(std::string_view name, std::string_view value);
  void Unset(std::string_view name);

  // Returns the null-terminated array execve takes, valid until the next change.
  char* const* pointers();

 private:
  std::vector<std::string> entries_;  // NAME=VALUE
  std::vector<char*> pointers_;
};

}  // namespace ahead::cli
