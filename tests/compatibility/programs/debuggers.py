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
int main(int c, char** v) { char* p = malloc(100); strcpy(p, "toy"); unsigned s = sum(v[1]); printf("%s %u\n", p, s); free(p); return c > 2 ? abort(), 0 : 0; }
END
gcc -g -O0 -o toy toy.c
"""

ENTRIES = [
    Entry("strace", "-f of a program under the preload: its own reads in the same order", r"""
strace -f -o t -e trace=read,openat,close,lseek bash -c 'cat "$0" | cksum' "$INPUT/random"; grep -c 'read(.*131072) = 131072' t
strace -c -o t dd if="$INPUT/random" of=/dev/null bs=1M 2>/dev/null; grep -c . t >/dev/null; strace -o t -k true 2>/dev/null; echo $?
""", needs=("strace",), version="strace --version", reads=("cat", "dd")),
    Entry("gdb", "break, step over a read, print, core of an abort", TOY + r"""
gdb -nx -batch -ex 'set confirm off' -ex 'break sum' -ex run -ex finish -ex 'info breakpoints' -ex continue --args ./toy "$INPUT/words" >log 2>&1; echo $?
grep -E 'Value returned|exited|^toy|already hit' log; ulimit -c unlimited
gdb -nx -batch -ex run -ex bt --args ./toy "$INPUT/words" x 2>&1 | grep -E '^#[0-9]+ .* main |SIGABRT,'
""", needs=("gdb", "gcc"), version="gdb --version", reads=("toy",)),
    Entry("valgrind", "memcheck of a program that reads: no error", TOY + r"""
valgrind -q --error-exitcode=9 --leak-check=full ./toy "$INPUT/words"; echo $?
valgrind -q --error-exitcode=9 --trace-children=yes sh -c 'cat "$INPUT/tree/folder1/file1" | wc -c'; echo $?
valgrind -q --tool=helgrind --error-exitcode=9 ./toy "$INPUT/words"; echo $?
""", needs=("valgrind", "gcc"), version="valgrind --version", reads=("memcheck-amd64-",), timeout_s=400),
    Entry("ltrace", "of a program that reads", TOY + r"""
ltrace -o t -e fopen+fread+fclose ./toy "$INPUT/words"; echo $?; grep -c 'fread(' t
""", needs=("ltrace", "gcc"), version="ltrace --version", reads=("toy",)),
    Entry("gcc -fsanitize", "address, thread and undefined sanitizers in the program", TOY + r"""
for s in address thread undefined; do gcc -g -fsanitize=$s -o toy.$s toy.c && ./toy.$s "$INPUT/words"; echo $?; done
""", needs=("gcc",), version="gcc --version", compare_stderr=False, reads=("toy.undefined",)),
]
