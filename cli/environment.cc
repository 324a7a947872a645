#include "cli/environment.h"

#include <unistd.h>

#include <algorithm>

namespace ahead::cli {
namespace {

std::string Entry(std::string_view name, std::string_view value) { return std::string(name).append("=").append(value); }

bool IsNamed(std::string_view entry, std::string_view name) {
  return entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name);
}

}  // namespace

Environment Environment::Inherited() {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return Environment(std::move(entries));
}

std::optional<std::string> Environment::Get(std::string_view name) const {
  for (const std::string& entry : entries_)
    if (IsNamed(entry, name)) return entry.substr(name.size() + 1);
  return std::nullopt;
}

void Environment::Set(std::string_view name, std::string_view value) {
  const auto same_name = [name](const std::string& entry) { return IsNamed(entry, name); };
  const auto first = std::find_if(entries_.begin(), entries_.end(), same_name);
  if (first == entries_.end()) {
    entries_.push_back(Entry(name, value));
    return;
  }
  *first = Entry(name, value);
  entries_.erase(std::remove_if(first + 1, entries_.end(), same_name), entries_.end());
}

void Environment::Unset(std::string_view name) {
  std::erase_if(entries_, [name](const std::string& entry) { return IsNamed(entry, name); });
}

char* const* Environment::pointers() {
  pointers_.clear();
  for (std::string& entry : entries_) pointers_.push_back(entry.data());
  pointers_.push_back(nullptr);
  return pointers_.data();
}

}  // namespace ahead::cli
