"""sqlite3 with concurrent writers, in each journal mode, with and without a mapped database: every row must be there
once, and the file sound. On the slow disk: a finished database, read in several ways."""
import concurrent.futures
import shutil

import command
import unit

NAME = "sqlite3"
PROGRAM = shutil.which("sqlite3")
SECONDS = 300
WRITERS = 4
ROWS = 60
MODES = ("delete", "truncate", "persist", "wal")
MAPPED = (0, 1 << 26)
SCHEMA = "CREATE TABLE t(writer INTEGER, number INTEGER, body TEXT, UNIQUE(writer, number));"
SUMS = ("SELECT count(*), sum(writer), sum(number), sum(length(body)) FROM t;", "PRAGMA integrity_check;",
        "SELECT writer, count(*), max(number) FROM t GROUP BY writer ORDER BY writer;")
READS = SUMS + ("SELECT * FROM t ORDER BY rowid DESC;", "SELECT * FROM t ORDER BY body;",
                "SELECT body FROM t WHERE writer = 2 AND number % 7 = 3 ORDER BY number DESC;",
                "SELECT count(*) FROM t a JOIN t b ON a.number = b.number;", ".sha3sum", ".dump")


def missing(_build):
    return None if PROGRAM else "sqlite3 is not installed"


def units(_build):
    for mode in MODES:
        for mapped in MAPPED:
            selected = mode in ("delete", "wal") and mapped
            yield unit.Unit(f"{mode}-mmap-{mapped}", writing(mode, mapped), unit.WRITABLE, None,
                            unit.WRITABLE if selected else ())
    yield unit.Unit("read", reading, unit.EVERYWHERE, prepare_database, ("disk",))


def ask(work, name, uri, script):
    argv = [PROGRAM, "-batch", "-bail", "-init", "/dev/null", uri]
    return unit.keep(work, name, command.run(argv, work.folder, work.env, SECONDS, script.encode()))


def verdict(outcome):
    return f"passed {unit.digest(outcome.out)}" if outcome.status == "0" else f"failed {outcome.status}"


def values(writer, number):
    return f"INSERT INTO t VALUES({writer}, {number}, hex(zeroblob({number * 37 % 900})));"


def insertions(writer, mode, mapped):
    head = f".timeout 200000\nPRAGMA synchronous=off;\nPRAGMA journal_mode={mode};\nPRAGMA mmap_size={mapped};\n"
    return head + "".join(f"BEGIN IMMEDIATE; {values(writer, number)}"
                          f" SELECT count(*) = {number + 1} FROM t WHERE writer = {writer}; COMMIT;\n"
                          for number in range(ROWS))


def writing(mode, mapped):
    def run(work):
        made = ask(work, "schema", "db", f"PRAGMA journal_mode={mode};{SCHEMA}")
        with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
            asked = [pool.submit(ask, work, f"writer-{number}", "db", insertions(number, mode, mapped))
                     for number in range(WRITERS)]
            result = {f"writer {number}": verdict(one.result()) for number, one in enumerate(asked)}
        for query in SUMS:
            result[query] = verdict(ask(work, "check", "db", query))
        return result | {"schema": verdict(made)}
    return run


def prepare_database(folder):
    rows = "".join(values(writer, number) for writer in range(3) for number in range(1500))
    unit.prepare([PROGRAM, "-batch", "-bail", "-init", "/dev/null", "db"], folder,
                 f"{SCHEMA}BEGIN;{rows}COMMIT;".encode())


def reading(work):
    result = {}
    for mapped in MAPPED:
        for number, query in enumerate(READS):
            script = f"PRAGMA mmap_size={mapped};\nPRAGMA cache_size=20;\n{query}\n"
            result[f"{mapped} {query}"] = verdict(ask(work, f"{mapped}-{number}", "file:db?immutable=1", script))
    return result
