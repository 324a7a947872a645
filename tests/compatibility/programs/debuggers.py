"""Programs that look into others which run under the preload."""
from entry import Entry

TOY = r"""
cat >toy.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned sum(const char* path) {
  FILE* f = fopen(path, "r"); char b[5000]; size_t n; unsigned s = 0;
  while ((n = fread(b, 1, sizeof b, f)) > 0) for (size_t i = 0; i < n; i++) s = s * 31 + (unsigned char)b[i];
  fclose(f); return s;
}
int main(int c, char** v) { char* p = malloc(100); strcpy(p, "toy"); unsigned s = sum(v[1]); printf("%s %u\n", p, s);
free(p); return c > 2 ? abort(), 0 : 0; }
END
gcc -g -O0 -o toy toy.c
"""

ENTRIES = [
    Entry("strace", "cat, dd and sort: their own reads in the same order; -f, -c", r"""
own() { strace -o t -e trace=read,lseek,copy_file_range,sendfile "$@" | cksum
  sed -n '/, 832) = 832$/d;s/"[^"]*"\.*/DATA/p' t | tail -n "$lines"; }
lines=30; own cat "$INPUT/random"; own sort "$INPUT/words"; lines=9; own dd if="$INPUT/random" bs=1M status=none
strace -f -c -o t sh -c 'cat "$INPUT/random" | cksum'; grep -c total t
""", needs=("strace",), version="strace --version", reads=("cat", "dd")),
    Entry("gdb", "break, step over a read, print, core of an abort", TOY + r"""
gdb -nx -batch -ex 'set confirm off' -ex 'break sum' -ex run -ex finish -ex 'info breakpoints' -ex continue \
  --args ./toy "$INPUT/words" >log 2>&1; echo $?
grep -E 'Value returned|exited|^toy|already hit' log | sed 's/process [0-9]*/process/'; ulimit -c unlimited
gdb -nx -batch -ex run -ex bt --args ./toy "$INPUT/words" x 2>&1 | grep -o -E ' main |SIGABRT,'
""", needs=("gdb", "gcc"), version="gdb --version", reads=("toy",)),
    Entry("valgrind", "memcheck of a program that reads: no error", TOY + r"""
valgrind -q --error-exitcode=9 --leak-check=full ./toy "$INPUT/words"; echo $?
valgrind -q --error-exitcode=9 --trace-children=yes sh -c 'cat "$INPUT/tree/folder1/file1" | wc -c'; echo $?
valgrind -q --tool=helgrind --error-exitcode=9 ./toy "$INPUT/words"; echo $?
""", needs=("valgrind", "gcc"), version="valgrind --version", reads=("memcheck-amd64-",), timeout_s=400,
          known=("stderr: .*unhandled amd64-linux syscall: 451", "a warning of valgrind's about cachestat, a system call "
                 "that it does not know")),
    Entry("ltrace", "of a program that reads", TOY + r"""
ltrace -o t -e fopen+fread+fclose ./toy "$INPUT/words"; echo $?; grep -c 'fread(' t
""", needs=("ltrace", "gcc"), version="ltrace --version", reads=("toy",)),
    Entry("gcc -fsanitize", "programs with address, thread, leak and undefined sanitizers, runtimes linked statically; "
          "the shared address sanitizer with `verify_asan_link_order=0`: without it refuses to run beside any preload",
          TOY + r"""
for s in address:-static-libasan thread:-static-libtsan leak:-static-liblsan undefined:-static-libubsan undefined: \
  thread:; do
  gcc -g -fsanitize=${s%:*} ${s#*:} -o toy.san toy.c && ./toy.san "$INPUT/words"; echo $?; done
gcc -g -fsanitize=address -o toy.san toy.c && ASAN_OPTIONS=verify_asan_link_order=0 ./toy.san "$INPUT/words"; echo $?
""", needs=("gcc",), version="gcc --version", compare_stderr=False, reads=("toy.san",)),
]
