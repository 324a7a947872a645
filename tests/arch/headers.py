"""Checks that each header of a folder compiles alone: it includes what it uses. A header that its own source file
includes first is proved by the build and left out here; cli alone took 76 s otherwise.

Usage: headers.py PROJECT_ROOT FOLDER COMPILER [FLAG...]
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

import binary


def is_proved_by_build(root, header):
    """Says whether `header`'s source file includes it before anything else."""
    source = header.with_suffix(".cc")
    if not source.exists():
        return False
    first = next((line for line in source.read_text(encoding="utf-8").splitlines() if line.startswith("#include")), "")
    return first == f'#include "{header.relative_to(root)}"'


def problem(root, header, command):
    """Returns what the compiler says about a file that includes `header` alone, or ""."""
    source = f'#include "{header.relative_to(root)}"\n'
    done = subprocess.run([*command, "-std=c++20", f"-I{root}", "-fsyntax-only", "-x", "c++", "-"], input=source,
                          capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{header} does not compile alone:\n{done.stderr}"


def problems(root, folder, command):
    headers = sorted(header for header in (root / folder).rglob("*.h") if not is_proved_by_build(root, header))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [said for said in pool.map(lambda header: problem(root, header, command), headers) if said]


if __name__ == "__main__":
    binary.finish(problems(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]))
