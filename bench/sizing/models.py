"""The disks of the sizing table. `speed`: so many times as fast, for programs whose clock runs so many times as fast."""
import disk


class Net(disk.DiskModel):
    """A link. Metadata costs nothing here: the rows are about data."""

    def __init__(self, latency_ms, bandwidth_mb, in_flight=12, speed=1):
        super().__init__(in_flight, latency_ms / speed, bandwidth_mb * speed)

    def __str__(self):
        return f"net {self.latency_ms:g} ms, {self.bandwidth_mb:g} MB/s, in flight {self.in_flight}"

    def arguments(self):
        return [*super().arguments(), "--metadata-latency", "0"]

    @property
    def latency_ns(self):
        return self.latency_ms * 1e6

    def product_bytes(self):
        """Returns bandwidth x latency."""
        return self.bandwidth_mb * 1e6 * self.latency_ms / 1e3


class Hdd:
    """A disk with an arm, as ahead-disk makes it."""
    SETTLE_MS, FULL_STROKE_MS, REVOLUTION_MS, TRANSFER_MB = 1.0, 15.0, 8.333333, 150

    def __init__(self, in_flight=12, rotation=True, speed=1):
        self.in_flight = in_flight
        self.rotation = rotation
        self.speed = speed

    def __str__(self):
        turns = "with" if self.rotation else "without"
        return f"hdd {turns} rotation, in flight {self.in_flight}"

    def arguments(self):
        milliseconds = {"--settle": self.SETTLE_MS, "--full-stroke": self.FULL_STROKE_MS,
                        "--revolution": self.REVOLUTION_MS}
        words = [word for name, value in milliseconds.items() for word in (name, f"{value * 1e6 / self.speed:.0f}ns")]
        return ["--model", "hdd", *words, "--transfer-rate", f"{self.TRANSFER_MB * self.speed}MB/s",
                "--rotation", "on" if self.rotation else "off", "--in-flight", str(self.in_flight),
                "--readahead", "128KiB", "--preload", "off"]
