"""Odd ways to combine programs: job servers, locks, terminals, watchers, other preloads."""
from entry import Entry

# $1: a library that is loaded beside ours, in both orders. Bare, alone.
BOTH_ORDERS = r"""
both() { local own=${LD_PRELOAD-}
  LD_PRELOAD="$1${own:+ $own}" bash -c "$2"; echo $?; LD_PRELOAD="${own:+$own }$1" bash -c "$2"; echo $?; }
"""

def beside(program, library, what, commands, **more):
    return Entry(program, what, BOTH_ORDERS + f"cat >commands <<'END'\n{commands}\nEND\n"
                 f'both "$(ls -d {library} | tail -n 1)" "bash commands"', needs=(library,) + more.pop("needs", ()),
                 version=f"dpkg-query -W -f='${{Version}}' {more.pop('package', program)}", reads=("md5sum",), **more)


FIVE = ('ls "$INPUT"; md5sum "$INPUT/random"; '
        'python3 -c "import os; print(len(open(os.environ[\'INPUT\'] + \'/words\').read()))"; '
        'sort -S 1M -T . "$INPUT/words" | cksum; tar cf a.tar -C "$INPUT" tree random && '
        'tar xOf a.tar random | cksum; rm -f b; cp "$INPUT/random" b && cmp b "$INPUT/random"; '
        'perl -ne "END { print \\$. }" '
        '"$INPUT/words"; head -c 1000 "$INPUT/words" | cksum')
LIBRARIES = "/usr/lib/x86_64-linux-gnu"

ENTRIES = [
    Entry("make", "-j4 with a job server through recursive make, and a program that inherits it", r"""
for d in a b c; do mkdir $d; cat >$d/Makefile <<'END'
all: x1 x2 x3 x4 x5 x6 x7 x8 x9
x%:
	cksum < $(INPUT)/random > $@; sort $(INPUT)/words | cksum >> $@
END
done
printf 'all: a b c\n.PHONY: a b c\na b c:\n\t+$(MAKE) -s -C $@\n' >Makefile; make -s -j4 &&
cat ?/x* | sort | uniq -c; make -s -j2 --output-sync=target -C a -B 2>&1 | wc -l
""", needs=("make",), version="make --version", reads=("sort", "cksum")),
    Entry("xargs", "-P8, sponge-like pipes, named pipes, coprocesses, here strings", r"""
cd "$INPUT"; find . -type f -print0 | xargs -0 -P8 -n3 md5sum | sort | cksum; cd "$HOME"; mkfifo p;
cat "$INPUT/random" >p & cksum <p; wait
coproc C { sort -n; }; head -n 5000 "$INPUT/words" >&${C[1]}; exec {w}>&- ; eval "exec ${C[1]}>&-"; cksum <&${C[0]}
cat "$INPUT/words" | head -n 3; yes | head -n 9 | paste -sd,;
seq 30 | xargs -P8 -I{} sh -c 'head -c {}00000 "$INPUT/random" | md5sum' | sort
tee >(cksum >one) >(wc -c >two) <"$INPUT/random" | md5sum; wait_for test -s one; wait_for test -s two; cat one two
""", needs=("xargs",), version="xargs --version", reads=("md5sum",)),
    Entry("flock", "scripts that hold a lock for each other, on a file that is read", r"""
echo 0 >n; for i in $(seq 40); do flock n -c 'x=$(<n); echo $((x + 1)) >n' & done; wait; cat n
exec 9<>n; flock 9; read -r x <&9; flock -n n true; echo $?; cat n n n >/dev/null; flock -n n true; echo $?;
flock -u 9; flock -n n true; echo $?
(flock -s 8; cat <&8; flock -n -x n true; echo $?) 8<n; flock "$INPUT" md5sum "$INPUT/random"; lockfile() { set -C;
echo $$ >l; } 2>/dev/null; lockfile && ! lockfile && echo held
""", needs=("flock",), version="flock --version", reads=("md5sum",)),
    Entry("inotifywait", "sees the opens, reads and closes of a program, and no others", r"""
mkdir w; cp "$INPUT/words" w/a; cp "$INPUT/random" w/b
watch() { inotifywait -m -q -o seen --format '%e %f' w 2>/dev/null & pid=$!;
ready() { grep -q "^inotify" /proc/$pid/fdinfo/*; }; wait_for ready; }
ended() { touch w/end; grep -q end seen; }
watch; cat w/a | cksum; head -c 10 w/b | od -c; md5sum w/b; sort w/a | cksum; tail -n 1 w/a; tac w/a | head -n 1;
wait_for ended; kill $pid
wait; grep -v end seen | uniq -c | awk '$2 == "ACCESS" { $1 = "" } { print }'
""", needs=("inotifywait",), version="dpkg-query -W -f='${Version}' inotify-tools", reads=("md5sum",), slow_disk=False),
    Entry("script", "and tmux: programs that read in a pseudo terminal", r"""
script -qec 'cat "$INPUT/tree/folder1/file1"; stty size; md5sum "$INPUT/random";
tty | tr -d 0-9' -O log </dev/null >seen; tr -d '\r' <seen | cksum; wc -l <log >/dev/null
export TERM=screen; tmux -f /dev/null -S "$HOME/socket" new-session -d -x 80 -y 24 'md5sum "$INPUT/random" >one;
sort "$INPUT/words" | cksum >two; echo done >three'
wait_for test -s three; cat one two three; tmux -S "$HOME/socket" kill-server 2>/dev/null; echo end
""", needs=("script", "tmux"), version="script --version", reads=("md5sum",)),
    Entry("screen", "detached session that reads", r"""
export TERM=xterm SCREENDIR=$HOME/s; mkdir -m 700 s; screen -c /dev/null -dmS x sh -c 'md5sum "$INPUT/random" >one;
sort "$INPUT/words" | cksum >two; echo done >three'
wait_for test -s three; cat one two three
""", needs=("screen",), version="dpkg-query -W -f='${Version}' screen", reads=("md5sum",), slow_disk=False),
    Entry("setsid", "daemons by double fork, nohup, timeout, nice, env -i, closed descriptors, limits", r"""
(setsid sh -c '(md5sum "$INPUT/random" >one; echo done >two) </dev/null >/dev/null 2>&1 &'); wait_for test -s two;
cat one
nohup cksum "$INPUT/random" 2>/dev/null; timeout 60 cksum "$INPUT/words";
timeout -s KILL .5 tail -f "$INPUT/words" | wc -l; echo ${PIPESTATUS[0]}; nice -n 5 cksum "$INPUT/sparse"
env -i /usr/bin/cksum "$INPUT/random"; md5sum "$INPUT/random" <&- ; cat <&- 2>&1; cksum "$INPUT/words" 2>&-;
sort "$INPUT/words" <&- | tail -n 1
(ulimit -n 8; cat "$INPUT"/tree/folder1/* | cksum); (ulimit -n 4; cksum "$INPUT/words"); (ulimit -v 60000;
cat "$INPUT/random" | cksum); { (ulimit -f 10; exec cat "$INPUT/random" >big); } 2>/dev/null; echo $?
(ulimit -s 256; cksum "$INPUT/random"); (ulimit -t 50; wc "$INPUT/words"); python3 -c "import resource, os;
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1)); print(len(open(os.environ['INPUT'] + '/random', 'rb').read()))"
""", needs=("setsid", "nohup", "python3"), version="setsid --version", reads=("md5sum", "cksum")),
    Entry("unshare", "user, mount and process namespaces, chroot, read-only bind mounts", r"""
unshare -Ur sh -c 'id -u; md5sum "$INPUT/random"'; unshare -Urmp --fork --mount-proc sh -c 'echo $$;
cksum "$INPUT/words"; ls /proc | grep -c "^[0-9]"'
unshare -Urm sh -c 'mount --bind / /mnt && mount -o remount,ro,bind /mnt &&
cksum "/mnt$INPUT/random" | cut -d" " -f 1,2; umount /mnt; echo $?'
unshare -Urn sh -c 'cksum "$INPUT/sparse"; cat /proc/net/dev | wc -l';
setpriv --no-new-privs sort "$INPUT/words" | cksum
python3 -c "import os; f = open(os.environ['INPUT'] + '/random', 'rb'); f.read(3000000);
print(os.listdir('/proc/self/task').__len__()); os.unshare(os.CLONE_NEWUSER) if hasattr(os, 'unshare') else 0;
print(len(f.read()))"
""", needs=("unshare", "setpriv"), version="unshare --version", reads=("md5sum", "cksum"), as_user=True),
    beside("fakeroot", LIBRARIES + "/libfakeroot/libfakeroot-sysv.so", "its library beside ours, in both orders", FIVE),
    Entry("fakeroot", "fakeroot tar, chown, mknod", r"""
fakeroot sh -c 'id -u; mkdir t; cp "$INPUT/words" t; chown 7:8 t/words; mknod t/d c 1 3; stat -c "%u %g %F" t/*;
tar --mtime=@0 --sort=name -cf a.tar t; md5sum "$INPUT/random"'; tar --numeric-owner -tvf a.tar
""", needs=("fakeroot",), version="fakeroot --version", reads=("md5sum",)),
    beside("eatmydata", LIBRARIES + "/libeatmydata.so", "its library beside ours, in both orders", FIVE,
           package="libeatmydata1"),
    beside("faketime", LIBRARIES + "/faketime/libfaketime.so.1", "its library beside ours, in both orders; "
              "a shifted clock",
           FIVE + "\nFAKETIME='@2001-01-01 00:00:00' date +%Y; FAKETIME='+3d x5' md5sum \"$INPUT/random\"",
           package="libfaketime"),
    Entry("stdbuf", "-i0, -oL, -i1000", r"""
stdbuf -oL grep -n 99 "$INPUT/words" | cksum; stdbuf -i0 -o0 head -c 30000 "$INPUT/random" | cksum
stdbuf -i1000 sort "$INPUT/words" | cksum; stdbuf -i 64K md5sum "$INPUT/random"
""", needs=("stdbuf",), version="stdbuf --version", reads=("grep", "sort", "md5sum")),
    beside("fakechroot", LIBRARIES + "/fakechroot/libfakechroot.so", "its library beside ours, in both orders",
           FIVE, package="libfakechroot"),
    beside("nss_wrapper", LIBRARIES + "/libnss_wrapper.so", "its library beside ours, in both orders",
           FIVE + "\nid -un", package="libnss-wrapper"),
    beside("jemalloc", LIBRARIES + "/libjemalloc.so.2", "as allocator, in both orders", FIVE, package="libjemalloc2"),
    beside("tcmalloc", LIBRARIES + "/libtcmalloc_minimal.so.4", "as allocator, in both orders", FIVE,
           package="libtcmalloc-minimal4"),
    beside("mimalloc", LIBRARIES + "/libmimalloc.so.2.0", "as allocator, in both orders", FIVE,
           package="libmimalloc2.0"),
]
