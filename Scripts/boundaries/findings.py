"""Every rule on one file."""

from . import home_rules, swift_rules, text_rules
from .swift_source import SwiftSource


def findings_in(path, text, is_foreign=False, source=None):
    """The findings of a file as (line, message), by line. `path` is relative to the project, with `/`.

    A third-party text stays unchanged: it is checked only for merge conflict markers. `source` is the SwiftSource of a
    Swift file, if the caller has it."""
    if is_foreign:
        return sorted(text_rules.merge_markers(path, text))
    found = {finding for rule in text_rules.RULES for finding in rule(path, text)}
    if path.endswith(".swift"):
        source = source or SwiftSource(path, text)
        found |= {finding for rule in swift_rules.RULES + home_rules.RULES for finding in rule(source)}
    return sorted(found)
