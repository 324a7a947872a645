"""stress-ng with --verify and a fixed number of operations: a unit is one stressor, its cases are its exit status, what
it reports as failed, and how many operations it did."""
import re
import shutil

import command
import unit

NAME = "stress-ng"
PROGRAM = shutil.which("stress-ng")
SECONDS = 60
DEFAULT_OPS = 100

# Stressor to operations; 0: the default.
SELECTED = {"copy-file": 5, "dentry": 0, "dir": 0, "dup": 50, "fallocate": 5, "fcntl": 0, "filename": 0, "flock": 0,
            "fork": 0, "getdent": 0, "hdd": 200, "iomix": 0, "lockf": 0, "madvise": 5, "mmap": 5,
            "mremap": 5, "msync": 0, "open": 0, "pthread": 50, "readahead": 0, "rename": 0, "seek": 0, "sendfile": 0,
            "sigabrt": 20, "sigchld": 50, "sigfd": 0, "signal": 0, "sigsegv": 50, "splice": 0, "sync-file": 5, "tee": 0,
            "vfork": 0, "vm": 100, "vm-splice": 0, "zombie": 20}
SELECTED_ON_FUSE = ("copy-file", "hdd", "iomix", "mmap", "readahead", "seek", "sendfile", "splice")
OTHERS = {"access": 0, "aio": 0, "aiol": 0, "bad-altstack": 20, "brk": 0, "chattr": 5, "chdir": 5, "chmod": 0,
          "chown": 0, "clone": 50, "close": 0, "daemon": 20, "dev-shm": 1, "dirdeep": 20, "dirmany": 0, "dnotify": 20,
          "eventfd": 0, "exec": 50, "exit-group": 20, "fanotify": 20, "fiemap": 0, "fifo": 0, "file-ioctl": 0,
          "forkheavy": 1,
          "fpunch": 1, "fsize": 5, "fstat": 0, "handle": 0, "inode-flags": 1, "inotify": 3, "io": 5, "io-uring": 20,
          "ioprio": 10, "itimer": 20, "kill": 0, "lease": 0, "link": 5, "locka": 0, "lockofd": 0, "malloc": 0,
          "memfd": 2, "memthrash": 2, "mincore": 0, "mknod": 0, "mlock": 0, "mlockmany": 5, "mmapaddr": 0,
          "mmapfixed": 10, "mmaphuge": 2, "mmapmany": 5, "mprotect": 0, "msyncmany": 5, "munmap": 5, "nanosleep": 20,
          "pagemove": 2, "pageswap": 5, "pidfd": 20, "pipe": 0, "pipeherd": 1, "poll": 0, "procfs": 1, "ptrace": 20,
          "rawdev": 0, "remap": 2, "revio": 20, "rlimit": 5, "rmap": 2, "seccomp": 20, "session": 20, "set": 0,
          "shm": 5, "shm-sysv": 5, "sigfpe": 0, "sigio": 5, "signest": 0, "sigpending": 0, "sigpipe": 20, "sigq": 0,
          "sigrt": 0, "sigsuspend": 0, "sigtrap": 0, "sleep": 2, "spawn": 20, "stack": 2, "stackmmap": 5, "switch": 0,
          "symlink": 5, "timer": 0, "timerfd": 0, "tmpfs": 2, "touch": 50, "unshare": 3, "userfaultfd": 2, "utime": 0,
          "verity": 2, "vm-addr": 2, "vm-rw": 2, "vm-segv": 20, "wait": 0, "xattr": 20}
# Small, but for copy-file, which accepts no less.
SIZES = ["--vm-bytes", "16m", "--mmap-bytes", "16m", "--mremap-bytes", "4m", "--msync-bytes", "4m", "--hdd-bytes", "4m",
         "--fallocate-bytes", "4m", "--copy-file-bytes", "128m", "--readahead-bytes", "4m", "--seek-size", "4m",
         "--sendfile-size", "1m", "--iomix-bytes", "4m", "--sync-file-bytes", "4m", "--shm-bytes", "4m",
         "--shm-sysv-bytes", "4m", "--vm-rw-bytes", "4m", "--vm-splice-bytes", "1m", "--splice-bytes", "1m",
         "--memfd-bytes", "8m", "--malloc-bytes", "64k"]
STATUS = {"0": "passed", "2": "failed", "3": "skipped: no resources", "4": "skipped: not implemented"}


def missing(_build):
    return None if PROGRAM else "stress-ng is not installed"


def units(_build):
    for name, operations in (SELECTED | OTHERS).items():
        places = (("local",) if name in SELECTED else ()) + (("fuse",) if name in SELECTED_ON_FUSE else ())
        yield unit.Unit(name, runner(name, operations or DEFAULT_OPS), unit.WRITABLE, None, places)


def runner(name, operations):
    def run(work):
        report = work.scratch / "metrics.yaml"
        argv = [PROGRAM, f"--{name}", "1", f"--{name}-ops", str(operations), "--verify", "--seed", "7", "--timeout",
                str(SECONDS - 20), "--temp-path", ".", "--metrics", "--yaml", report, *SIZES]
        outcome = unit.keep(work, name, command.run(argv, work.folder, work.env, SECONDS))
        text = report.read_text(encoding="utf-8") if report.exists() else ""
        return verdicts(name, outcome, text)
    return run


def verdicts(name, outcome, metrics):
    """Failures without the numbers in them: process numbers, addresses and counts differ from run to run."""
    said = (outcome.out + outcome.err).decode(errors="replace").splitlines()
    failures = sorted({re.sub(r"0x[0-9a-f]+|\d+", "N", line.partition("fail:")[2]).strip() for line in said
                       if "fail:" in line})
    operations = re.search(r"bogo-ops: (\d+)", metrics)
    return {name: STATUS.get(outcome.status, outcome.status), f"{name} failures": "; ".join(failures) or "none",
            f"{name} operations": operations.group(1) if operations else "none"}
