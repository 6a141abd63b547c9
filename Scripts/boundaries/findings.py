"""Every rule on one file."""

from . import swift_rules, text_rules
from .swift_source import SwiftSource


def findings_in(path, text):
    """The findings of a file as (line, message), by line. `path` is relative to the project, with `/`."""
    found = {finding for rule in text_rules.RULES for finding in rule(path, text)}
    if path.endswith(".swift"):
        source = SwiftSource(path, text)
        found |= {finding for rule in swift_rules.RULES for finding in rule(source)}
    return sorted(found)
