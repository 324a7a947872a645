"""fio writes blocks that carry their own checksum and reads them back: a unit is one engine with one pattern, its cases
are what the job reports of itself."""
import json
import shutil

import command
import unit

NAME = "fio"
PROGRAM = shutil.which("fio")
SECONDS = 300
ENGINES = ("sync", "psync", "pvsync2", "mmap", "libaio")
PATTERNS = ("write", "randwrite", "randrw")
BACK = ("read", "randread")


def missing(_build):
    return None if PROGRAM else "fio is not installed"


def job(engine, pattern, mib):
    depth = ["--iodepth", "8"] if engine == "libaio" else []
    return [PROGRAM, "--name=blocks", "--filename=blocks", f"--ioengine={engine}", f"--rw={pattern}", f"--size={mib}m",
            "--bs=16k", "--randseed=7", "--verify=crc32c", "--end_fsync=1", "--output-format=json", *depth]


def units(_build):
    for engine in ENGINES:
        for pattern in PATTERNS:
            places = unit.WRITABLE if pattern == "randwrite" else ()
            yield unit.Unit(f"{engine}-{pattern}", verifier(job(engine, pattern, 8), 1), unit.WRITABLE, None, places)
        # Jobs that share one file, each reading the whole of it.
        for pattern in BACK:
            argv = job(engine, pattern, 16) + ["--readonly", "--numjobs=3", "--thread"]
            yield unit.Unit(f"{engine}-{pattern}", verifier(argv, 3), unit.EVERYWHERE, prepare_blocks,
                            ("disk",) if pattern == "read" else ())


def prepare_blocks(folder):
    unit.prepare(job("psync", "write", 16) + ["--do_verify=0"], folder)


def verifier(argv, jobs):
    def run(work):
        outcome = unit.keep(work, "fio", command.run(argv, work.folder, work.env, SECONDS))
        return {"(exit)": outcome.status} | job_verdicts(outcome.out, jobs)
    return run


def job_verdicts(out, jobs):
    """Returns what each job says: its error, and how much it read and wrote."""
    text = out.decode(errors="replace")
    try:
        told = json.loads(text[text.index("{"):])["jobs"]
    except ValueError:
        return {"report": "unreadable"}
    result = {"jobs": "passed" if len(told) == jobs else str(len(told))}
    for number, one in enumerate(told):
        result[f"job {number}"] = "passed" if one["error"] == 0 else f"error {one['error']}"
        for way in ("read", "write"):
            result[f"job {number} {way} bytes"] = str(one[way]["io_bytes"])
    return result
