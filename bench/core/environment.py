"""Says where a result was measured: what must stand beside every figure."""
import datetime
import os
import pathlib
import platform
import signal
import subprocess
import sys


def first_line(path, prefix=""):
    """Returns what follows `prefix` on its first line in `path`, or "unknown"."""
    try:
        for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
            if line.startswith(prefix):
                return line[len(prefix):].strip(" \t:")
    except OSError:
        pass
    return "unknown"


def end_cleanly_on_term():
    """Makes SIGTERM an exception, as SIGINT is, so that what is mounted is unmounted and temporary folders go."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))


def git(root, *arguments):
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def memory_limit():
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        if (limit := first_line(path)) != "unknown":
            return "none" if limit == "max" or int(limit) > 1 << 60 else limit
    return "none"


def proactive_reclaim():
    """Says whether DAMON pages out what was not touched for some seconds: then data fetched ahead go with memory free."""
    for kdamond in pathlib.Path("/sys/kernel/mm/damon/admin/kdamonds").glob("[0-9]*"):
        if first_line(kdamond / "state") == "on":
            actions = {first_line(path) for path in kdamond.glob("contexts/*/schemes/*/action")}
            if actions & {"pageout", "cold"}:
                return "DAMON " + ", ".join(sorted(actions))
    return "none"


def describe(root):
    """Returns the facts of this machine and tree, in the order in which they are printed."""
    is_changed = git(root, "status", "--porcelain", "--untracked-files=no") not in ("", "unknown")
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": git(root, "rev-parse", "--short", "HEAD") + (" with changes" if is_changed else ""),
        "kernel": platform.release(),
        "libc": " ".join(platform.libc_ver()),
        "cpu": first_line("/proc/cpuinfo", "model name"),
        "cores": len(os.sched_getaffinity(0)),
        "memory": first_line("/proc/meminfo", "MemTotal"),
        "cgroup memory limit": memory_limit(),
        "proactive reclaim": proactive_reclaim(),
        "load": first_line("/proc/loadavg"),
    }
