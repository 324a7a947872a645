// What a fuzz target is made of: the entry point that libFuzzer and our own driver call, the bytes of an input taken
// apart into choices, and a check that stops at the first thing that is not so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

namespace ahead::fuzz {

// Ends the program when `holds` is false. The input is then the one that the fuzzer, or the driver, names.
inline void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::abort();
}

// Choices made by the bytes of an input; zeros when they are used up.
class Input {
 public:
  Input(const uint8_t* bytes, size_t size) : at_(bytes), end_(bytes + size) {}

  bool empty() const { return at_ == end_; }
  uint8_t Byte() { return at_ == end_ ? uint8_t{0} : *at_++; }
  bool Flag() { return (Byte() & 1) != 0; }

  // Returns a number of `count` bytes.
  uint64_t Word(int count) {
    uint64_t word = 0;
    for (int i = 0; i < count; ++i) word = word << 8 | Byte();
    return word;
  }

  // Returns a number from [0, below). REQUIRES: 0 < below.
  int64_t Below(int64_t below) {
    const int bytes = below <= 256 ? 1 : below <= 65536 ? 2 : 8;
    return static_cast<int64_t>(Word(bytes) % static_cast<uint64_t>(below));
  }

  // Returns a number from [0, 2^bits): each magnitude is as likely as another, and so are round numbers.
  int64_t Magnitude(int bits) {
    const int64_t shift = Below(bits);
    const int64_t top = int64_t{1} << shift;
    switch (Byte() & 3) {
      case 0:
        return top;
      case 1:
        return top - 1;
      default:
        return top + static_cast<int64_t>(Word(4)) % top;
    }
  }

  // Returns all bytes that are left.
  std::string Rest() {
    std::string rest(reinterpret_cast<const char*>(at_), static_cast<size_t>(end_ - at_));
    at_ = end_;
    return rest;
  }
  // Returns the next `most` bytes, or what there is.
  std::string Text(size_t most) {
    const size_t left = static_cast<size_t>(end_ - at_);
    const size_t taken = most < left ? most : left;
    std::string text(reinterpret_cast<const char*>(at_), taken);
    at_ += taken;
    return text;
  }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
};

}  // namespace ahead::fuzz
