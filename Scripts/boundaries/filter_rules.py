"""Filters of the scripts that select suites of tests by name: one that selects nothing does not fail by itself."""

import re

# The files with filters.
FILES = ("Makefile", "Scripts/hostile", "Scripts/test")
SUITE = re.compile(r"\b[A-Z]\w*Tests\b")
DECLARATION = re.compile(r"^ *(?:struct|final class|actor|enum) (\w+Tests)\b", re.MULTILINE)
# A module with tests is a name in filters too.
MODULE = re.compile(r'\btests\(\s*"(\w+)"')


def declared_suites(path, text):
    """The suites that a source file of tests declares, or the modules with tests of the package."""
    if path == "Package.swift":
        return set(MODULE.findall(text))
    return set(DECLARATION.findall(text)) if path.startswith("Tests/") and path.endswith(".swift") else set()


def unknown_suites(texts, declared):
    """Yields (path, line, message) for each name in a filter that is none of a suite.

    `texts` has the files with filters by their paths.
    """
    for path, text in texts.items():
        for number, line in enumerate(text.splitlines(), 1):
            for name in SUITE.findall(line):
                if name not in declared:
                    yield path, number, f"{name} selects no tests: there is no such suite"
