"""Checks what libahead.so asks of the program it rides in: libc.so.6 alone, no symbol newer than glibc 2.34, nothing
that allocates, starts threads or ends the program, one constructor, little thread-local storage.

Usage: shim_library.py LIBRARY.so
"""
import sys

import binary

NEWEST_GLIBC = (2, 34)
WEAK = {"__cxa_finalize", "_ITM_registerTMCloneTable", "_ITM_deregisterTMCloneTable", "__gmon_start__"}
# Rules 4 to 8 for code inside the host: no allocation, no stdio, no exit, no atfork handler, no thread, no destructor
# that runs at exit.
FORBIDDEN = {"malloc", "calloc", "realloc", "free", "posix_memalign", "aligned_alloc", "exit", "_exit", "abort",
             "pthread_create", "pthread_atfork", "__register_atfork", "__cxa_atexit", "__cxa_thread_atexit_impl",
             "atexit", "on_exit", "dlopen", "printf", "fprintf", "vfprintf", "puts", "fputs", "fwrite", "dlclose"}
TLS_LIMIT_BYTES = 1024
# The compiler's frame_dummy and our own constructor.
CONSTRUCTORS = 2
POINTER_BYTES = 8


def problem_of_symbol(name, version, is_weak):
    if is_weak and name in WEAK:
        return None
    if name in FORBIDDEN:
        return f"calls {name}, which is not allowed inside the host"
    if not version.startswith("GLIBC_"):
        return f"needs {name} from '{version or 'anywhere'}', not from glibc"
    numbers = version.removeprefix("GLIBC_").split(".")
    if not all(part.isdigit() for part in numbers) or tuple(map(int, numbers[:2])) > NEWEST_GLIBC:
        return f"needs {name} of {version}, newer than {'.'.join(map(str, NEWEST_GLIBC))}"
    return None


def problems(library):
    found = []
    if (libraries := binary.needed(library)) != ["libc.so.6"]:
        found.append(f"asks for {libraries}, not for libc.so.6 alone")
    found += [said for symbol in binary.undefined_of_library(library) if (said := problem_of_symbol(*symbol))]
    if (size := binary.tls_bytes(library)) >= TLS_LIMIT_BYTES:
        found.append(f"takes {size} bytes of each thread, the limit is {TLS_LIMIT_BYTES}")
    for section in (".init_array", ".fini_array", ".ctors"):
        if (count := binary.section_bytes(library, section) // POINTER_BYTES) > CONSTRUCTORS:
            found.append(f"{section} has {count} entries, the compiler's and one of ours are allowed")
    return [f"{library}: {said}" for said in found]


if __name__ == "__main__":
    binary.finish(problems(sys.argv[1]))
