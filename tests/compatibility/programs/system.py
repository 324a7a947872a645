"""What an administrator runs: file systems in files, other users, disk images, pipes with a gauge."""
from entry import Entry

DPKG = "dpkg-query -W -f='${Version}' "

ENTRIES = [
    Entry("e2fsprogs", "mkfs.ext4 with files, e2fsck, debugfs, resize2fs, mount on a loop device", r"""
truncate -s 40M image; mkfs.ext4 -q -F -U 00000000-0000-0000-0000-000000000001 \
  -E hash_seed=00000000-0000-0000-0000-000000000002 -d "$INPUT/tree" image
e2fsck -fp image >/dev/null; echo $?; debugfs -R 'cat /folder1/file1' image 2>/dev/null |
  cksum
resize2fs image 60M >/dev/null 2>&1; echo $?; e2fsck -fn image >/dev/null 2>&1; echo $?; mkdir m
if mount -o loop image m 2>/dev/null; then cp "$INPUT/random" m/ && cmp m/random "$INPUT/random" && echo same
diff -r m/folder2 "$INPUT/tree/folder2"; md5sum m/random | cut -c 1-32; umount m; echo $?; fi
""", needs=("mkfs.ext4", "debugfs", "resize2fs"), version=DPKG + "e2fsprogs", reads=("debugfs", "cp")),
    Entry("sudo", "and su, runuser, setpriv: what runs as another user", r"""
chmod 755 .; cp "$INPUT/random" r; chmod 644 r; [ "$(id -u)" = 0 ] || exit 0
runuser -u nobody -- md5sum r; su -s /bin/sh nobody -c "cksum $PWD/r | cut -d' ' -f 1";
setpriv --reuid nobody --clear-groups sort r | cksum
sudo -n -u nobody md5sum r; python3 -c "
import os
f = open('r', 'rb'); print(len(f.read(3000000))); os.setgroups([]); os.setresgid(65534, 65534, 65534);
os.setresuid(65534, 65534, 65534)
print(len(f.read()), len(open('r', 'rb').read()))"
""", needs=("sudo", "su", "runuser", "setpriv", "python3"), version="sudo --version", reads=("python3",)),
    Entry("qemu-img", "create, convert with several coroutines, check, compare, snapshot", r"""
qemu-img convert -q -f raw -O qcow2 -m 8 -W "$INPUT/random" a.qcow2; qemu-img check -q a.qcow2; echo $?;
qemu-img compare -q -f raw -F qcow2 "$INPUT/random" a.qcow2; echo $?
qemu-img convert -q -t none -T none -O raw a.qcow2 b.raw; cmp -n 8388608 b.raw "$INPUT/random" && echo same;
qemu-img snapshot -c s a.qcow2; qemu-img snapshot -l a.qcow2 | wc -l
qemu-io -r -f raw -c 'read 1M 64k' -c 'aio_read 3M 1M' -c aio_flush "$INPUT/random" | grep -c read
""", needs=("qemu-img", "qemu-io"), version="qemu-img --version", reads=("qemu-img",)),
    Entry("pv", "splice and read, with a rate limit; sponge, socat", r"""
pv -q "$INPUT/random" | md5sum; pv -q -L 40m <"$INPUT/random" | md5sum; pv -q -C "$INPUT/words" "$INPUT/random" |
cksum; pv -q -B 100 -s 10 <"$INPUT/tree/folder1/file1" | wc -c
cp "$INPUT/words" w; sort -r w | sponge w; cksum w; socat -u "OPEN:$INPUT/random" - | md5sum;
socat -u -b 1000 "FILE:$INPUT/words,seek=5000" EXEC:cksum,nofork 2>&1
socat "UNIX-LISTEN:s" "SYSTEM:cat $INPUT/random" & wait_for test -S s; socat -u UNIX-CONNECT:s - | md5sum; wait
""", needs=("pv", "sponge", "socat"), version="pv --version", reads=("pv",), compare_stderr=False),
    Entry("lmdb", "mdb_load, mdb_dump, mdb_copy through a mapping", r"""
mkdir d e; awk '{ print $1 "_" $2; print }' "$INPUT/words" | head -n 40000 | mdb_load -T d; mdb_dump -p d | cksum;
mdb_copy -c d e; mdb_dump -p e | cksum; mdb_stat d | tail -n 3
""", needs=("mdb_load",), version=DPKG + "lmdb-utils", reads=("awk",)),
    Entry("samtools", "BAM of random reads: sort, index, jump to regions", r"""
awk 'BEGIN { OFS = "\t"; print "@HD\tVN:1.6"; print "@SQ\tSN:a\tLN:100000000";
srand(3) } { print "r" NR, 0, "a", int(rand() * 99999000) + 1, 9, "20M", "*", 0, 0,
"ACGTACGTACGTACGTACGT", "IIIIIIIIIIIIIIIIIIII" }' "$INPUT/words" >a.sam; samtools view --no-PG -b a.sam -o a.bam;
samtools sort --no-PG -m 1M -@ 1 a.bam -o s.bam 2>/dev/null
samtools index s.bam; for at in 90000000 5 40000000; do samtools view -c s.bam a:$at-$((at + 3000000)); done;
samtools view s.bam | cksum; samtools flagstat s.bam | head -n 1
""", needs=("samtools",), version="samtools --version", reads=("samtools",)),
    Entry("clang", "-c through ccache twice, linked by lld, -flto=thin", r"""
export CCACHE_DIR=$HOME/c; echo '#include <stdio.h>
int f(int n) { return n * 3; } int main(void) { printf("%d\n", f(14)); return 0; }' >m.c; for i in 1 2;
do ccache clang -O1 -c m.c; done; ccache -s | grep -c -i hits
clang -fuse-ld=lld -o m m.o && ./m; clang -O2 -flto=thin -fuse-ld=lld -o n m.c && ./n; mkdir out; cp m out/
mkfifo pipe; clang -O1 -x c -c -o out/p.o - <pipe & exec 5>pipe; as_mapped clang $! clang; cat m.c >&5; exec 5>&-; wait
""", needs=("clang", "ccache", "ld.lld"), version="clang --version", mapped=("clang",), slow_disk=False),
    Entry("vsftpd", "anonymous downloads by curl, from its sandbox", r"""
port=$(free_port); [ "$(id -u)" = 0 ] || exit 0; mkdir -p empty; cat >conf <<END
listen=YES
listen_address=127.0.0.1
listen_port=$port
anonymous_enable=YES
anon_root=$INPUT
no_anon_password=YES
secure_chroot_dir=$HOME/empty
ftp_username=nobody
nopriv_user=nobody
xferlog_enable=NO
seccomp_sandbox=YES
background=NO
END
chmod 755 .; vsftpd "$HOME/conf" >log 2>&1 & pid=$!; wait_for curl -sf ftp://127.0.0.1:$port/; mapped vsftpd $pid
for f in random words tree/folder1/file1; do curl -s ftp://127.0.0.1:$port/$f | cmp - "$INPUT/$f" && echo $f; done;
curl -s -r 4000000-4999999 ftp://127.0.0.1:$port/random | cksum
for i in 1 2 3 4; do curl -s ftp://127.0.0.1:$port/random | md5sum & jobs[i]=$!; done | sort | uniq -c;
curl -s ftp://127.0.0.1:$port/tree/ | wc -l; kill $pid; wait; cat log
""", needs=("vsftpd", "curl", "python3"), version=DPKG + "vsftpd", mapped=("vsftpd",), compare_stderr=False),
    Entry("Firefox", "headless with its sandbox: a page with a script, as a picture", r"""
mkdir p out; { echo "<html><body style='font-family: monospace'><h1>read</h1>
<script>document.write([1, 2, 3].map(x => x * 7))</script>"; for i in $(seq 40); do
echo "<p>$i $(sed -n ${i}p "$INPUT/words")</p>"; done; } >page.html;
firefox-esr --headless --no-remote --profile p --window-size=400,300 \
  --screenshot "$HOME/a.png" "file://$HOME/page.html" >noise 2>&1
echo $?; head -c 4 a.png | od -c; cksum <a.png
""", needs=("firefox-esr",), version="firefox-esr --version", as_user=True, reads=("firefox-esr",), slow_disk=False,
timeout_s=400),
    Entry("ps", "and lsof, pgrep, top, free, find over /proc", r"""
sleep 50 & pid=$!; ps -o comm= -p $pid; pgrep -P $$ -x sleep | grep -c $pid; top -b -n 1 -p $pid | grep -c sleep;
free | wc -l; cat /proc/$pid/status | grep -c Name; tail -c 5 /proc/cpuinfo | wc -c
cat /proc/$pid/stat | cut -d' ' -f 2; dd if=/proc/$pid/environ bs=1 2>/dev/null | tr '\0' '\n' | grep -c INPUT;
head -c 10 /proc/kallsyms | wc -c; cat /sys/kernel/mm/transparent_hugepage/enabled | wc -w
wc -c </proc/meminfo | grep -c .; md5sum /proc/version | cksum; cp /proc/filesystems f; wc -l <f | grep -c .;
kill $pid; ls -l /proc/self/fd | wc -l; python3 -c "import os;
print(sorted(map(int, os.listdir('/proc/self/fd'))))"; exec 7<"$INPUT/words"; bash -c 'ls /proc/$$/fd;
read -r a <&7; echo $a'
sort "$INPUT/words" >/dev/null
""", needs=("ps", "top", "free"), version="ps --version", reads=("sort",)),
]
