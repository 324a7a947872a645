#include "shim/real.h"

#include <dlfcn.h>

#include "shim/next_symbol.h"
#include "shim/raw.h"

namespace ahead::real {
namespace {

// All names in one object, found by their offset: an array of pointers would have to be relocated in every process.
struct Names {
#define AHEAD_HOOK(name, result, parameters) char name[sizeof(#name)] = #name;
#include "shim/hooks.def"
#undef AHEAD_HOOK
};
constexpr Names kNames;
constexpr uint16_t kNameOffsets[] = {
#define AHEAD_HOOK(name, result, parameters) offsetof(Names, name),
#include "shim/hooks.def"
#undef AHEAD_HOOK
};

const char* NameOf(size_t function) { return reinterpret_cast<const char*>(&kNames) + kNameOffsets[function]; }

constinit std::atomic<bool> started{false};

// For a libc without `function`: whoever calls it nevertheless would have died of the missing symbol.
void Missing() { __builtin_trap(); }

}  // namespace

constinit std::atomic<void*> addresses[kFunctions] = {};

void Start() noexcept {
  FindLaterLibraries();
  started.store(true, std::memory_order_release);
}

void* Resolve(Function function) noexcept {
  const auto index = static_cast<size_t>(function);
  if (!started.load(std::memory_order_acquire))
    if (void* call = raw::Find(function)) return call;
  void* found = FindInLaterLibraries(NameOf(index));
  // Takes the loader's lock, which a dlopen in another thread may hold while its constructors wait for this one.
  if (found == nullptr) found = dlsym(RTLD_NEXT, NameOf(index));
  if (found == nullptr) found = raw::Find(function);
  if (found == nullptr) return reinterpret_cast<void*>(&Missing);
  addresses[index].store(found, std::memory_order_relaxed);
  return found;
}

}  // namespace ahead::real
