// Runs a fuzz target without libFuzzer, as an ordinary test: each file of the corpus, then a fixed number of inputs of
// a seeded generator, half of them made by changing a file of the corpus.
//
// Usage: NAME CORPUS-FOLDER [SEED [COUNT]]
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/target.h"

namespace {

using Bytes = std::vector<uint8_t>;

// Names the input under way, for a target that ends the program.
char current[512];

void SayWhich(int signal) {
  const char* const text = "while running ";
  std::fwrite(text, 1, std::strlen(text), stderr);
  std::fwrite(current, 1, std::strlen(current), stderr);
  std::fputc('\n', stderr);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void Run(const std::string& name, const Bytes& input) {
  std::snprintf(current, sizeof(current), "%s", name.c_str());
  // A copy of its own, so that a sanitizer sees reads beyond its end; never a null pointer.
  const std::vector<uint8_t> copy(input.begin(), input.end());
  const uint8_t none = 0;
  LLVMFuzzerTestOneInput(copy.empty() ? &none : copy.data(), copy.size());
}

std::vector<Bytes> RunCorpus(const char* folder) {
  std::vector<Bytes> corpus;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) paths.push_back(entry.path());
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    Run(path.string(), corpus.back());
  }
  return corpus;
}

Bytes Changed(Bytes input, std::mt19937& random) {
  const size_t changes = 1 + random() % 8;
  for (size_t i = 0; i < changes && !input.empty(); ++i) {
    const size_t at = random() % input.size();
    switch (random() % 4) {
      case 0:
        input[at] = static_cast<uint8_t>(random());
        break;
      case 1:
        input[at] = static_cast<uint8_t>(input[at] ^ 1u << random() % 8);
        break;
      case 2:
        input.resize(at);
        break;
      default:
        input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), static_cast<uint8_t>(random()));
    }
  }
  return input;
}

Bytes Made(const std::vector<Bytes>& corpus, std::mt19937& random) {
  if (!corpus.empty() && random() % 2 == 0) return Changed(corpus[random() % corpus.size()], random);
  Bytes input(random() % 2048);
  for (uint8_t& byte : input) byte = static_cast<uint8_t>(random());
  return input;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s CORPUS-FOLDER [SEED [COUNT]]\n", argv[0]);
    return 2;
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS}) std::signal(signal, SayWhich);
  const std::vector<Bytes> corpus = RunCorpus(argv[1]);
  const unsigned long seed = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
  const unsigned long count = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 1000;
  for (unsigned long i = 0; i < count; ++i) {
    std::mt19937 random(static_cast<uint32_t>(seed + i));
    Run("the input of seed " + std::to_string(seed + i), Made(corpus, random));
  }
  std::printf("%zu inputs of the corpus, %lu of seeds %lu to %lu\n", corpus.size(), count, seed, seed + count - 1);
  return 0;
}
