"""What every system has: coreutils, grep, find, diff, sed, awk, less, man."""
from entry import Entry

QUICK = ("cp", "dd", "sort", "md5sum", "tail", "grep", "find")

def coreutils(program, script, **more):
    more = {"needs": (program,), "version": f"{program} --version", "reads": (program,),
            "quick": program in QUICK} | more
    return Entry(program, more.pop("what"), script, **more)


ENTRIES = [
    coreutils("cp", 'mkdir out && cp "$INPUT/random" out/a && '
              'cp --sparse=always --reflink=never "$INPUT/sparse" out/b && '
              'cp -a "$INPUT/tree" out/tree && cat out/a >out/c && cp -u out/a out/c',
              what="files, sparse files, a tree"),
    coreutils("cat", 'cat "$INPUT/random" | cksum; cat <"$INPUT/words" "$INPUT/tree/folder1/file1" - | cksum; '
              'cat -n "$INPUT/words" | tail -n 2; cat "$INPUT" 2>&1 | sed "s/.*: //"', what="to pipes, -n, a folder"),
    coreutils("dd", 'mkdir out; exec 2>noise; for bs in 512 4k 100000 1M; '
              'do dd if="$INPUT/random" bs=$bs skip=3 count=40 | '
              'cksum; done; dd if="$INPUT/random" of=out/direct iflag=fullblock,nocache bs=1M; '
              'dd if="$INPUT/random" of=out/part bs=1 skip=4000000 count=20000; '
              'dd if="$INPUT/random" of=out/d bs=64k iflag=direct; '
              'dd if="$INPUT/words" of=out/part conv=notrunc seek=5',
              what="block sizes from 1 byte to 1 MiB, skip, seek, direct, nocache"),
    coreutils("tac", 'tac "$INPUT/words" | cksum; tac -s a "$INPUT/words" | cksum; tac "$INPUT/tree/folder1/file1" | '
              'cksum',
              what="backward through a file"),
    coreutils("sort", 'mkdir out; sort -S 1M --parallel=2 -T . "$INPUT/words" -o out/a; sort -m out/a out/a | cksum; '
              'sort -k3,3 -s "$INPUT/words" | cksum; sort -R --random-source="$INPUT/random" "$INPUT/words" | cksum; '
              'sort -c "$INPUT/words"; echo $?; sort "$INPUT/none" 2>&1 | sed "s/.*: //"',
              what="in memory, with temporary files, merge, random source"),
    coreutils("wc", 'cd "$INPUT"; wc random words sparse tree/folder3/*; wc -l words; wc -c <random',
              what="lines, bytes"),
    coreutils("md5sum", 'cd "$INPUT"; find . -type f -exec md5sum {} + >"$HOME/sums"; sort -k2 "$HOME/sums"; '
              'md5sum -c "$HOME/sums" --quiet; for f in random sparse; do sha1sum <$f; sha256sum $f; b2sum $f; done',
              what="`find -exec md5sum {} +`, -c; sha1sum, sha256sum, b2sum"),
    coreutils("split", 'mkdir out; split -b 1000003 "$INPUT/random" out/b.; split -n l/7 "$INPUT/words" out/n.; '
              'split -l 999 --filter="cksum" "$INPUT/words"; cat out/b.* | cmp - "$INPUT/random"; '
              'csplit -s -f out/c. "$INPUT/words" 10 /^20000/', what="by bytes, lines, chunks; csplit"),
    coreutils("head", 'for n in 1 4095 131073 5000000; do head -c $n "$INPUT/random" | cksum; '
              'tail -c $n "$INPUT/random" | '
              'cksum; tail -c +$n <"$INPUT/random" | cksum; done; head -n -20000 "$INPUT/words" | tail -n 1; '
              'tail -n 3 "$INPUT/words"; (head -n 1; head -n 1) <"$INPUT/words"', what="and tail, from both ends"),
    coreutils("tail", r"""
: >followed; mkdir out; tail -n +1 -s .05 -f followed >out/seen 2>err & pid=$!
has() { grep -q "$1" "$2"; }
for i in 1 2 3 4 5; do echo line$i >>followed; wait_for has line$i out/seen || echo lost; done
head -c 300000 "$INPUT/words" >>followed; echo end >>followed; wait_for has end out/seen || echo lost
mapped tail $pid; : >followed; wait_for has truncated err || echo no truncation
echo after >>followed; wait_for has after out/seen || echo lost; kill $pid; wait $pid; echo $?; cat err
""", what="-f on a file that grows and is truncated", reads=(), mapped=("tail",), slow_disk=False),
    coreutils("cmp", 'cmp "$INPUT/random" "$INPUT/random" && echo same; cmp "$INPUT/random" "$INPUT/sparse"; echo $?; '
              'cmp -l -n 200000 "$INPUT/random" "$INPUT/sparse" | cksum; '
              'cmp -i 100:101 "$INPUT/words" "$INPUT/words"; echo $?',
              what="equal and different files"),
    coreutils("od", 'od -A d -t x1 -j 5000000 -N 300000 "$INPUT/random" | cksum; od -c "$INPUT/tree/folder1/file1" | '
              'cksum; '
              'shuf --random-source="$INPUT/random" "$INPUT/words" | cksum; comm "$INPUT/words" "$INPUT/words" | '
              'cksum; '
              'nl "$INPUT/words" | cksum; uniq -c "$INPUT/words" | cksum; cut -c 3-9 "$INPUT/words" | cksum; '
              'paste "$INPUT/words" "$INPUT/words" | cksum; join "$INPUT/words" "$INPUT/words" 2>/dev/null | cksum; '
              'base64 "$INPUT/random" | base64 -d | cksum; truncate -s 2147483653 big && tail -c 5 big | od -c',
              what="and shuf, comm, nl, uniq, cut, paste, join, base64"),
    coreutils("grep", 'cd "$INPUT"; grep -c 99 words; grep -rl the . | sort; grep -r -n -m2 "ab *c" tree | sort | '
              'cksum; '
              'grep -c x random; grep -a -o -b "abc" random; grep -z -c a random; grep -q 1 words; echo $?; '
              'grep -f tree/folder1/file1 /dev/null; echo $?; grep zzzz none; echo $?',
              what="-r, -c, -z, -f, binary files"),
    coreutils("find", 'cd "$INPUT"; find . | sort; find . -type f -size +100k -exec md5sum {} \\; | sort; '
              'find tree -type f -print0 | sort -z | xargs -0 -P 4 -n 10 cksum | sort; find . -empty | sort; '
              'find -L tree -name link -exec head -c 10 {} \\;', what="-exec md5sum, xargs -P 4", reads=("md5sum",)),
    coreutils("diff", 'cp -r "$INPUT/tree" . && echo more >>tree/folder2/file2 && rm tree/folder3/file3; '
              'diff -r "$INPUT/tree" tree | cksum; diff -rq "$INPUT/tree" tree | sed "s,$INPUT,,;s,on .*,,"; '
              'sed s/the/THE/ "$INPUT/words" | diff -u --label a --label b "$INPUT/words" - | cksum; '
              'diff "$INPUT/random" "$INPUT/sparse" | cut -c 1-12; diff -u --label a --label b "$INPUT/words" <(sed 5d '
              '"$INPUT/words") >p; mkdir out; cp "$INPUT/words" out/words', what="-r, -u"),
    coreutils("sed", 'mkdir out; cp "$INPUT/words" out/w; sed -i -e "s/a/A/g;10,20d" out/w; '
              'sed -n "$=" "$INPUT/words"; '
              'sed -n "59999{p;q}" "$INPUT/words"; sed "100r $INPUT/tree/folder1/file1" "$INPUT/words" | cksum; '
              'sed -z s/a/b/ "$INPUT/random" | cksum', what="-i, -n, -z, r"),
    Entry("awk", "sums, getline, arrays", r"""
awk '{ s += $1; n[$2]++ } END { print s, length(n) }' "$INPUT/words"
awk -v f="$INPUT/words" 'BEGIN { while ((getline line < f) > 0) n++; close(f); getline line < f; print n, line }'
awk 'NR % 1000 == 0 { "echo " $2 | getline x; close("echo " $2); print x }' "$INPUT/words" | cksum
""", needs=("awk",), version="dpkg-query -W -f='${Version}' mawk", reads=("awk",), quick=True),
    Entry("less", "through a pipe, to the end and back", 'less "$INPUT/words" | cksum; '
          'printf "G1234gq" >keys; TERM=xterm script -qec "less -f +G $INPUT/words" -O /dev/null <keys | '
          'grep -a -o "59999 [a-z]*" | sort -u',
          needs=("less", "script"), version="dpkg-query -W -f='${Version}' less", reads=("less",)),
    Entry("man", "formats a page", 'MANPATH=/usr/share/man man -P cat bash 2>/dev/null | cksum; '
              'MANPAGER=cat man -E ascii '
          'git-log 2>/dev/null | cksum; apropos zzz 2>&1 | wc -l', needs=("man", "groff"), version="man --version",
          reads=("man",)),
]
