"""Reads what nm and readelf say about a binary, and says which of it is not allowed. Used by every check of this folder
that looks at compiled code."""
import re
import subprocess
import sys


def run(*command):
    """Returns the lines `command` prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def undefined_of_archive(path):
    """Returns the names a static library needs and does not itself define."""
    defined, undefined = set(), set()
    for line in run("nm", "--format=posix", path):
        fields = line.split()
        if len(fields) < 2:
            continue  # the name of a member, or an empty line
        (undefined if fields[1] in "Uw" else defined).add(fields[0])
    return undefined - defined


def undefined_of_library(path):
    """Returns (name, version or "", is_weak) for each symbol a shared library takes from elsewhere."""
    found = []
    for line in run("nm", "-D", "--undefined-only", "--format=posix", path):
        name, kind = line.split()[:2]
        name, _, version = name.partition("@")
        found.append((name, version.lstrip("@"), kind in "wv"))
    return found


def exports(path):
    """Returns the names a shared library offers; version nodes are not names."""
    found = set()
    for line in run("nm", "-D", "--defined-only", "--format=posix", path):
        name, kind = line.split()[:2]
        if kind != "A":
            found.add(name.partition("@")[0])
    return found


def needed(path):
    """Returns the libraries a shared library asks the loader for."""
    return [m.group(1) for line in run("readelf", "-dW", path) if (m := re.search(r"\(NEEDED\).*\[(.*)\]", line))]


def tls_bytes(path):
    """Returns the size of the thread-local segment, 0 when there is none."""
    for line in run("readelf", "-lW", path):
        fields = line.split()
        if fields[:1] == ["TLS"]:
            return int(fields[5], 16)
    return 0


def section_bytes(path, name):
    """Returns the size of section `name`, 0 when there is none."""
    for line in run("readelf", "-SW", path):
        m = re.match(r"\s*\[\s*\d+\]\s+(\S+)\s+\S+\s+\S+\s+\S+\s+([0-9a-f]+)", line)
        if m and m.group(1) == name:
            return int(m.group(2), 16)
    return 0


def finish(problems):
    """Prints `problems` and ends the check: 1 when there are any."""
    for problem in problems:
        print(problem, file=sys.stderr)
    sys.exit(1 if problems else 0)
