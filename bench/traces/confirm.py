#!/usr/bin/env -S python3 -B
"""Runs workloads for real, bare and under `ahead run`, on an ahead-disk that is what the laboratory imitates, and prints
time, requests and bytes beside what the laboratory said of the recorded trace."""
import argparse
import json
import pathlib
import statistics
import subprocess
import time

import place as places
from workloads import WORKLOADS

HERE = pathlib.Path(__file__).resolve().parent
MODELS = {name: ["--model", *words, "--in-flight", "12"] for name, words in {
    "net-0.2ms": ["net", "--latency", "0.2ms", "--bandwidth", "500MB/s"],
    "net-2ms": ["net", "--latency", "2ms", "--bandwidth", "500MB/s"],
    "net-20ms": ["net", "--latency", "20ms", "--bandwidth", "500MB/s"],
    "hdd": ["hdd"], "ssd": ["ssd"]}.items()}


def measure(place, command, model, arm):
    """Runs the command once, cold. Returns seconds, requests and bytes."""
    words = command if arm == "bare" else [place.built("cli/ahead"), "run", "--", *command]
    with place.mounted(MODELS[model]), open("/dev/zero", "wb") as sink:
        begin = time.monotonic()
        subprocess.run(words, cwd=place.mount, env=place.environment, stdin=subprocess.DEVNULL, stdout=sink,
                       stderr=subprocess.DEVNULL, timeout=600, check=True)
        seconds = time.monotonic() - begin
        query = [place.built("bench/disk/ahead-disk"), "--query", str(place.mount)]
        counted = json.loads(subprocess.run(query, check=True, capture_output=True, text=True).stdout)
    subprocess.run(["rm", "-rf", str(place.scratch / "copy")], check=True)
    return seconds, counted["requests"], counted["bytes"]


def simulated(build, name, model):
    command = [str(build / "cli/ahead"), "score", "--format", "json", "--device", model, str(HERE / f"{name}.trace")]
    said = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    cells = {cell["policy"]: cell for cell in said["rows"][0]["cells"]}
    return [[cells[policy][key] for key in ("elapsed_ns", "requests", "bytes")] for policy in ("kernel", "adaptive")]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+", metavar="NAME")
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parents[1] / "build/release")
    parser.add_argument("--device", choices=MODELS, default="net-2ms")
    parser.add_argument("--runs", type=int, default=3, help="of each arm, in turn; medians are printed")
    options = parser.parse_args()
    print("| trace, device | seconds bare, ahead | laboratory | requests bare, ahead | laboratory | MB bare, ahead "
          "| laboratory |\n|---|---|---|---|---|---|---|")
    for name in options.names:
        with places.fresh(options.build) as place:
            command = WORKLOADS[name].prepare(place)
            runs = {arm: [] for arm in ("bare", "ahead")}
            for _ in range(options.runs):
                for arm, done in runs.items():
                    done.append(measure(place, command, options.device, arm))
        real = [[statistics.median(column) for column in zip(*runs[arm])] for arm in ("bare", "ahead")]
        lab = simulated(options.build, name, options.device)
        print(f"| {name}, {options.device} | {real[0][0]:.2f}, {real[1][0]:.2f} "
              f"| {lab[0][0] / 1e9:.2f}, {lab[1][0] / 1e9:.2f} | {real[0][1]:.0f}, {real[1][1]:.0f} "
              f"| {lab[0][1]}, {lab[1][1]} | {real[0][2] / 1e6:.1f}, {real[1][2] / 1e6:.1f} "
              f"| {lab[0][2] / 1e6:.1f}, {lab[1][2] / 1e6:.1f} |", flush=True)


if __name__ == "__main__":
    main()
