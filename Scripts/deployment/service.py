"""The comment at the beginning of errand.service, whose commands install the gateway."""

import re

# A relative path with a folder or with the extension of a file.
FILE = re.compile(r"(?<![\w./-])(?:(?:\.?[\w-]+/)+[\w-]+(?:\.\w+)?|[\w-]+\.(?:json|md|service|txt|yaml))(?![\w/])")
INSTALL = re.compile(r"\binstall (?:-D )?--mode \d+ (\S+) (\S+)")


def comment(text):
    """The lines before the first section."""
    return text.partition("[Unit]")[0]


def commands(text):
    """The commands of the comment, each on one line."""
    return re.findall(r"^#   +(.*)$", re.sub(r"\\\n# +", "", comment(text)), re.MULTILINE)


def installations(text):
    """The commands that install a file, each with its source and its target."""
    return [(command, *match.groups()) for command in commands(text) if (match := INSTALL.search(command))]


def named_files(text):
    """The files that the comment names by a relative path, among them those that its commands install."""
    sources = {source for _, source, _ in installations(text) if not source.startswith("/")}
    return sources | set(FILE.findall(comment(text)))
