// Quantities of the core: offsets, byte counts and times as distinct types, so that they cannot be mixed up.
#pragma once

#include <compare>
#include <cstdint>

namespace ahead {

// A length in bytes; negative values are legal intermediate results.
struct ByteCount {
  int64_t value = 0;

  constexpr auto operator<=>(const ByteCount&) const = default;
  constexpr ByteCount operator+(ByteCount other) const { return {value + other.value}; }
  constexpr ByteCount operator-(ByteCount other) const { return {value - other.value}; }
  constexpr ByteCount operator-() const { return {-value}; }
  constexpr ByteCount operator*(int64_t factor) const { return {value * factor}; }
  constexpr ByteCount operator/(int64_t divisor) const { return {value / divisor}; }
  constexpr int64_t operator/(ByteCount other) const { return value / other.value; }
  constexpr ByteCount& operator+=(ByteCount other) { return value += other.value, *this; }
};

// A position in a file.
struct ByteOffset {
  int64_t value = 0;

  constexpr auto operator<=>(const ByteOffset&) const = default;
  constexpr ByteOffset operator+(ByteCount count) const { return {value + count.value}; }
  constexpr ByteOffset operator-(ByteCount count) const { return {value - count.value}; }
  constexpr ByteCount operator-(ByteOffset other) const { return {value - other.value}; }
};

// The half-open interval [begin, end).
struct ByteRange {
  ByteOffset begin;
  ByteOffset end;

  constexpr bool operator==(const ByteRange&) const = default;
  constexpr ByteCount size() const { return end - begin; }
  constexpr bool empty() const { return end <= begin; }
  constexpr bool contains(ByteOffset offset) const { return begin <= offset && offset < end; }
};

// A point on the monotonic clock, or a distance on it, in nanoseconds.
struct Nanos {
  int64_t value = 0;

  constexpr auto operator<=>(const Nanos&) const = default;
  constexpr Nanos operator+(Nanos other) const { return {value + other.value}; }
  constexpr Nanos operator-(Nanos other) const { return {value - other.value}; }
  constexpr Nanos operator*(int64_t factor) const { return {value * factor}; }
  constexpr Nanos operator/(int64_t divisor) const { return {value / divisor}; }
};

inline namespace literals {
constexpr ByteCount operator""_B(unsigned long long n) { return {static_cast<int64_t>(n)}; }
constexpr ByteCount operator""_KiB(unsigned long long n) { return {static_cast<int64_t>(n) << 10}; }
constexpr ByteCount operator""_MiB(unsigned long long n) { return {static_cast<int64_t>(n) << 20}; }
constexpr ByteCount operator""_GiB(unsigned long long n) { return {static_cast<int64_t>(n) << 30}; }
constexpr Nanos operator""_ns(unsigned long long n) { return {static_cast<int64_t>(n)}; }
constexpr Nanos operator""_us(unsigned long long n) { return {static_cast<int64_t>(n) * 1000}; }
constexpr Nanos operator""_ms(unsigned long long n) { return {static_cast<int64_t>(n) * 1000000}; }
constexpr Nanos operator""_s(unsigned long long n) { return {static_cast<int64_t>(n) * 1000000000}; }
}  // namespace literals

}  // namespace ahead
