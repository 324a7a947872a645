"""Shells: they read their scripts byte by byte or by seeking back, and share descriptors with all they start."""
from entry import Entry

LOOPS = r"""
head -n 4000 "$INPUT/words" >some; n=0; while read -r number rest; do n=$((n + number)); done <some; echo $n
head -n 3000 "$INPUT/words" | while read -r a b c; do echo "$c"; done | cksum
# One description, read by the shell and by what it starts.
{ read -r one; head -c 100 >/dev/null; read -r two; echo "$one/$two"; } <"$INPUT/words"
exec 5<"$INPUT/random"; dd bs=1000 count=3 <&5 2>/dev/null | cksum; cksum <&5; exec 5<&-
. ./sourced; sh ./long | tail -n 1; (cd "$INPUT" && cat tree/folder1/file9 | wc -c) & wait; exit 3
"""
MAKE = r"""
echo 'sourced=yes; echo sourced $sourced' >sourced
for i in 1 2 3 4 5 6 7 8 9; do echo "echo line $i"; done >long
cat >loops <<'END'
""" + LOOPS + "END\n"

ENTRIES = [
    Entry("bash", "loops over `read`, shared descriptors, sourced files, background jobs",
          MAKE + 'bash loops; echo $?; mapfile -t a <"$INPUT/words"; echo ${#a[@]} ${a[4711]}; '
          'cksum < <(sort "$INPUT/words"); cat <<<text; echo "$(<"$INPUT/tree/folder1/file1")" | cksum',
          needs=("bash",), version="bash --version", reads=("bash",), quick=True),
    Entry("dash", "the same script", MAKE + "dash loops; echo $?", needs=("dash",),
          version="dpkg-query -W -f='${Version}' dash", reads=("dash",)),
    Entry("zsh", "the same script", MAKE + "zsh -f loops; echo $?", needs=("zsh",), version="zsh --version",
          reads=("zsh",)),
    Entry("busybox", "its own sh, sort, md5sum and tar",
          MAKE + 'busybox sh loops; echo $?; busybox md5sum "$INPUT/random"; '
          'busybox sort "$INPUT/words" | busybox cksum; mkdir out && busybox tar xf "$INPUT/pile.tar" -C out',
          needs=("/usr/bin/busybox",), inputs=("pile.tar",), version="busybox | head -n 1",
          inactive="statically linked", compare_stderr=False),
]
