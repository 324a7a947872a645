"""One run of one entry, and what there was to see of it."""
import contextlib
import dataclasses
import hashlib
import json
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import time
import uuid

from entry import PATH, PRELUDE

TOKEN = "AHEAD_COMPATIBILITY_RUN"
NOBODY = "nobody"


@dataclasses.dataclass
class Outcome:
    """What a user sees of a run, and what shows that the library was in it."""
    status: int | str
    stdout: bytes
    stderr: bytes
    files: dict
    seen: dict  # comm -> reads, of the processes in the statistics file
    mapped: dict  # name -> lines of libahead.so in its maps

    def difference(self, other, compare_stderr):
        """Returns in words what a user would notice, "" when nothing."""
        if self.status != other.status:
            return f"exit status {self.status} and {other.status}: {text(self.stderr)} / {text(other.stderr)}"
        if self.stdout != other.stdout:
            return "stdout: " + first_difference(self.stdout, other.stdout)
        if compare_stderr and self.stderr != other.stderr:
            return "stderr: " + first_difference(self.stderr, other.stderr)
        changed = sorted(path for path in self.files.keys() | other.files.keys()
                         if self.files.get(path) != other.files.get(path))
        return "files: " + ", ".join(changed[:5]) if changed else ""


def text(data):
    return data.decode("utf-8", "replace").strip()[-300:]


def first_difference(one, two):
    lines, others = one.splitlines(), two.splitlines()
    for line, other in zip(lines, others):
        if line != other:
            return f"{text(line)!r} and {text(other)!r}"
    longer = lines if len(lines) > len(others) else others
    rest = longer[min(len(lines), len(others)):]
    return f"{len(lines)} and {len(others)} lines: {text(rest[0])!r}" if rest else "line ends"


class Bench:
    """Runs entries. Not thread-safe: all runs use the same folder, so that paths in the output are the same."""

    def __init__(self, base, library, ahead):
        self.base, self.ahead = base, ahead
        # A copy: readable for every user, and not replaced by a build meanwhile.
        self.library = base / "lib" / "libahead.so"
        self.library.parent.mkdir()
        shutil.copy(library, self.library)

    def run(self, entry, place, preloaded):
        """Runs `entry` once in `place`, from an empty work folder."""
        with place.ready():
            empty(place.work)
            proof, stats = self.base / "proof", self.base / "stats"
            empty(proof)
            stats.unlink(missing_ok=True)
            user = NOBODY if entry.as_user and os.geteuid() == 0 else None
            if user:
                account = pwd.getpwnam(user)
                for folder in (place.work, proof):
                    os.chown(folder, account.pw_uid, account.pw_gid)
                # Made by us it would be closed to that user, and a file that holds anything else is left alone.
                subprocess.run(["install", "-m", "600", "-o", user, "/dev/null", stats], check=True)
            token = uuid.uuid4().hex
            environment = self.environment(place, proof, token)
            if preloaded:
                environment |= {"LD_PRELOAD": str(self.library), "AHEAD_STATS": str(stats)}
            status, stdout, stderr = start(entry, place.work, environment, user)
            await_end(token)
            if kill_all(token) and status == 0:
                status = "left a process behind"
            files = fingerprints(place.work / "out")
            empty(place.work)
        return Outcome(status, stdout, stderr, files, self.seen(stats),
                       {path.name: int(path.read_text() or 0) for path in proof.iterdir()})

    @staticmethod
    def environment(place, proof, token):
        return {"PATH": PATH, "HOME": str(place.work), "TMPDIR": str(place.work), "INPUT": str(place.input),
                "LC_ALL": "C.UTF-8", "PROOF": str(proof), "TZ": "UTC", TOKEN: token}

    def seen(self, stats):
        """Returns the reads of each command in the statistics file."""
        if not stats.exists() or stats.stat().st_size == 0:
            return {}
        done = subprocess.run([self.ahead, "stats", stats, "--format", "json"], capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            return {"unreadable statistics: " + done.stderr.strip(): 0}
        seen = {}
        for process in json.loads(done.stdout)["processes"]:
            seen[process["command"]] = seen.get(process["command"], 0) + process["counters"]["reads_seen"]
        return seen


def start(entry, work, environment, user):
    """Returns exit status, or what happened instead, stdout and stderr."""
    identity = {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []} if user else {}
    with subprocess.Popen(["bash", "-c", PRELUDE + entry.script], cwd=work, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                          **identity) as process:
        try:
            stdout, stderr = process.communicate(timeout=entry.timeout_s)
            return process.returncode, stdout, stderr
        except subprocess.TimeoutExpired:
            kill_all(environment[TOKEN])
            stdout, stderr = process.communicate()
            return f"none in {entry.timeout_s} s", stdout, stderr
        except BaseException:
            kill_all(environment[TOKEN])  # or leaving this block would wait for it
            raise


def await_end(token):
    """Gives what was told to end 5 s to do so."""
    deadline = time.monotonic() + 5
    while processes_of(token) and time.monotonic() < deadline:
        time.sleep(.05)


def kill_all(token):
    """Kills what a run has left, and waits until it holds no mount any more. Returns how many processes that were."""
    killed = set()
    deadline = time.monotonic() + 30
    while (found := processes_of(token)) and time.monotonic() < deadline:
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        killed.update(found)
        time.sleep(.05)
    return len(killed)


def processes_of(token):
    """Returns the processes that inherited `token`, daemons too."""
    wanted = f"{TOKEN}={token}".encode()
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            pass  # ended, or not ours
    return found


def fingerprints(folder):
    """Returns what each path below `folder` is: mode and target or checksum."""
    result = {}
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        name, mode = str(path.relative_to(folder)), path.lstat().st_mode
        if path.is_symlink():
            result[name] = (mode, os.readlink(path))
        elif path.is_file():
            result[name] = (mode, hashlib.sha256(path.read_bytes()).hexdigest())
        else:
            result[name] = (mode, "")
    return result


def empty(folder):
    """Makes `folder` an empty one, itself staying what it is where it is a mount."""
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
