// The entry point through which a program gets its threads. The last moment to look for what is looked for with a
// descriptor of ours: later another thread might see a number taken that should be free.
#include "shim/facts.h"
#include "shim/real.h"

namespace ahead::hook {

#define AHEAD_HOOK(name, result, parameters) \
  __attribute__((visibility("default"))) result name parameters __asm__(#name);
#include "shim/hooks.def"
#undef AHEAD_HOOK

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  LookBeforeThreads();
  return real::pthread_create(thread, attributes, run, argument);
}

}  // namespace ahead::hook
