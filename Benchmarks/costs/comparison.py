"""Compares measured costs with the kept numbers, and writes these."""

import dataclasses
import json

# The path in messages.
FILE = "Benchmarks/costs/costs.json"


@dataclasses.dataclass(frozen=True)
class Allowance:
    """The rise of a count that is not reported: a share of the number, and an absolute one for small numbers."""

    share: float
    absolute: float
    # Digits after the point, to which the count is rounded.
    digits: int

    def highest(self, kept):
        return kept * (1 + self.share) + self.absolute


# Twelve runs of the same program, on a machine with much other work, differed by at most 0.5 % in the first three
# counts. Wake-ups depend on which thread runs first, and differed by a fifth.
ALLOWANCES = {
    "allocations": Allowance(0.03, 0.3, 1),
    "bytes": Allowance(0.03, 48, 0),
    "system_calls": Allowance(0.03, 0.2, 2),
    "wakeups": Allowance(0.3, 1, 1),
}
# A fall below this share of the kept number is reported.
FALLEN = 0.95


@dataclasses.dataclass(frozen=True)
class Change:
    """A count that is neither the kept number nor close to it. `kept` is None for a count without a number."""

    operation: str
    count: str
    kept: float | None
    measured: float

    def percent(self):
        return f", {(self.measured / self.kept - 1) * 100:+.1f} %" if self.kept else ""


def rounded(costs):
    """The costs, as precise as the counts are."""
    return {
        operation: {count: round(value, ALLOWANCES[count].digits or None) for count, value in counts.items()}
        for operation, counts in costs.items()
    }


def lowest(runs):
    """The lowest value of each count: other work on the machine adds to a few runs, a change of the program to all."""
    return {
        operation: {count: min(run[operation][count] for run in runs) for count in counts}
        for operation, counts in runs[0].items()
    }


def middle(runs):
    """The median of each count."""
    return {
        operation: {count: sorted(run[operation][count] for run in runs)[len(runs) // 2] for count in counts}
        for operation, counts in runs[0].items()
    }


def risen(kept, measured):
    """The counts that are higher than their number and the allowance, or have no number."""
    for operation, counts in measured.items():
        for count, value in counts.items():
            number = kept.get(operation, {}).get(count)
            if number is None or value > ALLOWANCES[count].highest(number):
                yield Change(operation, count, number, value)


def fallen(kept, measured):
    """The counts that are so much lower than their number that a rise to it would stay unnoticed."""
    for operation, counts in measured.items():
        for count, value in counts.items():
            number = kept.get(operation, {}).get(count)
            allowance = ALLOWANCES[count]
            if number is not None and allowance.highest(value) < number and value < number * FALLEN:
                yield Change(operation, count, number, value)


# The counts that come from tracing.
TRACED = ("system_calls", "wakeups")


def is_traced(costs):
    """True if the costs contain those that come from tracing."""
    return all(count in counts for counts in costs.values() for count in TRACED)


def without_calls(costs):
    """The costs without those that come from tracing."""
    return {
        operation: {count: value for count, value in counts.items() if count not in TRACED}
        for operation, counts in costs.items()
    }


def unmeasured(kept, measured):
    """The kept numbers that nothing measures."""
    for operation, counts in kept.items():
        for count in counts:
            if count not in measured.get(operation, {}):
                yield operation, count


def text(costs):
    """The content of the file: sorted, with a line for each number."""
    return json.dumps(rounded(costs), indent=2, sort_keys=True) + "\n"


def shown(value):
    """A number without an exponent."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def place(operation, count, content):
    """The file and the line of a number, or the file alone if it is not there."""
    inside = False
    for number, line in enumerate(content.split("\n"), 1):
        name = line.strip().split('"')[1] if '"' in line else None
        if line.rstrip().endswith("{"):
            inside = name == operation
        elif inside and name == count:
            return f"{FILE}:{number}"
    return FILE


def rise_message(change, content):
    """Names the count and its number, and says what to do about a rise."""
    where = place(change.operation, change.count, content)
    if change.kept is None:
        return (
            f"error: {change.operation}: {change.count} is {shown(change.measured)} and has no number in {where}; "
            "Benchmarks/costs/run --update adds it")
    allowance = ALLOWANCES[change.count]
    return (
        f"error: {change.operation}: {change.count} rose from {shown(change.kept)} to {shown(change.measured)}"
        f"{change.percent()}; {allowance.share * 100:g} % and {allowance.absolute:g} are allowed\n"
        f"  Find the change that causes it. If the rise is wanted, write {shown(change.measured)} at {where}\n"
        "  (Benchmarks/costs/run --update does), and give the reason in the commit message: each such operation costs\n"
        "  this from now on, and without a reason the rise looks like a mistake.")


def fall_message(change, content):
    """Asks for a lower number."""
    where = place(change.operation, change.count, content)
    return (
        f"{change.operation}: {change.count} fell from {shown(change.kept)} to {shown(change.measured)}"
        f"{change.percent()}: lower the number at {where} (Benchmarks/costs/run --update), so that it stays low")
