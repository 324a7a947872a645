"""The files that the programs read: the same bytes each time."""
import pathlib
import random
import shutil
import sqlite3
import subprocess

# Each makes one file or folder in the current folder; what cannot be made here is missing, and so are its programs.
OPTIONAL = {
    "film.mkv": ("ffmpeg", "ffmpeg -v error -f lavfi -i testsrc2=size=640x360:rate=25 -f lavfi -i sine=frequency=440 "
                           "-t 12 -c:v mpeg4 -b:v 3M -c:a libvorbis -threads 1 film.mkv"),
    "picture.ppm": ("python3", "python3 -c \"import random, sys; r = random.Random(3); w = sys.stdout.buffer; "
                               "w.write(b'P6 1200 900 255\\n'); w.write(r.randbytes(1200 * 900 * 3))\" >picture.ppm"),
    "repository": ("git", "git init -q -b main repository && cd repository && for i in 1 2 3 4 5 6; do "
                          "cp -r ../tree/folder$i . && head -c 400000 ../random >random$i && git add . && "
                          "git -c user.name=n -c user.email=e commit -q -m $i; done && "
                          "git -c gc.auto=0 repack -q -a"),
    "pile.tar": ("tar", "tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf pile.tar tree words"),
    "pile.tar.xz": ("xz", "xz -0 -k pile.tar"),
    "pile.tar.zst": ("zstd", "zstd -q -k pile.tar"),
    "pile.zip": ("zip", "zip -q -r pile.zip tree words"),
    "pile.7z": ("7z", "7z a -bso0 -mx=1 pile.7z tree words"),
}


def make(folder):
    """Fills `folder`, about 40 MiB."""
    chance = random.Random(1)
    (folder / "random").write_bytes(chance.randbytes(8 << 20))
    letters = "abcdefghijklmnopqrstuvwxyz"
    vocabulary = ["".join(chance.choices(letters, k=chance.randint(2, 11))) for _ in range(5000)]
    with open(folder / "words", "w", encoding="ascii") as words:
        for number in range(60000):
            words.write(f"{number} {' '.join(chance.choices(vocabulary, k=8))}\n")
    with open(folder / "sparse", "wb") as sparse:
        for place in (0, 1 << 20, 6 << 20):
            sparse.seek(place)
            sparse.write(chance.randbytes(5000))
        sparse.truncate((8 << 20) + 1)
    make_tree(folder / "tree", chance, vocabulary)
    make_database(folder / "table.sqlite", chance)
    for name, (program, command) in OPTIONAL.items():
        if shutil.which(program):
            subprocess.run(["bash", "-e", "-c", command], cwd=folder, check=False, stdin=subprocess.DEVNULL)


def make_tree(folder, chance, vocabulary):
    for number in range(200):
        path = folder / f"folder{number % 8}" / f"file{number}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(" ".join(chance.choices(vocabulary, k=chance.choice((0, 1, 300, 3000, 20000)))),
                        encoding="ascii")
    pathlib.Path(folder / "link").symlink_to("folder1/file1")
    (folder / "empty").mkdir()


def make_database(path, chance):
    base = sqlite3.connect(path)
    base.execute("create table t (id integer primary key, a integer, b text)")
    base.executemany("insert into t (a, b) values (?, ?)",
                     ((chance.randrange(1000), f"{chance.random():.15f}" * 5) for _ in range(40000)))
    base.execute("create index t_a on t (a)")
    base.commit()
    base.close()
