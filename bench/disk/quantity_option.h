// How does a quantity become an option of the command line?
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "bench/disk/quantity.h"

namespace ahead::disk {

// Adds an option whose text goes through `parse` and is refused, with what is accepted, when that returns nothing.
template <typename T>
CLI::Option* AddQuantity(CLI::App& app, const std::string& name, T& target, std::optional<T> (*parse)(std::string_view),
                         const char* type, const char* accepted, const std::string& help) {
  return app
      .add_option_function<std::string>(
          name,
          [name, &target, parse, accepted](const std::string& text) {
            const auto value = parse(text);
            if (!value) throw CLI::ValidationError(name + ": '" + text + "' is not accepted; accepted: " + accepted, 2);
            target = *value;
          },
          help)
      ->type_name(type)
      ->take_last();  // so that a script can put its defaults first
}

}  // namespace ahead::disk
