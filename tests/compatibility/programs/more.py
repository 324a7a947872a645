"""Other languages, databases, packers and sandboxes."""
from entry import Entry

DPKG = "dpkg-query -W -f='${Version}' "

SCRIPTS = {
    "ruby": ("reads.rb", r"""
require 'digest'; f = ENV['INPUT']
puts Digest::MD5.file("#{f}/random").hexdigest, File.read("#{f}/words").size, File.foreach("#{f}/words").count
File.open("#{f}/random", 'rb') { |r| r.seek(4000000);
puts Digest::MD5.hexdigest(r.read(5000)), r.pos, r.pread(10, 77).bytes.sum
  r.sysseek(5); puts r.sysread(100000).size, IO.copy_stream(r, 'copied', 300000, 1000) }
puts 4.times.map { |i| Thread.new { Digest::MD5.hexdigest(File.binread("#{f}/random", 900000, i * 100)) } }.map(&:value)
puts `cksum #{f}/words`, Process.wait(fork { File.read("#{f}/words"); exit 3 }) && $?.exitstatus
begin; File.open("#{f}/none"); rescue => e; puts e.class; end
"""),
    "php": ("reads.php", r"""<?php $f = getenv('INPUT'); echo md5_file("$f/random"), "\n";
echo strlen(file_get_contents("$f/words")), "\n";
$r = fopen("$f/random", 'rb'); fseek($r, 4000000); echo md5(fread($r, 5000)), ' ', ftell($r), "\n"; $n = 0;
rewind($r); while (!feof($r)) $n += strlen(fread($r, 70000)); echo $n, "\n"; $w = fopen("$f/words", 'r'); $n = 0;
while (($l = fgets($w)) !== false) $n++; echo $n, ' ', count(file("$f/words")), "\n"; copy("$f/random", 'copied');
echo md5_file('copied'), shell_exec("cksum $f/words"), var_export(@fopen("$f/none", 'r'), true), "\n";
"""),
    "lua5.4": ("reads.lua", r"""
local f = os.getenv('INPUT'); local r = io.open(f .. '/random', 'rb');
print(#r:read('a'), r:seek('set', 4000000), #r:read(5000), r:seek())
local n, s = 0, 0; for line in io.lines(f .. '/words') do n = n + 1; s = s + #line end; print(n, s)
local p = io.popen('cksum ' .. f .. '/words'); print(p:read('a')); p:close(); print(io.open(f .. '/none'))
"""),
}


def script(program, **more):
    name, text = SCRIPTS[program]
    return Entry(program, "whole files, positions, lines, a child process",
                 f"cat >{name} <<'END'\n{text.strip()}\nEND\n{program} {name} | sed \"s,$INPUT,INPUT,\"",
                 needs=(program,), version=f"{program} -v", reads=more.pop("reads", (program,)))


ENTRIES = [
    script("ruby"),
    script("php"),
    script("lua5.4"),
    Entry("rustc", "compiles and runs a program that reads", r"""
cat >r.rs <<'END'
use std::io::{BufRead, Read, Seek, SeekFrom};
fn main() { let f = std::env::var("INPUT").unwrap(); let d = std::fs::read(f.clone() + "/random").unwrap();
let mut s = 0u64; for b in &d { s = s.wrapping_mul(31).wrapping_add(*b as u64); } println!("{} {}", d.len(), s);
let mut r = std::fs::File::open(f.clone() + "/random").unwrap(); r.seek(SeekFrom::Start(4000000)).unwrap();
let mut b = [0u8; 5000];
r.read_exact(&mut b).unwrap(); println!("{:?} {}", &b[..9], std::fs::copy(f.clone() + "/words", "copied").unwrap());
println!("{}", std::io::BufReader::new(std::fs::File::open(f + "/words").unwrap()).lines().count()); }
END
rustc -O r.rs && ./r; cksum copied
""", needs=("rustc",), version="rustc --version", reads=("r",)),
    Entry("file", "with its sandbox of system calls", 'cd "$INPUT"; file *; file -z pile.tar.xz; find tree -type f | '
              'sort | xargs file | cksum; '
          'file /usr/bin/* 2>/dev/null | wc -l', needs=("file",), version="file --version", reads=("file",)),
    Entry("openssl", "dgst, enc, speed of nothing", 'for h in md5 sha256 blake2b512; '
              'do openssl dgst -$h "$INPUT/random"; done | sed "s,$INPUT,," ; '
          'openssl enc -aes-128-cbc -K 00 -iv 00 -in "$INPUT/random" 2>/dev/null | cksum; '
          'openssl base64 -in "$INPUT/words" | cksum',
          needs=("openssl",), version="openssl version", reads=("openssl",)),
    Entry("gpg", "symmetric encryption and back, --print-md", r"""
mkdir -m 700 g; export GNUPGHOME=$HOME/g; g() { gpg --batch --quiet --pinentry-mode loopback --passphrase x "$@"; }
g --no-symkey-cache -c --s2k-count 65536 -o a.gpg "$INPUT/random" && g -d a.gpg | cmp - "$INPUT/random" &&
echo back; gpg --print-md sha1 "$INPUT/words" | sed "s,$INPUT,,"
gpgconf --kill gpg-agent
""", needs=("gpg", "gpg-agent"), version="gpg --version", reads=("gpg",)),
    Entry("dpkg-deb", "build, list, extract; apt-cache", r"""
mkdir -p p/DEBIAN out; printf 'Package: p\nVersion: 1\nArchitecture: all\nMaintainer: x\nDescription: y\n' \
  >p/DEBIAN/control; cp "$INPUT/words" p/
find p -exec touch -d @0 {} +; SOURCE_DATE_EPOCH=0 dpkg-deb -Zgzip --root-owner-group -b p out/p.deb;
dpkg-deb -c out/p.deb; dpkg-deb -x out/p.deb x && cmp x/words "$INPUT/words"
dpkg-query -l bash coreutils | cksum; dpkg -S /bin/bash; apt-cache show bash | cksum;
apt-get -s -o Debug::NoLocking=1 remove nano 2>&1 | tail -n 1
""", needs=("dpkg-deb", "apt-cache"), version="dpkg --version", reads=("dpkg-query", "apt-cache")),
    Entry("ripgrep", "count, files, through mappings and not", 'cd "$INPUT"; rg -c 99 words; rg -l the . | sort; '
              'rg --mmap -c "ab *c" words; '
          'rg --no-mmap -n --sort path "^1[0-9]* " tree words | cksum; rg -z -c 99 pile.tar.xz', needs=("rg",),
          version="rg --version", reads=("rg",)),
    Entry("parallel", "-j8 over files", 'cd "$INPUT"; find . -type f | sort | parallel --will-cite -k -j8 md5sum {} | '
              'cksum; '
          'parallel --will-cite --pipe --block 500k -k -j4 wc -l <words | paste -sd+ | bc 2>/dev/null || true',
          needs=("parallel",),
          version="parallel --version", reads=("md5sum",), compare_stderr=False),
    Entry("pigz", "and lz4: pack, test, unpack", 'for c in pigz lz4; do $c -c <"$INPUT/random" >a.$c; $c -t <a.$c; '
              'echo $?; $c -dc <a.$c | '
          'cmp - "$INPUT/random" && echo same; $c -c "$INPUT/words" | $c -dc | cksum; done', needs=("pigz", "lz4"),
          version="pigz --version", reads=("pigz", "lz4"),
          compare_stderr=False),
    Entry("bubblewrap", "bwrap: read-only root, no network, new name spaces", r"""
shared=$(dirname "$PROOF")
bwrap --ro-bind / / --bind "$shared" "$shared" --dev /dev --proc /proc --unshare-all --die-with-parent sh -c '
md5sum "$INPUT/random"; ls /proc | grep -c "^[0-9]"; sort "$INPUT/words" | cksum; touch /usr/x 2>&1 | wc -l'
""", needs=("bwrap",), version="bwrap --version", as_user=True, reads=("md5sum", "sort")),
    Entry("MariaDB", "install, start, load, join, check table, stop", r"""
mariadb-install-db --no-defaults --datadir=$HOME/d --auth-root-authentication-method=normal >log 2>&1 ||
{ tail -n 5 log >&2; exit 1; }
/usr/sbin/mariadbd --no-defaults --datadir=$HOME/d --socket=$HOME/s --skip-networking --pid-file=$HOME/pid \
  --innodb-buffer-pool-size=6M --aria-log-dir-path=$HOME/d >log2 2>&1 &
q() { mariadb --no-defaults -S "$HOME/s" -u "${1}" -Ns test -e "$2"; }; u=$(id -un); [ "$u" = root ] || u=root;
wait_for q $u 'select 1' || { tail -n 20 log2 >&2; exit 1; }; mapped mariadbd $!
q $u 'create table t (id int primary key auto_increment, b varchar(200), key(b)); set session rand_seed1=1;
insert into t (b) select md5(seq) from seq_1_to_30000'
q $u 'select count(*), sum(crc32(b)) from t; select id from t where b = md5(4711); check table t;
create table m engine=myisam select * from t; checksum table m, t; check table m extended'
q $u 'select count(*) from t join m using (b); optimize table m; alter table t add column c int default 7;
select sum(c) from t'
mariadb-admin --no-defaults -S "$HOME/s" -u $u shutdown; wait; grep -ci -e corrupt -e crash log2; exit 0
""", needs=("mariadb-install-db", "/usr/sbin/mariadbd"), version="mariadb --version", as_user=True, mapped=("mariadbd",
)),
    Entry("poppler", "pdftotext, pdfinfo; ghostscript", r"""
printf '%%!PS\n/Helvetica findfont 20 scalefont setfont\n' >a.ps; for i in $(seq 40);
do printf '72 700 moveto (page %d) show showpage\n' $i; done >>a.ps
gs -q -dNOPAUSE -dBATCH -sDEVICE=pdfwrite -o a.pdf a.ps; pdfinfo a.pdf | grep Pages; pdftotext a.pdf - | cksum;
gs -q -dNOPAUSE -dBATCH -sDEVICE=ppmraw -r20 -o p%d.ppm a.pdf; cat p*.ppm | cksum
""", needs=("pdftotext", "gs"), version="pdftotext -v", slow_disk=False, reads=("gs",)),
    Entry("borg", "create, check, extract", r"""
export BORG_BASE_DIR=$HOME/b BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK=yes; borg init -e none r && cd "$INPUT" &&
borg create "$HOME/r::a" tree random words && borg check --verify-data "$HOME/r"
cd "$HOME" && mkdir x && cd x && borg extract ../r::a && cmp random "$INPUT/random" && diff -r tree "$INPUT/tree" &&
echo same
""", needs=("borg",), version="borg --version", reads=("borg",), compare_stderr=False),
    Entry("squashfs-tools", "mksquashfs and unsquashfs", 'mkdir out; '
              'mksquashfs "$INPUT/tree" "$INPUT/random" out/a.sq -quiet -no-progress -mkfs-time 0 -all-time 0 '
          '-all-root -processors 2 >noise; unsquashfs -q -n -d x out/a.sq >noise; cmp x/random "$INPUT/random" && '
          'diff -r x/tree "$INPUT/tree" && echo same',
          needs=("mksquashfs",), version="mksquashfs -version", reads=("mksquashfs",)),
    Entry("cmake", "and ninja: configure, build and test a small project", r"""
printf 'cmake_minimum_required(VERSION 3.20)\nproject(p C)\nenable_testing()\nadd_library(l l.c)\n' >CMakeLists.txt
printf 'add_executable(e e.c)\ntarget_link_libraries(e l)\nadd_test(NAME t COMMAND e)\n' >>CMakeLists.txt
echo 'int l(int n) { return n * 2; }' >l.c; echo '#include <stdio.h>
int l(int); int main(void) { printf("%d\n", l(21)); return 0; }' >e.c; cmake -G Ninja -B b >log 2>&1; echo $?;
ninja -C b >log 2>&1; echo $?; b/e; ctest --test-dir b 2>&1 | grep passed; ninja -C b | tail -n 1
""", needs=("cmake", "ninja", "gcc"), version="cmake --version", reads=("ld",), slow_disk=False),
    Entry("apache2", "serves files on loopback to curl, with sendfile and mmap", r"""
port=$(free_port); m=/usr/lib/apache2/modules; cat >conf <<END
ServerRoot $HOME
ServerName localhost
Listen 127.0.0.1:$port
PidFile $HOME/pid
ErrorLog $HOME/log
DocumentRoot $INPUT
EnableSendfile On
EnableMMAP On
LoadModule mpm_event_module $m/mod_mpm_event.so
LoadModule authz_core_module $m/mod_authz_core.so
LoadModule dir_module $m/mod_dir.so
END
/usr/sbin/apache2 -f "$HOME/conf" -k start || exit 1; wait_for curl -sf http://127.0.0.1:$port/words;
mapped apache "$(cat pid)"
for f in random words sparse tree/folder1/file1; do curl -s http://127.0.0.1:$port/$f | cmp - "$INPUT/$f" &&
echo $f; done; curl -s -r 4000000-4999999 http://127.0.0.1:$port/random | cksum
for i in 1 2 3 4 5 6; do curl -s http://127.0.0.1:$port/random | md5sum & done | sort | uniq -c;
/usr/sbin/apache2 -f "$HOME/conf" -k graceful-stop; gone() { [ ! -e pid ]; }; wait_for gone; echo $?
""", needs=("/usr/sbin/apache2", "curl", "python3"), version="/usr/sbin/apache2 -v", as_user=True, mapped=("apache",),
compare_stderr=False),
]
