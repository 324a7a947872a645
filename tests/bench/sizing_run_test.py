"""Runs some rows of bench-sizing once, short, against the real slow disk: they must come to their end with a verdict and leave
nothing behind, also when they are interrupted; what the verdict is is not judged here.

Usage: sizing_run_test.py RUN_PY BUILD_FOLDER
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
DEADLINE_S = 60
ROWS = ("jumps", "turns", "lab")
WORDS = ("met", "NOT MET", "skipped")


def left_behind(folder):
    """Returns what is mounted below `folder`, and what is in it."""
    mounts = pathlib.Path("/proc/self/mounts").read_text(encoding="utf-8")
    return [line for line in mounts.splitlines() if str(folder) in line] + [path.name for path in folder.iterdir()]


def main(script, build):
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        print("skipped: /dev/fuse cannot be opened here")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        below = folder / "below"
        below.mkdir()
        environment = {**os.environ, "TMPDIR": str(below)}
        raw, page = folder / "raw.json", folder / "page.md"
        command = [sys.executable, "-B", "-u", script, "--build", build, "--pairs", "1", "--quick"]
        done = subprocess.run([*command, "--rows", ",".join(ROWS), "--json", raw, "--markdown", page], env=environment,
                              capture_output=True, text=True, check=False)
        print(done.stdout, done.stderr)
        assert done.returncode == 0
        lines = json.loads(raw.read_text(encoding="utf-8"))["lines"]
        assert {line["row"] for line in lines} == set(ROWS), lines
        for line in lines:
            assert line["verdict"] in WORDS, line
            assert line["checks"] or line["skipped"], line
        assert page.read_text(encoding="utf-8").count("\n| ") == len(lines) + 1
        assert not left_behind(below), left_behind(below)
        # The table's head is printed before the first run, so that a disk is mounted or about to be.
        with subprocess.Popen([*command, "--rows", "sequential"], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as process:
            next(line for line in process.stdout if line.startswith("pairs"))
            deadline = time.monotonic() + DEADLINE_S
            while not any("fuse" in line for line in left_behind(below)):
                assert process.poll() is None and time.monotonic() < deadline
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            process.stdout.read()
        assert process.returncode != 0
        assert not left_behind(below), left_behind(below)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
