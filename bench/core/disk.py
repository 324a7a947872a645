"""The slow disk as a benchmark uses it: mounted afresh for each run, which is what makes the run cold, and asked
afterwards what it was asked for."""
import contextlib
import json
import os
import pathlib
import subprocess

KERNEL_WINDOW_BYTES = 128 * 1024


class DiskModel:
    """What is asked of ahead-disk, and the most that can be had from it."""

    def __init__(self, in_flight, latency_ms=2.0, bandwidth_mb=500):
        self.in_flight = in_flight
        self.latency_ms = latency_ms
        self.bandwidth_mb = bandwidth_mb

    def __str__(self):
        return f"net {self.latency_ms:g} ms, {self.bandwidth_mb} MB/s, in flight {self.in_flight}, 128 KiB window"

    def arguments(self):
        return ["--model", "net", "--latency", f"{self.latency_ms:g}ms", "--bandwidth", f"{self.bandwidth_mb}MB/s",
                "--in-flight", str(self.in_flight), "--readahead", "128KiB", "--preload", "off"]

    def limit_bytes_per_s(self):
        """Requests of the kernel's window: each keeps its place for its latency and its transfer."""
        bandwidth = self.bandwidth_mb * 1e6
        request_s = self.latency_ms / 1e3 + KERNEL_WINDOW_BYTES / bandwidth
        return min(bandwidth, self.in_flight * KERNEL_WINDOW_BYTES / request_s)


class SlowDisk:
    """Mounts `source` at `mountpoint` as the model says, again and again. Not thread-safe."""

    def __init__(self, program, source, mountpoint):
        self.program = str(program)
        self.source = pathlib.Path(source)
        self.mountpoint = pathlib.Path(mountpoint)
        self.read_ahead_kb = None

    @contextlib.contextmanager
    def mounted(self, model, read_ahead_kb=None):
        """Yields with the disk mounted and nothing of it cached. `read_ahead_kb`: tunes the kernel's window (root)."""
        is_mounted = False
        try:  # here already: an interrupt while it is being mounted must not leave it there
            subprocess.run([self.program, str(self.source), str(self.mountpoint), *model.arguments()], check=True)
            is_mounted = True
            device = os.stat(self.mountpoint).st_dev
            knob = pathlib.Path(f"/sys/class/bdi/{os.major(device)}:{os.minor(device)}/read_ahead_kb")
            if read_ahead_kb is not None:
                knob.write_text(str(read_ahead_kb), encoding="ascii")
            self.read_ahead_kb = int(knob.read_text(encoding="ascii"))
            subprocess.run([self.program, "--reset", str(self.mountpoint)], check=True)
            yield self
        finally:
            subprocess.run([self.program, "--unmount", str(self.mountpoint)], check=is_mounted)

    def report(self):
        """Returns what the disk counted since it was mounted, once it is idle."""
        query = [self.program, "--query", str(self.mountpoint)]
        done = subprocess.run(query, check=True, capture_output=True, text=True)
        return json.loads(done.stdout)
