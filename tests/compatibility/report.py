"""docs/compatibility.md, from what was found."""
import dataclasses
import datetime
import pathlib
import platform
import re
import subprocess

import entry as entries

HEAD = """# Compatibility

Real programs, each really started, bare and under the preload: output, errors, exit status and the checksums of all
files written are compared. *same* means that none of them differed. Made by

    python3 -B tests/compatibility/run.py --library build/release/shim/libahead.so --write docs/compatibility.md

on {date}, Linux {kernel}, {libc}, {distribution}, commit {commit};
with `--only` some rows anew, date and commit then being those of the last. Programs marked † ran as a user without
rights. *Active* says what showed that the library was in the program: how many reads it saw (none would be an error),
or its lines in `/proc/PID/maps`.
{disk}

| program | version | what was run | active | {places} |
|---|---|---|---|{rules}|
"""
SLOW = """*Slow disk*: the input lies on ahead-disk, {latency} a request, mounted afresh for each run, and what the programs
write on bindfs; there the engine has work to do. *-*: not tried there."""


@dataclasses.dataclass
class Verdict:
    text: str
    active: str


@dataclasses.dataclass
class Row:
    entry: entries.Entry
    missing: str
    verdicts: dict = dataclasses.field(default_factory=dict)  # of places by name


def key(line_or_entry):
    """Returns what tells a row from the others."""
    if isinstance(line_or_entry, entries.Entry):
        return shown_name(line_or_entry), escaped(line_or_entry.what)
    cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line_or_entry)]
    return (cells[1], cells[3]) if len(cells) > 3 else None


def lines_of(path):
    """Returns the rows of an earlier page by their keys."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return {key(row): row + "\n" for row in text.splitlines() if row.startswith("| ")}


def page(every_entry, rows, kept, root, no_disk, latency):
    """Returns the whole text: `rows`, and for the other entries what is in `kept`, in the order of `every_entry`."""
    places = ["local disk"] + ([] if no_disk else ["slow disk"])
    git = subprocess.run(["git", "-C", str(root), "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                         check=False)
    head = HEAD.format(date=datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
                       kernel=platform.release(), libc=" ".join(platform.libc_ver()), distribution=distribution(),
                       commit=git.stdout.strip() or "unknown",
                       disk=f"There was no slow disk: {no_disk}." if no_disk else SLOW.format(latency=latency),
                       places=" | ".join(places), rules="---|" * (len(places) - 1) + "---")
    lines = kept | {key(row.entry): line(row, places) for row in rows}
    return head + "".join(lines.get(key(entry), "") for entry in every_entry)


def shown_name(entry):
    return entry.program + (" †" if entry.as_user else "")


def escaped(text):
    return text.replace("|", "\\|").replace("\n", " ")


def line(row, places):
    name = shown_name(row.entry)
    if row.missing:
        cells = [name, "-", row.entry.what, "-"] + [f"not run: no {row.missing}"] * len(places)
    else:
        # The slow disk's, where there is one: more happens there.
        shown = [verdict.active for verdict in row.verdicts.values()][-1]
        results = [row.verdicts[place].text if place in row.verdicts else "-" for place in places]
        cells = [name, row.entry.found_version(), row.entry.what, shown] + results
    return "| " + " | ".join(map(escaped, cells)) + " |\n"


def distribution():
    try:
        text = pathlib.Path("/etc/os-release").read_text(encoding="utf-8")
    except OSError:
        return "unknown distribution"
    names = [line.partition("=")[2].strip('"') for line in text.splitlines() if line.startswith("PRETTY_NAME=")]
    return names[0] if names else "unknown distribution"
