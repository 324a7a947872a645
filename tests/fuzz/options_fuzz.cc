// Values of options, any text for any row. What must hold: a value that is taken lies in its range, one that is refused
// changes nothing, and what is accepted is said within the room that is given.
#include <cstring>
#include <memory>
#include <vector>

#include "core/options.h"
#include "tests/fuzz/target.h"

namespace ahead::fuzz {
namespace {

int64_t ValueOf(const Options& options, size_t index) {
  size_t row = 0;
#define AHEAD_OPTION(name, kind, ...) \
  if (row++ == index) return options.name;
#include "core/options.def"
#undef AHEAD_OPTION
  return 0;
}

const char* TextOf(const Options& options, size_t index) {
  size_t row = 0;
#define AHEAD_OPTION(name, kind, ...) \
  if (row++ == index) return options.name##_text;
#include "core/options.def"
#undef AHEAD_OPTION
  return nullptr;
}

void CheckTaken(const Options& options, size_t index, const std::string& text) {
  const OptionRow& row = OptionAt(index);
  if (row.kind == OptionKind::kText) return Require(TextOf(options, index) == text.c_str(), "a text is kept");
  const int64_t value = ValueOf(options, index);
  const bool is_default = row.kind == OptionKind::kBytes && text == "auto" && value == row.default_value;
  Require(is_default || (row.min <= value && value <= row.max), "a value that is taken lies in its range");
}

void CheckOthers(const Options& before, const Options& after, size_t changed) {
  for (size_t row = 0; row < kOptionCount; ++row) {
    if (row == changed) continue;
    Require(ValueOf(before, row) == ValueOf(after, row) && TextOf(before, row) == TextOf(after, row),
            "an option changes nothing but itself");
  }
}

void Set(Options& options, size_t index, const std::string& text) {
  const Options before = options;
  const bool is_taken = SetOption(options, index, text.c_str());
  if (is_taken) CheckTaken(options, index, text);
  CheckOthers(before, options, is_taken ? index : kOptionCount);
}

void Describe(size_t index, size_t room) {
  std::vector<char> out(room, 'x');
  Require(DescribeAccepted(index, out.data(), out.size()) == out.data(), "the room is given back");
  Require(std::memchr(out.data(), 0, out.size()) != nullptr, "what is said ends within its room");
}

}  // namespace
}  // namespace ahead::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace ahead;
  fuzz::Input input(bytes, size);
  Options options;
  // The texts live as long as the options do.
  std::vector<std::unique_ptr<std::string>> texts;
  while (!input.empty()) {
    const auto index = static_cast<size_t>(input.Below(static_cast<int64_t>(kOptionCount)));
    const auto length = static_cast<size_t>(input.Below(40));
    texts.push_back(std::make_unique<std::string>(input.Text(length).c_str()));
    fuzz::Set(options, index, *texts.back());
    fuzz::Describe(index, 1 + length * 3);
  }
  return 0;
}
