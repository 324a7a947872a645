"""Runs the arms of a row, interleaved in random order and each cold, and keeps what they and the disk said."""
import contextlib
import dataclasses
import json
import os
import pathlib
import signal
import statistics
import subprocess
import tempfile
import time

import arms
import disk
import events
import loop
import ratio

RUN_TIMEOUT_S = 300
END_DEADLINE_S = 5


@dataclasses.dataclass
class Run:
    """What one run said: of itself, the disk's counters, its reads, the disk's requests."""
    said: dict
    disk: dict
    reads: list = dataclasses.field(default_factory=list)
    requests: list = dataclasses.field(default_factory=list)

    @property
    def elapsed_ns(self):
        return self.said["elapsed_ns"]

    def as_json(self):
        return {"said": self.said, "disk": self.disk}


class Killed(RuntimeError):
    """A command that did not end well."""


def end_session(process):
    """Kills what `process` started and waits until none of it is left: its files would keep the disk mounted."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        deadline = time.monotonic() + END_DEADLINE_S
        while time.monotonic() < deadline:
            os.killpg(process.pid, 0)
            time.sleep(0.01)


def execute(words):
    """Runs a command in a session of its own, so that nothing of it is left when we are interrupted. Returns what it
    printed."""
    with subprocess.Popen(words, env=arms.plain_environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True, start_new_session=True) as process:
        try:
            out, _ = process.communicate(timeout=RUN_TIMEOUT_S)
        except BaseException:
            end_session(process)
            raise
    if process.returncode != 0:
        raise Killed(f"{' '.join(map(str, words))} ended with {process.returncode}")
    return out


class Bench:
    """`pairs` rounds of each row's arms. All files lie below a temporary `folder`."""

    def __init__(self, tools, traces, folder, pairs, is_quick, chance, tell):
        self.tools = tools
        self.traces = traces
        self.load_program = str(tools.build / "bench/sizing/ahead-load")
        self.folder = pathlib.Path(folder)
        self.source, self.mount = self.folder / "source", self.folder / "mount"
        self.source.mkdir()
        self.mount.mkdir()
        self.disk = disk.SlowDisk(tools.disk, self.source, self.mount)
        self.pairs = pairs
        self.is_quick = is_quick
        self.chance = chance
        self.tell = tell

    # What is read.

    def files(self, sizes):
        """Makes files {name: bytes} the only ones on the disk. They are holes, looked at once: from then on they are in
        memory, and no run pays for that."""
        for old in self.source.iterdir():
            old.unlink()
        for name, size in sizes.items():
            with open(self.source / name, "wb") as out:
                out.truncate(size)
            with open(self.source / name, "rb", buffering=0) as into_memory:
                while into_memory.read(4 << 20):
                    pass

    def names(self, sizes):
        self.files(sizes)
        return [str(self.mount / name) for name in sizes]

    @contextlib.contextmanager
    def loop(self, files):
        with tempfile.TemporaryDirectory(dir=self.folder) as folder, \
                contextlib.closing(loop.Loop(folder)) as made:
            made.fill(files)
            yield made

    # What reads.

    def load(self, *words):
        return [self.load_program, *map(str, words)]

    def has_option(self, name):
        """Says whether `ahead run` knows --name."""
        done = subprocess.run([self.tools.ahead, "run", "--help"], check=True, capture_output=True, text=True)
        return f"--{name}" in done.stdout.split()

    def under(self, arm, words, options=()):
        """Returns the command under `arm`: ahead as users start it; fixed-SIZE: windows of that size, whatever comes."""
        if arm == "ahead":
            return [str(self.tools.ahead), "run", *options, "--", *words]
        if arm.startswith("fixed-"):
            options = ["--ratio", "1", "--initial", arm.removeprefix("fixed-")]
            return [str(self.tools.ahead), "run", *options, "--", *words]
        return words

    def on_disk(self, model, words, arm="bare", before=(), read_ahead_kb=None, options=()):
        """One cold run on the slow disk. `before`: words before the whole command (a cgroup's); `options`: of `ahead
        run`."""
        log = self.folder / "log"
        with self.disk.mounted(Logged(model, log), read_ahead_kb):
            run = self._run([*before, *self.under(arm, words, options)])
            run.disk = self.disk.report()
            run.requests = events.parse(events.Request, log.read_text(encoding="ascii"))
        return run

    def on_loop(self, made, words, arm="bare", before=(), read_ahead_kb=128):
        with made.mounted(read_ahead_kb) as counted:
            run = self._run([*before, *self.under(arm, words)])
            run.disk = counted()
        return run

    def on_tuned_disk(self, model, words, before=()):
        """The same bare, with the kernel's own window raised as far as an administrator would for such a disk."""
        return self.on_disk(model, words, before=before, read_ahead_kb=arms.TUNED_READ_AHEAD_KB)

    def tuned_arm(self, model, words, before=()):
        """Returns arm `tuned`, for dictionaries of arms; nothing where it cannot be had."""
        if self.tools.missing("kernel-tuned"):
            return {}
        return {"tuned": lambda: self.on_tuned_disk(model, words, before)}

    def _run(self, words):
        kept = self.folder / "events"
        kept.unlink(missing_ok=True)
        if self.load_program in words:
            words = [*words, "--events", str(kept)]
        run = Run(json.loads(execute(words)), {})
        if kept.exists():
            run.reads = events.parse(events.Read, kept.read_text(encoding="ascii"))
        return run

    def in_turns(self, commands, turns):
        """Runs {arm: command of ahead-load pick --turn} at the same time, of which one reads at a time: `turns` times all
        of them, each second time in the opposite order, so that what changes on the machine meets all alike. Returns
        {arm: its reads}."""
        with contextlib.ExitStack() as stack:
            running, logs = {}, {}
            for arm, words in commands.items():
                logs[arm] = self.folder / f"events-{arm}"
                process = subprocess.Popen([*self.under(arm, words), "--events", str(logs[arm])],
                                           env=arms.plain_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                           bufsize=0, start_new_session=True)
                stack.callback(end_session, process)
                running[arm] = process
            order = list(running.items())
            for _ in range(turns):
                self.chance.shuffle(order)
                for arm, process in (*order, *reversed(order)):
                    process.stdin.write(b".")
                    if process.stdout.read(1) != b".":
                        raise Killed(f"{arm} ended before its last turn")
            for arm, process in running.items():
                process.communicate(timeout=RUN_TIMEOUT_S)
                if process.returncode != 0:
                    raise Killed(f"{arm} ended with {process.returncode}")
        return {arm: events.parse(events.Read, log.read_text(encoding="ascii")) for arm, log in logs.items()}

    # How often.

    def rounds(self, runs, once=(), pairs=None):
        """Calls each of {arm: function} once a round, in random order; those in `once` only in the first round. Returns
        {arm: {round: its Run}}."""
        kept = {arm: {} for arm in runs}
        for number in range(pairs or self.pairs):
            order = [arm for arm in runs if number == 0 or arm not in once]
            self.chance.shuffle(order)
            for arm in order:
                self.tell(f"round {number + 1} of {pairs or self.pairs}: {arm}")
                kept[arm][number] = runs[arm]()
        return kept


class Logged:
    """A model whose disk keeps a log."""

    def __init__(self, model, log):
        self.model = model
        self.log = log

    def arguments(self):
        return [*self.model.arguments(), "--log", str(self.log)]


def values(runs, figure):
    """Returns {round: figure(run)} without those that are None."""
    found = {number: figure(run) for number, run in runs.items()}
    return {number: value for number, value in found.items() if value is not None}


def median(runs, figure):
    found = values(runs, figure)
    return statistics.median(found.values()) if found else None


def most(runs, figure):
    return max(values(runs, figure).values(), default=None)


def compare(kept, arm, other, figure):
    """Returns the paired Ratio of figure(arm) to figure(other)."""
    return ratio.paired(values(kept[arm], figure), values(kept[other], figure))


def again(kept, figure):
    """Returns the A/A arm's ratio as text."""
    found = compare(kept, "bare-again", "bare", figure) if "bare-again" in kept else None
    return f"{found:.3f}" if found else "-"


def raw(kept):
    return {arm: {number: run.as_json() for number, run in runs.items()} for arm, runs in kept.items()}
