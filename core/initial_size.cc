#include "core/initial_size.h"

namespace ahead {
namespace {

constexpr ByteCount kSmallest{16 << 10};  // what the kernel reads by itself for a first read of 4 KiB

}  // namespace

ByteCount InitialSize::Get(ByteCount option) const {
  const ByteCount size{option.value * int64_t{share_} / kWhole & ~int64_t{4095}};
  return size < kSmallest ? (option < kSmallest ? option : kSmallest) : size;
}

void InitialSize::Grow(int64_t part, int64_t most) {
  const int64_t share = share_;
  const int64_t more = share + share / part + 1;
  if (share < most) share_ = more < most ? more : most;
}

void InitialSize::Learn(ByteCount fetched, ByteCount used, ByteCount run, bool is_whole) {
  if (fetched.value <= 0) return;
  if (used * 2 < fetched)
    share_ = share() / 2 > kWhole / 64 ? share() / 2 : kWhole / 64;
  else if (used >= fetched && (run >= fetched * 2 || (is_whole && run > fetched)))
    Grow(2, kMost);
  else if (used >= fetched)
    Grow(8, kWhole);
}

}  // namespace ahead
