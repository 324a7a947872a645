"""Runs the benchmark table once, small, against the real slow disk: it must come to its end, print every row it was
asked for and keep the raw figures; what they are is not judged here.

Usage: small_run_test.py RUN_PY BUILD_FOLDER
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
ROWS = ("md5sum", "stride", "head")


def main(script, build):
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        print("skipped: /dev/fuse cannot be opened here")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        raw = pathlib.Path(folder) / "raw.json"
        done = subprocess.run([sys.executable, "-B", script, "--build", build, "--rows", ",".join(ROWS), "--pairs", "1",
                               "--in-flight", "12", "--file-mib", "4", "--arms", "bare,ahead", "--json", raw],
                              capture_output=True, text=True, check=False)
        print(done.stdout, done.stderr)
        if done.returncode != 0:
            return 1
        kept = json.loads(raw.read_text(encoding="utf-8"))
    assert [row["row"] for row in kept["rows"]] == list(ROWS), kept
    for row in kept["rows"]:
        bare = [run for run in row["runs"] if run["arm"] == "bare"]
        assert bare and bare[0]["disk"]["bytes"] > 0, row
    assert done.stdout.count("\n| ") > len(ROWS), done.stdout
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
