"""Where a unit runs: a work folder on the local disk, on a writable FUSE mount (bindfs), or, read-only and cold, on the
project's slow disk. On the local disk the kernel leads and the engine asks for little (docs/adr/0004); on the two
others it is at work."""
import contextlib
import dataclasses
import os
import pathlib
import shutil
import subprocess
import tempfile

BINDFS = shutil.which("bindfs")


@dataclasses.dataclass
class Work:
    """`folder`: the unit's, in the place; `scratch`: a local folder for logs and reports; `env`: of its commands."""
    folder: pathlib.Path
    scratch: pathlib.Path
    env: dict


def unmount(argv):
    if subprocess.run(argv, capture_output=True, check=False).returncode != 0:
        # A process that was left behind: the mount goes when that does.
        subprocess.run(["fusermount3", "-uz", argv[-1]], capture_output=True, check=False)


def without_fuse():
    return None if os.access("/dev/fuse", os.R_OK | os.W_OK) else "/dev/fuse cannot be opened here"


class Local:
    name = "local"
    must_ask = False

    def missing(self):
        return None

    @contextlib.contextmanager
    def entered(self, unit, scratch):
        folder = scratch / "work"
        folder.mkdir()
        if unit.prepare:
            unit.prepare(folder)
        yield folder


class Bound(Local):
    """A mirror of a local folder; each opening of a file drops what is cached of it, so that reads are cold."""
    name = "fuse"
    must_ask = True

    def missing(self):
        return without_fuse() or (None if BINDFS else "bindfs is not installed")

    @contextlib.contextmanager
    def entered(self, unit, scratch):
        backing, mount = scratch / "backing", scratch / "mount"
        backing.mkdir()
        mount.mkdir()
        subprocess.run([BINDFS, str(backing), str(mount)], check=True, capture_output=True)
        try:
            (mount / "work").mkdir()
            if unit.prepare:
                unit.prepare(mount / "work")
            yield mount / "work"
        finally:
            unmount(["fusermount3", "-u", str(mount)])


class SlowDisk:
    """Shows what the unit prepared, read-only, 1 ms a request."""
    name = "disk"
    must_ask = True

    def __init__(self, program):
        self.program = program

    def missing(self):
        return without_fuse() or (None if self.program.exists() else f"{self.program} is not built")

    @contextlib.contextmanager
    def entered(self, unit, scratch):
        source, mount = scratch / "source", scratch / "mount"
        source.mkdir()
        mount.mkdir()
        unit.prepare(source)
        subprocess.run([self.program, str(source), str(mount), "--latency", "1ms", "--metadata-latency", "0",
                        "--preload", "off"], check=True, capture_output=True)
        try:
            yield mount
        finally:
            unmount([self.program, "--unmount", str(mount)])


@contextlib.contextmanager
def scratch_folder(parent):
    folder = pathlib.Path(tempfile.mkdtemp(dir=parent))
    try:
        yield folder
    finally:
        # Should an unmount have failed, nothing below that mount is touched.
        subprocess.run(["rm", "-rf", "--one-file-system", str(folder)], capture_output=True, check=False)
