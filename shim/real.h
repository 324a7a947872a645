// The originals behind the hooks: real::read(fd, buffer, count) is the read that the host would have reached without
// us, the next one in the loader's order, which may be another preloaded library's.
//
// Resolved at the first call of each, because resolving all of them at the start costs more than everything else
// there (design, fact 10). Before our constructor has run, descriptor functions go straight to the kernel.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <termios.h>
#include <wordexp.h>

#include <cstddef>
#include <cstdint>

namespace ahead::real {

enum class Function : uint8_t {
#define AHEAD_HOOK(name, result, parameters) name,
#include "shim/hooks.def"
#undef AHEAD_HOOK
};

// Where each original is. Before the first call of one, a stand-in of the same signature that looks for it: so the
// path to the original has no test, and a hook that only passes on needs no stack frame.
struct Originals {
#define AHEAD_HOOK(name, result, parameters) result(*name) parameters;
#include "shim/hooks.def"
#undef AHEAD_HOOK
};
[[gnu::visibility("hidden")]] extern constinit Originals originals;

// Finds the original of `function`. Never returns null. `lasting` says whether it is the one for good, or stands in for
// it until our constructor has run. Cost: about 0.1 us; takes no lock once the constructor has run, allocates nothing.
void* Find(Function function, bool& lasting) noexcept;

// Remembers where the libraries after ours are. Called once, by the constructor.
void Start() noexcept;

template <Function kFunction, typename Pointer>
Pointer FindAndKeep(Pointer& place) noexcept {
  bool lasting = false;
  const auto found = reinterpret_cast<Pointer>(Find(kFunction, lasting));
  if (lasting) __atomic_store_n(&place, found, __ATOMIC_RELAXED);
  return found;
}

// Callable as the original is. Not noexcept: a thread may be cancelled inside.
template <Function kFunction, auto kPlace, typename Signature>
struct Original;

template <Function kFunction, auto kPlace, typename Result, typename... Parameters>
struct Original<kFunction, kPlace, Result(Parameters...)> {
  Result operator()(Parameters... arguments) const {
    return __atomic_load_n(&(originals.*kPlace), __ATOMIC_RELAXED)(arguments...);
  }
  static Result StandIn(Parameters... arguments) { return FindAndKeep<kFunction>(originals.*kPlace)(arguments...); }
  static constexpr Result (*kStandIn)(Parameters...) = &StandIn;
};

// A stand-in cannot pass on arguments that it does not know the number of.
template <Function kFunction, auto kPlace, typename Result, typename... Parameters>
struct Original<kFunction, kPlace, Result(Parameters..., ...)> {
  template <typename... Variable>
  Result operator()(Parameters... arguments, Variable... last) const {
    auto original = __atomic_load_n(&(originals.*kPlace), __ATOMIC_RELAXED);
    if (__builtin_expect(original == nullptr, 0)) original = FindAndKeep<kFunction>(originals.*kPlace);
    return original(arguments..., last...);
  }
  static constexpr Result (*kStandIn)(Parameters..., ...) = nullptr;
};

#define AHEAD_HOOK(name, result, parameters) \
  inline constexpr Original<Function::name, &Originals::name, result parameters> name{};
#include "shim/hooks.def"
#undef AHEAD_HOOK

}  // namespace ahead::real
