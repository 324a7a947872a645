"""A memory cgroup for one run: version 1 or 2, whichever has the memory controller here. Needs root."""
import contextlib
import os
import pathlib
import time

V1 = pathlib.Path("/sys/fs/cgroup/memory")
V2 = pathlib.Path("/sys/fs/cgroup")
EMPTY_DEADLINE_S = 5


def knob():
    """Returns (folder in which cgroups are made, file of the limit), or None."""
    if (V1 / "memory.limit_in_bytes").exists():
        return V1, "memory.limit_in_bytes"
    controllers = V2 / "cgroup.controllers"
    if controllers.exists() and "memory" in controllers.read_text(encoding="ascii").split():
        return V2, "memory.max"
    return None


def missing():
    """Returns why no cgroup can be made here, or None."""
    if os.geteuid() != 0:
        return "a memory cgroup needs root"
    return None if knob() else "no memory controller in /sys/fs/cgroup"


def remove(folder):
    """Removes a cgroup once nothing is left in it."""
    deadline = time.monotonic() + EMPTY_DEADLINE_S
    while folder.exists():
        try:
            folder.rmdir()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


@contextlib.contextmanager
def limited(mib):
    """Yields words to put before a command, which then runs in a cgroup of `mib` MiB."""
    parent, limit = knob()
    if limit == "memory.max":
        (parent / "cgroup.subtree_control").write_text("+memory", encoding="ascii")
    folder = parent / f"ahead-sizing-{os.getpid()}"
    try:
        folder.mkdir()
        (folder / limit).write_text(str(mib << 20), encoding="ascii")
        yield ["sh", "-c", 'echo $$ > "$0" && exec "$@"', str(folder / "cgroup.procs")]
    finally:
        remove(folder)
