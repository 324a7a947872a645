"""Prints what was measured as one Markdown table, the counted figures first."""

HEAD = ("run", "in flight", "requests bare / ahead", "MB bare / ahead", "s bare / ahead", "speed-up", "of the limit",
        "of the oracle", "A/A", "must show", "verdict")


def verdict(result):
    """Returns (is met or None, text) for the row's criterion."""
    for arm in ("ahead", *result.row.criterion.needs):
        if not result.of(arm):
            return None, f"{arm} not available: {result.missing.get(arm, 'not among --arms')}"
    return result.row.criterion.judge(result)


def word(is_met):
    return {True: "met", False: "NOT MET", None: "open"}[is_met]


def both(result, text):
    """Returns `text` of arm bare and arm ahead, with - for one that was not run."""
    return " / ".join(text(arm) if result.of(arm) else "-" for arm in ("bare", "ahead"))


def optional(ratio, spec=".3f"):
    return "-" if ratio is None else f"{ratio:{spec}}"


def line(result):
    is_met, said = verdict(result)
    return (
        result.row.title, str(result.model.in_flight),
        both(result, lambda arm: f"{result.counted(arm, 'requests'):.0f}"),
        both(result, lambda arm: f"{result.counted(arm, 'bytes') / 1e6:.1f}"),
        both(result, lambda arm: f"{result.seconds(arm):.3f}"),
        optional(result.ratio("bare", "ahead"), ".2f"),
        f"{result.limit_share('ahead'):.3f}" if result.row.is_dense and result.of("ahead") else "-",
        optional(result.ratio("oracle", "ahead")), optional(result.ratio("bare-again", "bare")),
        result.row.criterion.text, f"{word(is_met)}: {said}",
    )


def other_arms(result):
    """Returns one line for each arm the table has no column for."""
    lines = []
    for arm in ("kernel-tuned", "sequential", "willneed", "oracle"):
        if result.of(arm):
            requests, size = result.counted(arm, "requests"), result.counted(arm, "bytes") / 1e6
            lines.append(f"{result.row.title}, in flight {result.model.in_flight}, {arm}: {result.seconds(arm):.3f} s, "
                         f"{requests:.0f} requests, {size:.1f} MB; "
                         f"ahead {optional(result.ratio(arm, 'ahead'), '.2f')} times as fast")
    return lines


def markdown(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head),
                      *("| " + " | ".join(cells) + " |" for cells in lines)])
