// Which bytes of a file were seen? A set of ranges that grows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

#include "core/units.h"

namespace ahead {

// Thread safety: none. Invariants: the ranges kept do not touch each other.
class ByteSet {
 public:
  // Adds `range` and returns how many of its bytes were not in the set. Cost: logarithmic, amortised.
  ByteCount Add(ByteRange range) {
    if (range.empty()) return {};
    const int64_t asked_begin = range.begin.value, asked_end = range.end.value;
    int64_t begin = asked_begin, end = asked_end, fresh = end - begin;
    auto met = ranges_.upper_bound(begin);
    if (met != ranges_.begin() && std::prev(met)->second >= begin) --met;
    while (met != ranges_.end() && met->first <= asked_end) {
      fresh -= std::max<int64_t>(0, std::min(met->second, asked_end) - std::max(met->first, asked_begin));
      begin = std::min(begin, met->first);
      end = std::max(end, met->second);
      met = ranges_.erase(met);
    }
    ranges_.emplace_hint(met, begin, end);
    return {fresh};
  }

 private:
  std::map<int64_t, int64_t> ranges_;  // begin to end
};

}  // namespace ahead
