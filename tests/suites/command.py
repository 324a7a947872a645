"""Runs one command to its end or to its deadline, in a session of its own, so that what it leaves behind can be ended
with it and nothing else is."""
import dataclasses
import os
import select
import signal
import subprocess
import tempfile

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
    # Files and not pipes, which a process left behind could hold open.
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        child = subprocess.Popen([str(word) for word in argv], cwd=cwd, env=env, start_new_session=True,
                                 stdin=given, stdout=out, stderr=err)
        in_time = ended(child.pid, seconds)
        # Before it is waited for: until then nobody else's group can have its number.
        end_group(child.pid)
        code = child.wait()
        return Outcome(status_text(code) if in_time else TIMED_OUT, content(out), content(err))


def ended(pid, seconds):
    """Returns whether the process ends before its deadline. Leaves it to be waited for."""
    handle = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        return bool(poll.poll(seconds * 1000))
    finally:
        os.close(handle)


def content(file):
    file.seek(0)
    return file.read()
