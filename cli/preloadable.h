// Will the loader put our library into a program, and if not, why? Decided from the file alone, before it is started.
#pragma once

#include <string>

namespace ahead::cli {

struct Inactivity {
  // "it is statically linked", ...; empty when ahead will be active, or when that cannot be told.
  std::string reason;
  // LD_PRELOAD must not name the library: the program's loader is not ours, and would complain about it or give up.
  // Such a program may also be one that this machine cannot run at all.
  bool refuses_library = false;
};

// Judges what execve makes of the program at `path`. A "#!" line is followed to the interpreter, as often as the kernel
// does, and through env to the program that env looks up; a text without one is the shell's. Cost: for each file met
// one open and a few reads.
Inactivity WhyInactive(const std::string& path);

}  // namespace ahead::cli
