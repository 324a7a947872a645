#include "shim/real.h"

#include <dlfcn.h>

#include <atomic>
#include <cstddef>

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

// In .data, as `libraries` in next_symbol.cc.
[[gnu::section(".data")]] constinit std::atomic<bool> started{false};

// For a libc without `function`: whoever calls it nevertheless would have died of the missing symbol.
void Missing() { __builtin_trap(); }

}  // namespace

constinit Originals originals = {
#define AHEAD_HOOK(name, result, parameters) name.kStandIn,
#include "shim/hooks.def"
#undef AHEAD_HOOK
};

void Start() noexcept {
  FindLaterLibraries();
  started.store(true, std::memory_order_release);
}

void* Find(Function function, bool& lasting) noexcept {
  const char* name = NameOf(static_cast<size_t>(function));
  lasting = started.load(std::memory_order_acquire);
  if (!lasting)
    if (void* call = raw::Find(function)) return call;
  void* found = FindInLaterLibraries(name);
  // Takes the loader's lock, which a dlopen in another thread may hold while its constructors wait for this one.
  if (found == nullptr) found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) found = raw::Find(function);
  return found != nullptr ? found : reinterpret_cast<void*>(&Missing);
}

}  // namespace ahead::real
