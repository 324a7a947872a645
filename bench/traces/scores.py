"""What does `ahead score --format json` say? Its cells by name, and the few figures the engine is judged by."""


class Scores:
    def __init__(self, said):
        self.rows = {(row["trace"], row["device"]): row for row in said["rows"]}
        self.traces = list(dict.fromkeys(row["trace"] for row in said["rows"]))
        self.devices = list(dict.fromkeys(row["device"] for row in said["rows"]))

    def cell(self, trace, device, policy):
        return next(cell for cell in self.rows[trace, device]["cells"] if cell["policy"] == policy)

    def is_predictable(self, trace):
        return self.rows[trace, self.devices[0]]["is_predictable"]

    def beside_kernel(self, trace, device, key):
        kernel, adaptive = (self.cell(trace, device, policy)[key] for policy in ("kernel", "adaptive"))
        return adaptive / kernel if kernel else 1.0

    def shares(self, key="share_of_gain"):
        """Returns (share of the oracle's gain, "trace, device") of each predictable cell with something to gain.
        `key`: share_of_open_gain for the oracle that fetches nothing of files which are not open."""
        return [(share, f"{trace}, {device}") for trace in filter(self.is_predictable, self.traces)
                for device in self.devices
                if (share := self.cell(trace, device, "adaptive")[key]) is not None]

    def waste(self):
        """Returns the share of all bytes that were fetched and never read, over the predictable traces."""
        cells = [self.cell(trace, device, "adaptive") for trace in filter(self.is_predictable, self.traces)
                 for device in self.devices]
        return sum(cell["wasted_bytes"] for cell in cells) / sum(cell["bytes"] for cell in cells)

    def worst_other(self, key):
        """Returns (what the engine takes beside the kernel, "trace, device") of the worst of all other traces."""
        return max((self.beside_kernel(trace, device, key), f"{trace}, {device}") for trace in self.traces
                   if not self.is_predictable(trace) for device in self.devices)
