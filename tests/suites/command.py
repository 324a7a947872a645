"""Runs one command to its end or to its deadline, in a session of its own, so that what it leaves behind can be ended
with it and nothing else is."""
import dataclasses
import os
import signal
import subprocess

TIMED_OUT = "timed out"


@dataclasses.dataclass
class Outcome:
    """`status`: what a shell would say, as text: "0", "killed by 9", "timed out"."""
    status: str
    out: bytes
    err: bytes


def status_text(code):
    return f"killed by {-code}" if code < 0 else str(code)


def end_group(leader):
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def run(argv, cwd, env, seconds, stdin=b""):
    """Runs `argv` with `stdin` as its input. Processes of its group that outlive it are killed."""
    child = subprocess.Popen([str(word) for word in argv], cwd=cwd, env=env, start_new_session=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = child.communicate(stdin, timeout=seconds)
        status = status_text(child.returncode)
    except subprocess.TimeoutExpired:
        end_group(child.pid)
        out, err = drain(child)
        status = TIMED_OUT
    end_group(child.pid)
    return Outcome(status, out, err)


def drain(child):
    """Returns what a killed child wrote; a process that left the group and holds the pipes open is not waited for."""
    try:
        return child.communicate(timeout=5)
    except subprocess.TimeoutExpired as late:
        return late.stdout or b"", late.stderr or b""
