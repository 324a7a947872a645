"""Interpreters, compilers and what they make."""
from entry import Entry

PYTHON = r"""
import hashlib, io, mmap, os, shutil, sys, tempfile
folder = os.environ["INPUT"]
def digest(data): return hashlib.md5(data).hexdigest()
with open(f"{folder}/random", "rb") as f:
    print(digest(f.read()), f.tell(), f.seek(-5000, 2), digest(f.read(3000)), f.read1(10000)[-3:])
    f.seek(1 << 20); print(f.readline()[:9], f.tell(), digest(f.peek()[:100]))
with open(f"{folder}/random", "rb", buffering=0) as f:
    total = 0
    buffer = bytearray(70001)
    while n := f.readinto(buffer): total += n
    print(total, os.pread(f.fileno(), 10, 4000000), os.preadv(f.fileno(), [bytearray(9), bytearray(8000)], 77))
    with mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ) as m:
        m.madvise(mmap.MADV_SEQUENTIAL)
        print(digest(m), m.find(b"abc"), m.rfind(b"xyz"), digest(m[::4096]))
print(sum(len(line) for line in open(f"{folder}/words")))
for line in open(f"{folder}/words"):
    if line.startswith("30000 "): print(line)
shutil.copytree(f"{folder}/tree", "out/tree", symlinks=True)
shutil.copyfile(f"{folder}/random", "out/copy")
with tempfile.TemporaryFile() as t:
    t.write(b"x" * 300000); t.seek(100); print(len(t.read()))
r, w = os.pipe()
source = os.open(f"{folder}/random", os.O_RDONLY)
print(os.sendfile(w, source, 100, 5000), digest(os.read(r, 5000)), os.lseek(source, 0, 1))
print(os.splice(source, w, 4000, 200), digest(os.read(r, 4000)))
for bad in (lambda: os.read(99, 1), lambda: os.pread(source, 1, -1), lambda: open(folder + "/none"),
            lambda: os.read(w, 1)):
    try: bad()
    except OSError as e: print(e.errno)
"""

POOL = r"""
import hashlib, multiprocessing, os, sys, threading
folder = os.environ["INPUT"]
def work(n):
    with open(f"{folder}/random", "rb") as f:
        f.seek(n * 100000); return hashlib.md5(f.read(700000)).hexdigest()
if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(3) as pool: print(method, pool.map(work, range(20)))
    shared = open(f"{folder}/words", "rb", buffering=0)
    if os.fork() == 0: shared.read(1000); os._exit(0)
    os.wait(); print(shared.tell())
    results = {}
    threads = [threading.Thread(target=lambda n=n: results.update({n: work(n)})) for n in range(12)]
    for t in threads: t.start()
    for t in threads: t.join()
    print(sorted(results.items()))
"""

NUMPY = r"""
import numpy, os
path = os.environ["INPUT"] + "/random"
m = numpy.memmap(path, dtype="u1", mode="r")
print(m.shape, int(m.sum(dtype="u8")), int(m[::4096].sum(dtype="u8")), int(m[::-70000].sum(dtype="u8")))
a = numpy.memmap(path, dtype="u4", mode="r", offset=4096, shape=(1000, 1000))
print(int(a[:, 7].sum(dtype="u8")), int(a[500].sum(dtype="u8")), int(a.T[3, ::9].sum(dtype="u8")))
c = numpy.memmap(path, dtype="u1", mode="c"); c[:100] = 0; print(int(c[:200].sum()))
w = numpy.memmap("mapped", dtype="f8", mode="w+", shape=(300, 700)); w[:] = numpy.arange(700); w.flush(); del w
print(float(numpy.memmap("mapped", dtype="f8", mode="r").sum()))
numpy.save("a.npy", numpy.arange(500000)); print(int(numpy.load("a.npy", mmap_mode="r")[::1000].sum()))
numpy.savez("a.npz", x=numpy.arange(99999)); print(int(numpy.load("a.npz")["x"].sum()))
print(int(numpy.fromfile(path, dtype="u2", count=100000, offset=123).sum(dtype="u8")))
"""

JAVA = r"""
import java.io.*; import java.nio.*; import java.nio.channels.*; import java.nio.file.*; import java.util.*;
import java.util.zip.*;
public class Reads {
  static long crc(byte[] b, int n) { CRC32 c = new CRC32(); c.update(b, 0, n); return c.getValue(); }
  public static void main(String[] a) throws Exception {
    String folder = System.getenv("INPUT"), path = folder + "/random"; long sum = 0; byte[] b = new byte[65536];
    int n;
    try (InputStream in = new FileInputStream(path)) { while ((n = in.read(b)) > 0) sum += crc(b, n); }
    System.out.println(sum);
    try (RandomAccessFile f = new RandomAccessFile(path, "r")) {
      Random r = new Random(5);
      for (int i = 0; i < 500; i++) { f.seek(r.nextInt(8000000)); f.readFully(b, 0, 1000); sum += crc(b, 1000); }
      System.out.println(sum + " " + f.getFilePointer());
      FileChannel c = f.getChannel();
      MappedByteBuffer m = c.map(FileChannel.MapMode.READ_ONLY, 4096, 4000000); CRC32 k = new CRC32(); k.update(m);
      System.out.println(k.getValue());
      try (FileChannel out = FileChannel.open(Path.of("out/copy"), StandardOpenOption.CREATE,
           StandardOpenOption.WRITE)) {
        System.out.println(c.transferTo(1000, 5000000, out) + " " + out.transferFrom(c, 5000000, 700000)); }
      ByteBuffer d = ByteBuffer.allocateDirect(100000); System.out.println(c.read(d, 123456) + " " + c.position());
    }
    try (BufferedReader in = Files.newBufferedReader(Path.of(folder, "words"))) {
      System.out.println(in.lines().count()); }
    try (var paths = Files.walk(Path.of(folder, "tree"))) { System.out.println(paths.count()); }
    Process p = new ProcessBuilder("cksum", folder + "/words").redirectErrorStream(true).start();
    System.out.println(new String(p.getInputStream().readAllBytes()) + p.waitFor());
    Thread[] t = new Thread[8]; long[] sums = new long[8];
    for (int i = 0; i < 8; i++) { int id = i;
    t[i] = new Thread(() -> { try { sums[id] = crc(Files.readAllBytes(Path.of(path)), 8 << 20); }
      catch (IOException e) { sums[id] = -1; } }); t[i].start(); }
    for (Thread x : t) x.join(); System.out.println(Arrays.toString(sums));
    try { new FileInputStream(folder + "/none"); } catch (FileNotFoundException e) { System.out.println("none"); }
  }
}
"""

NODE = r"""
const fs = require('fs'), crypto = require('crypto'), path = require('path'), child = require('child_process');
const folder = process.env.INPUT, md5 = (data) => crypto.createHash('md5').update(data).digest('hex');
console.log(md5(fs.readFileSync(folder + '/random')));
const fd = fs.openSync(folder + '/random'), b = Buffer.alloc(5000);
for (const at of [7000000, 5, 4096, 8388000]) console.log(fs.readSync(fd, b, 0, 5000, at), md5(b));
fs.closeSync(fd); fs.cpSync(folder + '/tree', 'out/tree', {recursive: true, verbatimSymlinks: true});
const h = crypto.createHash('sha1');
const s = fs.createReadStream(folder + '/random', {start: 1000, highWaterMark: 70000});
s.on('data', (d) => h.update(d)); s.on('end', async () => {
  console.log(h.digest('hex'));
  const all = await Promise.all(fs.readdirSync(folder + '/tree/folder1').sort().map(
    (f) => fs.promises.readFile(folder + '/tree/folder1/' + f)));
  console.log(md5(Buffer.concat(all)));
  await require('stream/promises').pipeline(fs.createReadStream(folder + '/words'),
    require('zlib').createGzip({level: 1}), fs.createWriteStream('words.gz'));
  console.log(child.execSync('gzip -dc words.gz | cksum').toString());
  let n = 0, input = fs.createReadStream(folder + '/words');
  for await (const line of require('readline').createInterface({input})) n++;
  console.log(n);
  const {Worker} = require('worker_threads');
  new Worker(`const fs = require('fs');
  require('worker_threads').parentPort.postMessage(fs.readFileSync('${folder}/words').length)`, {eval: true})
    .on('message', (m) => console.log('worker', m));
  fs.readFile(folder + '/none', (e) => console.log(e.code));
});
"""

PERL = r"""
use strict; use Digest::MD5; my $folder = $ENV{INPUT};
open(my $f, '<:raw', "$folder/random") or die; print Digest::MD5->new->addfile($f)->hexdigest, "\n";
seek($f, 4000000, 0); read($f, my $a, 5000); print Digest::MD5::md5_hex($a), ' ', tell($f), "\n";
sysseek($f, 77, 0); sysread($f, $a, 100000); print length($a), "\n"; print eof($f) ? 1 : 0, "\n"; close($f);
open($f, '<', "$folder/words"); my ($n, %h) = 0; while (<$f>) { $n++; my @w = split;
$h{$w[2]}++ } print "$n $. ", scalar(keys %h), "\n";
{ local $/; seek($f, 0, 0); print length(<$f>), "\n" } close $f;
open(my $p, '-|', "cksum $folder/random") or die; print <$p>; close $p;
if (my $pid = fork) { waitpid($pid, 0); print $? >> 8, "\n" } else { open($f, '<', "$folder/words"); <$f>; exit 7 }
print -s "$folder/sparse", "\n"; open($f, '<', "$folder/none") or print $! + 0, "\n";
@ARGV = ("$folder/tree/folder1/file1", "$folder/tree/folder1/file9"); my $c = 0; $c += length while <>; print "$c\n";
"""

GO = r"""
package main
import ("bufio"; "crypto/md5"; "fmt"; "io"; "os"; "os/exec"; "path/filepath"; "sync"IMPORT)
func main() {
	folder := os.Getenv("INPUT")
	f, e := os.Open(folder + "/random"); if e != nil { panic(e) }
	h := md5.New(); n, _ := io.Copy(h, f); fmt.Printf("%d %x\n", n, h.Sum(nil))
	b := make([]byte, 5000); f.ReadAt(b, 4000000); fmt.Printf("%x\n", md5.Sum(b))
	w, _ := os.Open(folder + "/words"); s := bufio.NewScanner(w); lines := 0; for s.Scan() { lines++ };
fmt.Println(lines)
	var g sync.WaitGroup; sums := make([]string, 16)
	for i := range sums { g.Add(1); go func(i int) { defer g.Done(); d, _ := os.ReadFile(folder + "/random");
sums[i] = fmt.Sprintf("%x", md5.Sum(d)) }(i) }
	g.Wait(); fmt.Println(sums)
	files := 0; filepath.Walk(folder+"/tree", func(p string, i os.FileInfo, e error) error { files++; return e });
fmt.Println(files)
	o, e := exec.Command("cksum", folder+"/words").Output(); fmt.Println(string(o), e)
	_, e = os.Open(folder + "/none"); fmt.Println(os.IsNotExist(e))
	EXTRA
}
"""
BUILD_GO = 'export GOCACHE=$HOME/cache GOFLAGS=-mod=mod GO111MODULE=off GOPROXY=off; ' \
    'go build -o reads reads.go && ./reads\n'


def with_file(name, text, command):
    return f"mkdir -p out; cat >{name} <<'END_OF_FILE'\n{text.strip()}\nEND_OF_FILE\n{command}"


ENTRIES = [
    Entry("python3", "read, readinto, pread, mmap, sendfile, splice, lines, copytree",
          with_file("reads.py", PYTHON, "python3 -B reads.py"), needs=("python3",), version="python3 --version",
          reads=("python3",), quick=True),
    Entry("python3", "multiprocessing by fork, spawn and forkserver; threads; a description shared by fork",
          with_file("pool.py", POOL, "python3 -B pool.py"), needs=("python3",), version="python3 --version",
          reads=("python3",), quick=True),
    Entry("python3-numpy", "memmap of all modes, strided, backward; npy, npz, fromfile",
          with_file("maps.py", NUMPY, "/usr/bin/python3 -B maps.py"),
          needs=("/usr/lib/python3/dist-packages/numpy/__init__.py",), reads=("python3",),
          version="/usr/bin/python3 -c 'import numpy; print(numpy.__version__)'"),
    Entry("python3", "compileall of the standard library, unittest of it",
          'cp -r /usr/lib/python3*/json /usr/lib/python3*/email . && python3 -m compileall -q -j2 --invalidation-mode '
          'unchecked-hash json email; mkdir out; find . -name "*.pyc" -exec cp {} out \\;; '
          'python3 -B -m unittest -h | cksum',
          needs=("python3",), version="python3 --version", reads=("python3",), slow_disk=False),
    Entry("perl", "read, sysread, seek, lines, slurp, fork, pipes", with_file("reads.pl", PERL, "perl reads.pl"),
          needs=("perl",), version="perl -e 'print $^V'", reads=("perl",), quick=True),
    Entry("gcc", "make -j2 of 24 files and a library, linked and run", r"""
mkdir out; for i in $(seq 24); do echo "#include <stdio.h>
#include <stdlib.h>
#include <math.h>
int f$i(int n) { return printf(\"%d \", n + $i + (int)sqrt(n)); }" >f$i.c; done
sed 's,.*,// &,' "$INPUT/words" >long.h
{ echo '#include "long.h"'; for i in $(seq 24); do echo "int f$i(int);"; done; echo 'int main(void) {';
for i in $(seq 24); do echo "f$i($i);"; done
  echo 'return 0; }'; } >main.c
cat >Makefile <<'END'
objects = main.o $(patsubst %.c,%.o,$(wildcard f*.c))
out/program: main.o libf.a
	gcc -g -o $@ main.o -L. -lf -lm
libf.a: $(filter-out main.o,$(objects))
	ar rcsD $@ $(sort $^)
%.o: %.c
	gcc -O1 -g -MMD -c -o $@ $<
-include *.d
END
make -s -j2 && make -j2 && out/program && cp libf.a *.o out && objdump -d out/program | tail -n +4 | cksum;
touch f3.c; make -s -j2
nm out/program | grep -c ' f'; readelf -S out/program | cksum; strip out/program && out/program | cksum
""", needs=("gcc", "make"), version="gcc --version", reads=("cc1", "ld"), quick=True, slow_disk=False),
    Entry("g++", "one file with templates, -flto, precompiled header", r"""
mkdir out; echo '#include <map>
#include <regex>
#include <iostream>' >all.h; echo '#include "all.h"
int main() { std::map<std::string, int> m{{"a", 1}};
std::cout << std::regex_match("abc", std::regex("a.*")) << m["a"] << "\n"; }' >m.cc
g++ -x c++-header all.h && g++ -O1 -flto -o m m.cc && ./m; g++ -O0 -c -o out/m.o m.cc
""", needs=("g++",), version="g++ --version", reads=("cc1plus",), slow_disk=False),
    Entry("java", "javac, FileInputStream, RandomAccessFile, FileChannel map and transferTo, threads, a child process",
          with_file("Reads.java", JAVA, "javac Reads.java && java -Xmx256m Reads && java -Xshare:off -Xint -version "
                    "2>&1 | wc -l"), needs=("java", "javac"), version="java --version", reads=("java",)),
    Entry("node", "readFileSync, streams, promises, cpSync, worker threads, a child process",
          with_file("reads.js", NODE, "node reads.js"), needs=("node",), version="node --version", reads=("node",)),
    Entry("go", "go build, and a program without cgo",
          with_file("reads.go", GO.replace("IMPORT", "").replace("EXTRA", ""), BUILD_GO), needs=("go",),
          version="go version", inactive="Go makes its system calls itself"),
    Entry("go", "the same with cgo, hence with libc",
          with_file("reads.go", GO.replace("package main",
                    "package main\n// #include <stdlib.h>\nimport \"C\"").replace(
              "IMPORT", "").replace("EXTRA", "C.free(C.malloc(10))"), BUILD_GO), needs=("go", "gcc"),
              version="go version",
          inactive="Go makes its system calls itself"),
]
