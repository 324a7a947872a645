"""What do the files of a workload hold? Makers of files and trees: the same seed, the same names, sizes and bytes."""
import os
import random
import sqlite3
import subprocess
import zipfile

KIB = 1 << 10
MIB = 1 << 20
WORDS = ("window mark stream page disk arm read ahead file folder cache late early waste reader budget kernel thread "
         "seek track sector latency request answer queue memory mount trace stride").split()


def noise(path, size, seed=1):
    """Writes `size` bytes that do not compress."""
    chance = random.Random(seed)
    with open(path, "wb") as out:
        while size > 0:
            size -= out.write(chance.randbytes(min(size, MIB)))


def sparse(path, size):
    """Makes a file of `size` zero bytes that takes no space: for readers that do not look at what they read."""
    with open(path, "wb") as out:
        out.truncate(size)


def line(chance, words=12):
    return " ".join(chance.choice(WORDS) for _ in range(words)) + f" {chance.random():.6f}\n"


def text(path, size, seed=1):
    """Writes lines of words, `size` bytes or a little more."""
    chance = random.Random(seed)
    some = [line(chance) for _ in range(2000)]
    with open(path, "w", encoding="ascii") as out:
        while size > 0:
            size -= out.write(chance.choice(some))


def skewed_size(chance, least, most):
    """Returns a size between `least` and `most`, as many small as large ones on a scale of doublings."""
    return int(least * (most / least) ** chance.random())


def tree(folder, files, least, most, make=noise, seed=1, per_folder=25):
    """Makes `files` files of mixed size in folders of `per_folder`."""
    chance = random.Random(seed)
    for number in range(files):
        inside = folder / f"part{number // per_folder:02}"
        inside.mkdir(parents=True, exist_ok=True)
        make(inside / f"file{number:04}", skewed_size(chance, least, most), seed=number)


def repository(folder, commits, files, seed=1):
    """Makes a bare git repository in one pack: each commit changes 40 lines in six of the files."""
    chance = random.Random(seed)
    state = [[line(chance, 6) + f"{chance.getrandbits(256):x}\n" for _ in range(300)] for _ in range(files)]
    stream = []
    for number in range(commits):
        changed = range(files) if number == 0 else chance.sample(range(files), 6)
        stream.append(f"commit refs/heads/main\ncommitter A <a@example.org> {1_000_000_000 + number * 3600} +0000\n"
                      f"data 9\nnumber {number % 10}\n")
        for file in changed:
            for _ in range(40):
                state[file][chance.randrange(len(state[file]))] = f"{chance.getrandbits(1024):x}\n"
            content = "".join(state[file])
            stream.append(f"M 100644 inline folder{file % 7}/file{file}.txt\ndata {len(content)}\n{content}\n")
    def git(*words, **more):
        subprocess.run(["git", "-C", str(folder), *words], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"}, **more)

    folder.mkdir()
    git("init", "--bare", "-q", "-b", "main")
    git("fast-import", "--quiet", input="".join(stream).encode())
    git("-c", "gc.auto=0", "repack", "-adfq", "--threads=1")
    git("pack-refs", "--all")
    git("commit-graph", "write", "--reachable")


def database(path, rows, seed=1):
    """Makes an SQLite database of `rows` items of about 200 bytes, with an index whose order is not that of the rows."""
    chance = random.Random(seed)
    with sqlite3.connect(path) as base:
        base.execute("create table item (id integer primary key, code text, payload text)")
        base.executemany("insert into item values (?, ?, ?)",
                         ((number, f"{chance.getrandbits(48):012x}", line(chance, chance.randrange(10, 40)))
                          for number in range(rows)))
        base.execute("create index by_code on item (code)")
    base.close()


def sources(folder, units, headers, seed=1):
    """Makes C files, each of which includes about a third of the headers, and headers that include later ones."""
    chance = random.Random(seed)
    (folder / "include").mkdir()
    for number in range(headers):
        later = sorted(chance.sample(range(number + 1, headers), min(4, headers - number - 1)))
        body = [f"#ifndef H{number}\n#define H{number}\n"]
        body += [f'#include "part{other}.h"\n' for other in later]
        body += [f"/* {line(chance).strip()} */\nstruct part{number}_{k} {{ int a[{k + 1}]; long b; }};\n"
                 f"static inline int part{number}_f{k}(struct part{number}_{k}* it) {{ return it->a[0] + {k}; }}\n"
                 for k in range(chance.randrange(8, 120))]
        (folder / "include" / f"part{number}.h").write_text("".join(body) + "#endif\n", encoding="ascii")
    for number in range(units):
        chosen = sorted(chance.sample(range(headers), headers // 3))
        lines = [f'#include "part{other}.h"\n' for other in chosen]
        lines += [f"int unit{number}_{other}(struct part{other}_0* it) {{ return part{other}_f0(it); }}\n"
                  for other in chosen]
        (folder / f"unit{number}.c").write_text("".join(lines), encoding="ascii")


def archive(path, members, least, most, seed=1):
    """Makes a zip file of compressed members of mixed size."""
    chance = random.Random(seed)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for number in range(members):
            info = zipfile.ZipInfo(f"folder{number % 9}/member{number:04}")
            info.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(info, chance.randbytes(skewed_size(chance, least, most)))


def mail_folder(folder, messages, seed=1):
    """Makes a maildir of messages of mixed size."""
    chance = random.Random(seed)
    for name in ("cur", "new", "tmp"):
        (folder / name).mkdir(parents=True)
    for number in range(messages):
        head = f"From: a@example.org\nTo: b@example.org\nSubject: {line(chance, 4)}Message-ID: <{number}@example.org>\n\n"
        size = skewed_size(chance, 2 * KIB, 64 * KIB)
        name = f"{1_000_000_000 + number * 60}.{chance.getrandbits(40):010x}.host:2,S"
        with open(folder / "cur" / name, "w", encoding="ascii") as out:
            out.write(head)
            while size > 0:
                size -= out.write(line(chance))
