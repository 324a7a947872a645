"""Runs the comparison of simulated and measured times once, small, on two of the slow disk's models: it must come to
its end with a measured and a simulated time for every cell; whether they agree is not judged here.

Usage: agree_test.py AGREE_PY BUILD_FOLDER
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
PATTERNS = ("seq-pread", "head")
ARMS = ("bare", "ahead", "oracle")
DEVICES = ("net-2ms", "hdd")


def main(script, build):
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        print("skipped: /dev/fuse cannot be opened here")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        raw = pathlib.Path(folder) / "raw.json"
        done = subprocess.run([sys.executable, "-B", script, "--build", build, "--patterns", ",".join(PATTERNS),
                               "--devices", ",".join(DEVICES), "--in-flight", "12", "--runs", "1", "--file-mib", "4",
                               "--json", raw], capture_output=True, text=True, check=False)
        print(done.stdout, done.stderr)
        if done.returncode != 0:
            return 1
        cells = json.loads(raw.read_text(encoding="utf-8"))["cells"]
    names = {(cell["pattern"], cell["arm"], cell["device"]) for cell in cells}
    wanted = {(p, a, d) for p in PATTERNS for a in ARMS for d in DEVICES if a != "oracle" or d == "net-2ms"}
    assert names == wanted, names
    for cell in cells:
        assert not cell["missing"], cell
        assert cell["simulated"]["elapsed_ns"] > 0 and cell["runs"][0]["reading_ns"] > 0, cell
        # The same bytes, whoever fetched them: an arm or a device mixed up would show.
        read = {"seq-pread": 4 << 20, "head": 1 << 20}[cell["pattern"]]
        assert cell["simulated"]["bytes"] >= read <= cell["runs"][0]["disk"]["bytes"], cell
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
