"""Primitives that have one home: each is written there, and used from everywhere else."""

import re

# The primitive, the pattern of a second copy in a line of code, and the folder and the type that are its home.
HOMES = [
    ("the days of the calendar", re.compile(r"\b(?:719_?468|146_?097)\b"), "Foundations/Time", "CivilDate"),
    (
        "hexadecimal digits",
        # A table, the digit of a value, the value of a digit, a format.
        re.compile(
            r'0123456789(?:abcdef|ABCDEF)"|UInt8\(ascii: "[aA]"\)(?: \+ \w+)? [-+] 10\b|%0?\d?[xX]"|\.hexDigitValue\b'),
        "Foundations/Text", "Hexadecimal"),
    (
        "the text of an error number", re.compile(r"\bstrerror(?:_[rl])?\b"), "Foundations/Files", "SystemFailure"),
]


def second_copies(source):
    """A primitive is not written again outside of its home; tests may have their own, to check it."""
    if not source.path.startswith("Sources/"):
        return
    for number, line in enumerate(source.lines, 1):
        if source.is_comment(number):
            continue
        for primitive, pattern, home, name in HOMES:
            if pattern.search(line) and not source.path.startswith(f"Sources/{home}/"):
                yield number, f"{primitive}: the home is {home}, use {name}"


RULES = [second_copies]
