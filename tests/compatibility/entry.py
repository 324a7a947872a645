"""What is said about one program: how to run it, and how to see that the library was active in it."""
import dataclasses
import functools
import pathlib
import re
import shutil
import subprocess

# Of the programs, not of whoever runs this: what is tried is what the distribution installs.
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

# Names that a script may use beside those of bash.
PRELUDE = r"""
# wait_for COMMAND: until it succeeds, for at most 60 s.
wait_for() { local i; for (( i = 0; i < 600; ++i )); do "$@" >/dev/null 2>&1 && return 0; sleep .1; done; return 1; }
# mapped NAME PID: keeps whether the library is in that process, for Entry.mapped.
mapped() { { grep -c libahead.so "/proc/$2/maps" || true; } >"$PROOF/$1"; }
# as_mapped NAME PID COMMAND: the same, when PID has become COMMAND.
as_mapped() { is() { [ "$(<"/proc/$1/comm")" = "$2" ]; }; wait_for is "$2" "$3" && mapped "$1" "$2"; }
# free_port: a port of 127.0.0.1 that nobody uses now.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
"""


@dataclasses.dataclass(frozen=True)
class Entry:
    """One row of the table.

    `script` is run by bash in an empty folder, once bare and once under the preload. $INPUT holds what inputs.py made
    and is read-only. What it prints, its exit status and each file below ./out are compared.
    """
    program: str
    what: str  # the cell "what was run"
    script: str
    needs: tuple = ()  # executables; absolute globs where they are not in PATH
    inputs: tuple = ()  # files in $INPUT that only some machines can make
    version: str = ""  # shell command; what looks like a version is taken from its first line
    reads: tuple = ()  # commands (as the kernel's comm) that must have been seen to read
    mapped: tuple = ()  # names given to `mapped` in the script
    inactive: str = ""  # why the library cannot be active in it; then no process of name `program` may be seen
    known: tuple = ()  # a difference that is known (an expression for its description), and what is to be said of it
    as_user: bool = False  # as a user without rights, also when the driver is root
    compare_stderr: bool = True
    quick: bool = False  # needs only what quickstart installs, and little time
    slow_disk: bool = True  # also with $INPUT on the slow disk
    timeout_s: int = 180

    def missing(self, input_folder):
        """Returns what this machine lacks to run it, "" when nothing."""
        absent = [name for name in self.needs if find(name) is None]
        absent += [name for name in self.inputs if not (input_folder / name).exists()]
        return ", ".join(absent)

    @functools.cache
    def found_version(self):
        if not self.version:
            return "-"
        done = subprocess.run(["bash", "-c", self.version + " 2>&1"], capture_output=True, text=True, check=False,
                              errors="replace", stdin=subprocess.DEVNULL, env={"PATH": PATH, "HOME": "/nonexistent"})
        match = re.search(r"\d+(\.\d+)+[-\w.+~]*|\d{4}[-\w.]+", done.stdout)
        return match.group().rstrip(".") if match else "?"


def find(name):
    """Returns where the executable `name`, or the absolute glob `name`, is, None when nowhere."""
    if not name.startswith("/"):
        return shutil.which(name, path=PATH)
    found = sorted(pathlib.Path("/").glob(name[1:]))
    return str(found[-1]) if found else None
