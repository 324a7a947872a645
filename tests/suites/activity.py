"""Was the library at work in a run? Its own statistics file says so: a run without it proves nothing."""
import dataclasses
import json
import subprocess


@dataclasses.dataclass
class Activity:
    processes: int = 0
    reads: int = 0
    issued_bytes: int = 0

    def __add__(self, other):
        return Activity(self.processes + other.processes, self.reads + other.reads,
                        self.issued_bytes + other.issued_bytes)

    def __str__(self):
        asked = self.issued_bytes / 2**20
        return f"active in {self.processes} processes: {self.reads} reads, {asked:.1f} MiB asked for"


def measure(ahead, stats_file):
    """Returns what the processes that wrote `stats_file` did; nothing at all when there is no such file."""
    done = subprocess.run([ahead, "stats", "--format", "json", stats_file], capture_output=True, check=False)
    if done.returncode != 0:
        return Activity()
    known = json.loads(done.stdout)
    counters = known["counters"]
    return Activity(known["process_count"], counters["reads_seen"], counters["issued_bytes"])


def doubt(activity, must_ask):
    """Returns why `activity` does not show that the engine took part, or None. `must_ask`: the place's files are cold
    and no kernel's window is large there, so that an engine that asks for nothing is not at work."""
    if activity.processes == 0:
        return "no process had the library"
    if activity.reads == 0:
        return "the library saw no read"
    if must_ask and activity.issued_bytes == 0:
        return "the engine asked for nothing"
    return None
