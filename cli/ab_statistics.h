// How much faster, and may one say so? Statistics of runs that were made in pairs.
//
// Each round runs every arm once, close together, in random order, so that drift, warm-up and other load strike both
// sides of a pair alike and an order effect favours nobody. What is compared is the ratio within each pair; reported is
// its median, which a few disturbed runs cannot move, with a bootstrap percentile interval over the pairs (Efron and
// Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13).
//
// The 95 % interval is shown. A difference is claimed only when the 99 % interval lies on one side of 1: at 95 % one
// comparison in twenty of a thing with itself would be called a difference, and 20 of them would hardly ever pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ahead::cli {

// Below this, even pairs that all agree may do so by chance: 2 of 2^5 orders, 6 %.
inline constexpr size_t kFewestPairs = 6;
inline constexpr size_t kResamples = 10000;

// Returns the median; of an even number of values, the mean of the middle two. REQUIRES: values not empty.
double Median(std::vector<double> values);

struct Interval {
  double low = 0;
  double high = 0;

  bool contains(double value) const { return low <= value && value <= high; }
};

enum class Verdict : uint8_t { kTooFewPairs, kNoDifference, kFaster, kSlower };

// How the times of one arm compare with those of the reference.
struct Comparison {
  size_t pair_count = 0;
  double speedup = 1;  // median of reference time / arm time; above 1: the arm is faster
  Interval likely;     // 95 %
  Interval certain;    // 99 %
  Verdict verdict = Verdict::kTooFewPairs;
};

// Compares pair by pair. Takes: times above 0, pair i at index i of both, sizes equal, not empty. The same `seed` gives
// the same result. Cost: kResamples medians.
Comparison Compare(const std::vector<double>& reference, const std::vector<double>& arm, uint64_t seed);

// Returns a sentence, e.g. "ratio100 is 3.31x faster than bare (95 % interval 3.20 to 3.40)".
std::string Sentence(const Comparison& comparison, const std::string& reference, const std::string& arm);

// Returns `rounds` random orders of the arms 0 .. arm_count-1. In each block of arm_count rounds every arm has every
// place once; the rounds of all blocks are shuffled together.
std::vector<std::vector<size_t>> RandomOrders(size_t arm_count, size_t rounds, uint64_t seed);

}  // namespace ahead::cli
