"""The rules for every committed text file. Each takes a path and its text and yields (line, message)."""

import re

# Split, so that this file does not contain the words.
UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b")
MACHINE_PATH = re.compile(
    r"(?<![\w.$}/-])/(?:work|root|home/\w+)/|(?<![\w.$}-])/tmp/[\w.]|\.\./shared\b")
REGISTRY = re.compile(
    r"\b(?:pypi\.org|pythonhosted\.org|registry\.npmjs\.org|crates\.io|proxy\.golang\.org|deb\.debian\.org)\b")
ISSUE = re.compile(r"\bissue\s+#?\d+\b", re.IGNORECASE)
# Git's four kinds of conflict marker. A bare run of seven equals signs may be a heading's line, so it counts only with
# one of the others in the file.
MERGE_MARKER = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: .*)?$", re.MULTILINE)
# Words for persons. A text about a program names the object: the client, the caller, the waiter, the upstream.
PERSONS = re.compile(r"\b(?:some" r"body|no" r"body|who" r"ever|every" r"body|h" r"e|h" r"im|h" r"is)\b(?![\"'/=])", re.IGNORECASE)
# One spelling, that of the API's state `canceled`; `isCancelled` is Swift's.
SPELLING = re.compile(r"(?<!is)cancell(?:ed|ing)", re.IGNORECASE)
VAGUE_FOLDERS = {"utils", "util", "utilities", "helpers", "common", "types", "misc"}


def vague_folder(path, _):
    """The name of a folder describes its purpose."""
    for folder in path.split("/")[:-1]:
        if folder.lower() in VAGUE_FOLDERS:
            yield 1, f'the folder "{folder}" says nothing: name the feature'
            return


def unfinished(_, text):
    """Unfinished work is not committed."""
    yield from _each(text, UNFINISHED, "unfinished work: do it, or leave the remark out")


def places(_, text):
    """No references to a particular machine, registry or tracker."""
    yield from _each(text, MACHINE_PATH, "a path of one machine")
    yield from _each(text, REGISTRY, "a registry's host: name the package instead")
    yield from _each(text, ISSUE, "says where a change came from: that is the commit message's")


def persons(_, text):
    """Texts name the object."""
    yield from _each(text, PERSONS, "names a person: name the object (the client, the caller, the upstream)")


def spelling(_, text):
    """A word has one spelling."""
    yield from _each(text, SPELLING, "a second spelling: write canceled and canceling")


def merge_markers(_, text):
    """Merge conflicts are resolved before the commit."""
    for match in MERGE_MARKER.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, "a marker of a merge conflict: decide it"


def line_ends(path, text):
    """No whitespace at the end of a line, and a line feed at the end of a file."""
    yield from _each(text, re.compile(r"[ \t\r]+$"), "white space at the end of the line")
    if text and not text.endswith("\n"):
        yield text.count("\n") + 1, "no line feed at the end of the file"
    if text.endswith("\n\n"):
        yield text.count("\n"), "empty lines at the end of the file"


def _each(text, pattern, message):
    for number, line in enumerate(text.split("\n"), 1):
        if match := pattern.search(line):
            found = match[0].strip()
            yield number, f"{message}: {found}" if found else message


RULES = [vague_folder, unfinished, places, persons, spelling, merge_markers, line_ends]
