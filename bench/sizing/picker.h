// Which page of a file does a random reader want next? Uniform, by Zipf's law, in clusters, or mixed with a sequential
// part. The same from run to run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace ahead {

// Thread safety: none.
class Picker {
 public:
  struct Pick {
    bool is_sequential;
    int64_t page;
  };

  // `shape`: uniform, zipf, clustered or mixed. Pages are those of [0, pages).
  Picker(const std::string& shape, int64_t pages) : shape_(shape), pages_(pages), uniform_(0, pages - 1) {}

  Pick Next();

 private:
  static constexpr size_t kCluster = 16;

  int64_t Zipf();
  int64_t Clustered();

  std::string shape_;
  int64_t pages_;
  std::uniform_int_distribution<int64_t> uniform_;
  std::mt19937_64 random_{1};
  int64_t sequential_ = 0;
  int64_t place_ = 0;
  size_t left_ = 0;
  std::array<int64_t, kCluster> order_ = {};
};

}  // namespace ahead
