"""Where is a workload recorded? A folder that is filled, then shown by ahead-disk with a fast model, so that what the
trace says about the program's own time is the program's: reads wait 0.1 ms, metadata not at all."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile

FAST = ["--model", "net", "--latency", "100us", "--bandwidth", "2GB/s", "--in-flight", "64"]
ALWAYS = ["--metadata-latency", "0", "--attr-timeout", "3600s", "--preload", "off"]


class Skip(Exception):
    """This machine lacks what a workload needs; the reason is the message."""


class Place:
    """The folders and programs of one workload. `source`: to be filled; `mount`: where the program finds it, and its
    working directory; `scratch`: for what it writes; `build`: the build folder."""

    def __init__(self, folder, build):
        self.build = pathlib.Path(build).resolve()
        self.source, self.mount, self.scratch = (folder / name for name in ("source", "disk", "scratch"))
        for made in (self.source, self.mount, self.scratch):
            made.mkdir()
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("AHEAD_", "LD_PRELOAD", "PYTHON", "GIT_"))}
        self.environment |= {"LC_ALL": "C", "HOME": str(self.scratch), "TMPDIR": str(self.scratch),
                             "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}

    def program(self, name):
        """Returns the path of an installed program, or skips the workload."""
        if found := shutil.which(name, path="/usr/bin:/bin"):
            return found
        raise Skip(f"{name} is not installed")

    def built(self, path):
        """Returns the path of a program of the build folder."""
        if not (self.build / path).exists():
            raise Skip(f"{self.build / path} is not built")
        return str(self.build / path)

    def script(self, name):
        """Returns the words that start a script of programs/, with the system's python."""
        return [self.program("python3"), "-B", str(pathlib.Path(__file__).parent / "programs" / name)]

    @contextlib.contextmanager
    def mounted(self, model=tuple(FAST)):
        """Yields with the disk mounted, nothing of it cached."""
        disk = self.built("bench/disk/ahead-disk")
        subprocess.run([disk, str(self.source), str(self.mount), *model, *ALWAYS], check=True)
        try:
            yield
        finally:
            subprocess.run([disk, "--unmount", str(self.mount)], check=True)


@contextlib.contextmanager
def fresh(build):
    """Yields a Place that is gone afterwards."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ahead-traces."))
    try:
        yield Place(folder, build)
    finally:
        # Should an unmount have failed, nothing below the mount is touched.
        subprocess.run(["rm", "-rf", "--one-file-system", str(folder)], check=False)
