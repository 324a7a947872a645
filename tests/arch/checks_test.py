"""Shows that each check of this folder can fail: small wrong libraries and sources are made in a temporary folder, and
each must be found out; their right twins must not.

Usage: checks_test.py CC CXX
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import archive_symbols
import headers
import hooks_complete
import includes
import shim_exports
import shim_library

CC = CXX = ""


class Checks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def library(self, code, *flags):
        source = self.write("library.c", code)
        path = str(self.root / "library.so")
        subprocess.run([CC, "-shared", "-fPIC", "-O1", "-fno-stack-protector", "-U_FORTIFY_SOURCE",
                        "-Wl,--no-as-needed", str(source), *flags, "-o", path], check=True)
        return path

    def archive(self, code):
        source = self.write("member.c", code)
        member, path = str(self.root / "member.o"), str(self.root / "library.a")
        subprocess.run([CC, "-c", "-fno-stack-protector", str(source), "-o", member], check=True)
        subprocess.run(["ar", "rc", path, member], check=True)
        return path

    def assert_one(self, problems, words):
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(words, problems[0])

    def test_archive_that_calls_what_is_not_listed_is_found(self):
        path = self.archive("int getpid(void); int f(void) { return getpid(); } int g(void) { return f(); }")
        self.assert_one(archive_symbols.problems(path, {"memcpy"}), "getpid")
        self.assertEqual(archive_symbols.problems(path, {"getpid"}), [])

    def test_function_of_libc_that_is_neither_hooked_nor_excused_is_found(self):
        versions = self.write("versions", "V_1 { global: *; };")
        libc = self.library("int read(void) { return 0; } int readv(void) { return 0; } int getc(void) { return 0; }",
                            f"-Wl,--version-script={versions}")
        hooks = self.write("hooks.def", "AHEAD_HOOK(read, int, ())\n")
        page = self.write("hooks.md", "## Not seen\n\n| `getc*` | slow |\n\n## More\n")
        self.assert_one(hooks_complete.problems(libc, hooks, page), "readv")
        page.write_text("## Not seen\n\n| `getc*`, `readv` | slow |\n", encoding="utf-8")
        self.assertEqual(hooks_complete.problems(libc, hooks, page), [])

    def test_library_on_libc_alone_passes(self):
        self.assertEqual(shim_library.problems(self.library("int getpid(void); int f(void) { return getpid(); }")), [])

    def test_second_library_is_found(self):
        path = self.library("double cos(double); double f(double x) { return cos(x); }", "-lm")
        self.assert_one(shim_library.problems(path), "libm.so.6")

    def test_allocation_is_found(self):
        path = self.library("void* malloc(unsigned long); void* f(void) { return malloc(9); }")
        self.assert_one(shim_library.problems(path), "malloc")

    def test_symbol_from_nowhere_is_found(self):
        path = self.library("int nowhere(void); int f(void) { return nowhere(); }")
        self.assert_one(shim_library.problems(path), "nowhere")

    def test_new_glibc_symbol_is_found(self):
        self.assertIsNone(shim_library.problem_of_symbol("read", "GLIBC_2.34", False))
        self.assertIn("newer", shim_library.problem_of_symbol("read", "GLIBC_2.35", False))
        self.assertIn("newer", shim_library.problem_of_symbol("read", "GLIBC_PRIVATE", False))

    def test_large_thread_local_storage_is_found(self):
        path = self.library("static __thread char big[1024]; char* f(void) { return big; }", "-ftls-model=initial-exec")
        self.assert_one(shim_library.problems(path), "1024 bytes")

    def test_second_constructor_is_found(self):
        one = "__attribute__((constructor)) static void a(void) { __asm__ volatile(\"\"); }"
        self.assertEqual(shim_library.problems(self.library(one)), [])
        self.assert_one(shim_library.problems(self.library(one + one.replace("a(void)", "b(void)"))), ".init_array")

    def test_export_missing_on_either_side_is_found(self):
        path = self.library("int one(void) { return 1; } int two(void) { return 2; }")
        rows = "// AHEAD_HOOK(three, int)\nAHEAD_HOOK(one, int)\n"

        def problems(more):
            return shim_exports.problems(path, self.write("hooks.def", rows + more))

        self.assertEqual(problems("AHEAD_ALIAS(two, one)\n"), [])
        self.assert_one(problems(""), "two is exported")
        self.assert_one(problems("AHEAD_HOOK(two) AHEAD_HOOK(four)\n"), "four is in")
        self.assert_one(problems("AHEAD_HOOK(two) AHEAD_HOOK(two)\n"), "twice")

    def test_include_against_the_direction_is_found(self):
        self.write("core/right.cc", '#include "core/right.h"\n#include <cstdint>\n')
        self.write("stats/right.cc", '#include "core/right.h"\n#include "absl/status/status.h"\n#include <unistd.h>\n')
        self.write("tests/shim/right.cc", '#include "shim/right.h"\n')
        self.assertEqual(includes.problems(self.root), [])
        for wrong in ("core/w.cc:stats/a.h", "core/w.h:core/../shim/a.h", "stats/w.cc:shim/a.h", "sim/w.cc:cli/a.h",
                      "tests/core/w.cc:shim/a.h", "core/w.cc:neighbour.h", "shim/w.cc:absl/status/status.h"):
            name, included = wrong.split(":")
            path = self.write(name, f'#include "{included}"\n')
            self.assertEqual(len(includes.problems(self.root)), 1, wrong)
            path.unlink()
        self.write("core/wrong.cc", "#include <unistd.h>\n")
        self.assert_one(includes.problems(self.root), "unistd.h")

    def test_header_that_needs_another_is_found(self):
        self.write("core/right.h", "#pragma once\n#include <cstdint>\ninline int32_t f() { return 1; }\n")
        self.assertEqual(headers.problems(self.root, "core", [CXX]), [])
        self.write("core/wrong.h", "#pragma once\ninline int32_t g() { return 1; }\n")
        self.assert_one(headers.problems(self.root, "core", [CXX]), "wrong.h")
        self.write("core/wrong.cc", '#include <cstdint>\n#include "core/wrong.h"\n')
        self.assert_one(headers.problems(self.root, "core", [CXX]), "wrong.h")

    def test_header_that_its_own_source_includes_first_is_left_to_the_build(self):
        self.write("core/right.h", "#pragma once\nthis would not compile\n")
        self.write("core/right.cc", '// What is it?\n#include "core/right.h"\n')
        self.assertEqual(headers.problems(self.root, "core", [CXX]), [])


if __name__ == "__main__":
    CC, CXX = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
