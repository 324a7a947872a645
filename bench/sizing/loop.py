"""A loop-mounted ext4 file system with files of real blocks: mounted afresh for each run, its requests and bytes counted by
the kernel. The image stays in memory: a real disk below it would be another one from run to run (with --direct-io the
A/A arm took 0.1 to 12 times as long). Needs root."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import time

QUIET_DEADLINE_S = 10
SECTOR = 512


def missing():
    """Returns why there can be no loop mount here, or None."""
    if os.geteuid() != 0:
        return "a loop mount needs root"
    for program in ("losetup", "mkfs.ext4", "mount", "fallocate"):
        if not shutil.which(program):
            return f"{program} is not installed"
    return None if os.path.exists("/dev/loop-control") else "no loop devices"


class Loop:
    """A file system on a loop device, below `folder`."""

    def __init__(self, folder):
        self.image = pathlib.Path(folder) / "image"
        self.mountpoint = pathlib.Path(folder) / "ext4"
        self.mountpoint.mkdir()
        self.device = None

    def fill(self, files):
        """Makes it hold the files {name: MiB}."""
        mib = sum(files.values())
        with open(self.image, "wb") as out:
            out.truncate((mib + mib // 16 + 64) << 20)
        subprocess.run(["mkfs.ext4", "-q", "-F", "-O", "^has_journal", self.image], check=True)
        command = ["losetup", "-f", "--show", self.image]
        self.device = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        with self._mounted("rw"):
            for name, size in files.items():
                # Written and not just made longer: a hole is not read from the device.
                with open(self.mountpoint / name, "wb") as out:
                    for _ in range(size):
                        out.write(bytes(1 << 20))
        # Zeros that the image need not hold: what the machine pages out comes back without its own disk.
        subprocess.run(["fallocate", "--dig-holes", self.image], check=True)

    def _look(self):
        with open(self.image, "rb", buffering=0) as image:
            while image.read(4 << 20):
                pass

    def _sys(self, name):
        return pathlib.Path("/sys/block") / os.path.basename(self.device) / name

    @contextlib.contextmanager
    def _mounted(self, how):
        is_mounted = False
        try:
            subprocess.run(["mount", "-o", f"{how},noatime", self.device, self.mountpoint], check=True)
            is_mounted = True
            yield
        finally:
            subprocess.run(["umount", self.mountpoint], check=is_mounted)

    def _counted(self):
        """Returns (requests, bytes) read so far, once nothing is in flight."""
        deadline = time.monotonic() + QUIET_DEADLINE_S
        while True:
            fields = [int(field) for field in self._sys("stat").read_text(encoding="ascii").split()]
            if fields[8] == 0 or time.monotonic() > deadline:
                return fields[0], fields[2] * SECTOR
            time.sleep(0.001)

    @contextlib.contextmanager
    def mounted(self, read_ahead_kb):
        """Yields a function that returns what was read since, as ahead-disk's report names it."""
        self._sys("queue/read_ahead_kb").write_text(str(read_ahead_kb), encoding="ascii")
        self._look()
        with self._mounted("ro"):
            before = self._counted()
            yield lambda: dict(zip(("requests", "bytes"), (now - then for now, then in zip(self._counted(), before))))

    def close(self):
        # Asked for by the image: an interrupt may have come before we knew the device.
        command = ["losetup", "-n", "-O", "NAME", "-j", self.image]
        for device in subprocess.run(command, check=True, capture_output=True, text=True).stdout.split():
            subprocess.run(["losetup", "-d", device], check=True)
