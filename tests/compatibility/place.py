"""Where a program reads: the local disk, or the slow disk, where the engine has work to do."""
import contextlib
import os
import shutil
import subprocess

LATENCY = "1ms"


class Local:
    """Input and work folder as they are."""
    name = "local disk"

    def __init__(self, base):
        self.input, self.work = base / "input", base / "work"

    @contextlib.contextmanager
    def ready(self):
        """Yields when a program may be started; nothing of it may be running any more at the end."""
        yield


class SlowDisk:
    """The input through ahead-disk, mounted anew, hence cold, for each run; the work folder through bindfs where there
    is one, so that what the program wrote itself is also read from a FUSE file system."""
    name = "slow disk"

    def __init__(self, base, program):
        self.program = str(program)
        self.source, self.store = base / "input", base / "store"
        self.input, self.work = base / "slow-input", base / "slow-work"
        self.has_bindfs = shutil.which("bindfs") is not None
        for folder in (self.store, self.input, self.work):
            folder.mkdir()
            folder.chmod(0o777)

    @staticmethod
    def why_not(program):
        """Returns why there is no slow disk here, "" when there is."""
        if program is None:
            return "no --disk"
        return "" if os.access("/dev/fuse", os.R_OK | os.W_OK) else "/dev/fuse cannot be opened"

    @contextlib.contextmanager
    def ready(self):
        with contextlib.ExitStack() as mounts:
            subprocess.run([self.program, str(self.source), str(self.input), "--latency", LATENCY,
                            "--metadata-latency", "0", "--preload", "off"], check=True)
            mounts.callback(subprocess.run, [self.program, "--unmount", str(self.input)], check=True)
            if self.has_bindfs:
                subprocess.run(["bindfs", str(self.store), str(self.work)], check=True)
                mounts.callback(unmount, self.work)
            yield


def unmount(folder):
    """Unmounts `folder`; if it is still in use, lets it go as soon as it is not."""
    tool, lazily = (["umount"], ["-l"]) if os.geteuid() == 0 else (["fusermount3", "-u"], ["-z"])
    if subprocess.run([*tool, str(folder)], check=False).returncode != 0:
        subprocess.run([*tool, *lazily, str(folder)], check=True)
