"""The ways a command is run: bare, under ahead, and what else could be done in its place.

An arm turns a command into what is started, its environment, and the kernel window of the mount. `oracle` differs: it
is the recorded trace of the command, performed with perfect knowledge by `ahead replay`.
"""
import os
import pathlib
import subprocess

# For arm kernel-tuned: beyond 2 x bandwidth x latency of every model in the table.
TUNED_READ_AHEAD_KB = 8192
NAMES = ("bare", "bare-again", "kernel-tuned", "sequential", "willneed", "ahead", "oracle")


class Tools:
    """Where the programs of one build lie."""

    def __init__(self, build):
        build = pathlib.Path(build).resolve()
        self.build = build
        self.ahead = build / "cli/ahead"
        self.library = build / "shim/libahead.so"
        self.disk = build / "bench/disk/ahead-disk"
        self.patterns = build / "bench/ahead-patterns"
        self.starts = build / "bench/core/ahead-starts"
        self.advise = build / "bench/core/libadvise-at-open.so"
        self.micro = build / "bench/micro/ahead-micro"

    def has_subcommand(self, name):
        if not self.ahead.exists():
            return False
        return subprocess.run([self.ahead, name, "--help"], capture_output=True, check=False).returncode == 0

    def missing(self, arm):
        """Returns why `arm` cannot be run, or None."""
        if arm == "oracle":
            return None if self.has_subcommand("record") and self.has_subcommand("replay") else "no `ahead replay`"
        if arm == "ahead":
            return None if self.library.exists() else f"{self.library} is not built"
        if arm == "kernel-tuned":
            return None if os.geteuid() == 0 else "needs root"
        if arm in ("sequential", "willneed"):
            return None if self.advise.exists() else f"{self.advise} is not built"
        return None


def plain_environment():
    """Returns our environment without anything that reaches the preload."""
    ours = ("LD_PRELOAD", "ADVICE_AT_OPEN")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AHEAD_") and name not in ours}
    return {**kept, "LC_ALL": "C"}


def environment_of(arm, tools, settings=None):
    """Returns the environment of a command under `arm`; `settings` are AHEAD_ variables for arm ahead."""
    environment = plain_environment()
    if arm == "ahead":
        environment |= {"LD_PRELOAD": str(tools.library), **(settings or {})}
    elif arm in ("sequential", "willneed"):
        environment |= {"LD_PRELOAD": str(tools.advise), "ADVICE_AT_OPEN": arm}
    return environment


def record(tools, command, trace):
    """Records the accesses of `command` in the file `trace`, for replay_command."""
    subprocess.run([tools.ahead, "record", "-o", trace, "--", *command], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, env=plain_environment())


def replay_command(tools, trace, in_flight):
    """Returns the command of arm oracle: as many requests at a time as the disk takes."""
    return [str(tools.ahead), "replay", "--no-think", "--policy", "oracle", "--in-flight", str(in_flight), "--json", "-", str(trace)]
