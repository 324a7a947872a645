"""Packers: long forward reads, and jumps to the directory at the end."""
from entry import Entry

CREATE = "tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C \"$INPUT\""


def packer(program, **more):
    extension = {"gzip": "gz", "xz": "xz", "zstd": "zst", "bzip2": "bz2"}[program]
    return Entry(program, "pack, test, list, unpack, compare, a damaged file", f"""
mkdir out; {program} {more.pop("options", "")} -c "$INPUT/words" >out/w.{extension};
{program} -t out/w.{extension} 2>/dev/null;
echo $?
{program} -dc out/w.{extension} | cmp - "$INPUT/words" && cp out/w.{extension} damaged.{extension}
dd if="$INPUT/random" of=damaged.{extension} bs=1000 count=1 seek=100 conv=notrunc 2>/dev/null
{program} -t damaged.{extension} 2>/dev/null; echo $?
head -c 1000000 "$INPUT/random" >r && {program} -kf r 2>/dev/null && {program} -df r.{extension} 2>/dev/null && cksum r
""", needs=(program,), version=f"{program} --version", reads=(program,), **more)


ENTRIES = [
    Entry("tar", "create, list, compare, extract, append, sparse", f"""
mkdir out x; {CREATE} -cf out/a.tar tree words random; tar -tf out/a.tar | cksum; tar -df out/a.tar -C "$INPUT";
echo $?
tar -xf out/a.tar -C x && diff -r x/tree "$INPUT/tree" && {CREATE} -rf out/a.tar sparse &&
{CREATE} -cSf out/s.tar sparse
tar -xOf out/a.tar words | cksum; tar -xf out/s.tar -C x && cmp x/sparse "$INPUT/sparse"; tar -tf out/a.tar random
tar -C "$INPUT" -c random | tar -tv | wc -l; echo more >>x/words; tar -df out/a.tar -C x words 2>&1 | sed 's/.*: //'
""", needs=("tar",), version="tar --version", reads=("tar",), quick=True),
    Entry("tar", "with gzip, xz, zstd", f"""
mkdir out; for c in gzip xz zstd; do {CREATE} -c --$c -f out/a.$c tree words; mkdir $c;
tar -xf out/a.$c -C $c || echo bad
diff -r $c/tree "$INPUT/tree"; done; tar -tJf "$INPUT/pile.tar.xz" | cksum;
tar -t --zstd -f "$INPUT/pile.tar.zst" | cksum
""", needs=("tar", "xz", "zstd"), inputs=("pile.tar.xz", "pile.tar.zst"), version="tar --version",
          reads=("tar", "xz", "zstd")),
    packer("gzip", quick=True, options="-n"),
    packer("bzip2"),
    packer("xz", options="-T2 -1"),
    packer("zstd", options="-q"),
    Entry("zip", "zip of a tree, unzip, test, one member", """
mkdir out; (cd "$INPUT" && zip -q -r -X "$HOME/a.zip" tree words random); unzip -tq a.zip; unzip -q a.zip -d out
unzip -p "$INPUT/pile.zip" words | cksum; unzip -l "$INPUT/pile.zip" | tail -n 1; cd out &&
zip -q -u ../a.zip words; echo $?
""", needs=("zip", "unzip"), inputs=("pile.zip",), version="zip -h | sed 1d", reads=("zip", "unzip")),
    Entry("7z", "pack, test, unpack", """
mkdir out; 7z t -bso0 "$INPUT/pile.7z"; 7z x -bso0 -oout "$INPUT/pile.7z";
7z a -bso0 -mx=1 -mmt=2 b.7z "$INPUT/random"
7z x -so b.7z | cksum; 7z l -ba b.7z | awk '{ print $NF }'
""", needs=("7z",), inputs=("pile.7z",), version="7z | sed 1d", reads=("7z",)),
    Entry("cpio", "find | cpio, both ways", """
mkdir out; (cd "$INPUT" && find tree random | sort | cpio -o --reproducible -H newc 2>/dev/null) >a.cpio
(cd out && cpio -id <../a.cpio 2>/dev/null); cpio -t <a.cpio 2>/dev/null | cksum; mkdir p
(cd "$INPUT" && find tree -print0 | cpio -0pd "$HOME/p" 2>/dev/null); diff -r p/tree "$INPUT/tree"
""", needs=("cpio",), version="cpio --version", reads=("cpio",)),
]
