"""The rules for every committed text file. Each takes a path and its text and yields (line, message)."""

import re

# In pieces, so that this file does not hold what it looks for.
UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b")
MACHINE_PATH = re.compile(
    r"(?<![\w.$}/-])/(?:work|root|home/\w+)/|(?<![\w.$}-])/tmp/[\w.]|\.\./shared\b")
REGISTRY = re.compile(
    r"\b(?:pypi\.org|pythonhosted\.org|registry\.npmjs\.org|crates\.io|proxy\.golang\.org|deb\.debian\.org)\b")
ISSUE = re.compile(r"\bissue\s+#?\d+\b", re.IGNORECASE)
VAGUE_FOLDERS = {"utils", "util", "utilities", "helpers", "common", "types", "misc"}


def vague_folder(path, _):
    """A folder says what it is for."""
    for folder in path.split("/")[:-1]:
        if folder.lower() in VAGUE_FOLDERS:
            yield 1, f'the folder "{folder}" says nothing: name the feature'
            return


def unfinished(_, text):
    """What is not finished is not committed."""
    yield from _each(text, UNFINISHED, "unfinished work: do it, or leave the remark out")


def places(_, text):
    """Nothing of one machine, registry or tracker."""
    yield from _each(text, MACHINE_PATH, "a path of one machine")
    yield from _each(text, REGISTRY, "a registry's host: name the package instead")
    yield from _each(text, ISSUE, "says where a change came from: that is the commit message's")


def line_ends(path, text):
    """No white space at the end of a line, a line feed at the end of a file."""
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


RULES = [vague_folder, unfinished, places, line_ends]
