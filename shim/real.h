// The originals behind the hooks: real::read(fd, buffer, count) is the read that the host would have reached without
// us, the next one in the loader's order, which may be another preloaded library's.
//
// Resolved at the first call of each, because resolving all of them at the start costs more than everything else
// there (design, fact 10). Before our constructor has run, descriptor functions go straight to the kernel.
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ahead::real {

enum class Function : uint8_t {
#define AHEAD_HOOK(name, result, parameters) name,
#include "shim/hooks.def"
#undef AHEAD_HOOK
};

inline constexpr size_t kFunctions = 0
#define AHEAD_HOOK(...) +1
#include "shim/hooks.def"
#undef AHEAD_HOOK
    ;

// Where each original is; null until its first call.
extern std::atomic<void*> addresses[kFunctions];

// Finds the original of `function` and remembers it. Never returns null. Cost: about 0.1 us; takes no lock once the
// constructor has run, allocates nothing.
void* Resolve(Function function) noexcept;

// Remembers where the libraries after ours are. Called once, by the constructor.
void Start() noexcept;

// Callable as the original is. Not noexcept: a thread may be cancelled inside.
template <Function kFunction, typename Signature>
struct Original;

template <Function kFunction, typename Result, typename... Parameters>
struct Original<kFunction, Result(Parameters...)> {
  Result operator()(Parameters... arguments) const {
    return reinterpret_cast<Result (*)(Parameters...)>(Find())(arguments...);
  }
  static void* Find() {
    void* address = addresses[static_cast<size_t>(kFunction)].load(std::memory_order_relaxed);
    return __builtin_expect(address != nullptr, 1) ? address : Resolve(kFunction);
  }
};

template <Function kFunction, typename Result, typename... Parameters>
struct Original<kFunction, Result(Parameters..., ...)> {
  template <typename Variable>
  Result operator()(Parameters... arguments, Variable last) const {
    return reinterpret_cast<Result (*)(Parameters..., ...)>(Original<kFunction, Result(Parameters...)>::Find())(
        arguments..., last);
  }
};

#define AHEAD_HOOK(name, result, parameters) inline constexpr Original<Function::name, result parameters> name{};
#include "shim/hooks.def"
#undef AHEAD_HOOK

}  // namespace ahead::real
