"""The targets that each target names in Package.swift are those that it imports: the compiler also accepts an import of
a target that only another dependency uses, and an unused one makes a target wait for it."""

import dataclasses
import re

from . import layers

FILE = "Package.swift"
# The declarations of targets, behind the helpers that make them.
BEGINNING = "let package = Package("
TARGET = re.compile(r'\b(?P<kind>module|program|tests)\(\s*"(?P<folder>\w+)"')


@dataclasses.dataclass(frozen=True)
class Target:
    """A target in Swift, as Package.swift declares it."""

    module: str
    # The path of its sources, with a slash at its end.
    folder: str
    # The modules of this package that it names.
    uses: frozenset
    line: int


def arguments(text, start):
    """The text between the parenthesis at `start` and the one that closes it."""
    depth = 0
    for index in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0:
            return text[start:index]
    return text[start:]


def targets_of(text):
    """The targets that Package.swift declares."""
    text = re.sub(r"//.*", "", text)
    start = max(text.find(BEGINNING), 0)
    for match in TARGET.finditer(text, start):
        declared = arguments(text, text.index("(", match.start()))
        names = re.search(r"\buses:\s*\[(.*?)\]", declared, re.DOTALL)
        path = re.search(r'\bat:\s*"([^"]+)"', declared)
        layer = re.search(r"\bin:\s*\.(\w+)", declared)
        if path:
            folder = path[1]
        elif layer:
            root = "Tests" if match["kind"] == "tests" else "Sources"
            folder = f"{root}/{layer[1][0].upper()}{layer[1][1:]}/{match['folder']}"
        else:
            continue
        uses = frozenset(layers.module_name(name) for name in re.findall(r'"(\w+)"', names[1])) if names else frozenset()
        yield Target(
            layers.module_name(match["folder"]), folder + "/", uses, text.count("\n", 0, match.start()) + 1)


def differing_dependencies(package, imports):
    """Yields (path, line, message) for each import of an undeclared target, and each declared one without an import.

    `imports` has the imports of the Swift files of the package by their paths.
    """
    targets = list(targets_of(package))
    modules = {target.module for target in targets} | {name for target in targets for name in target.uses}
    for target in targets:
        imported = set()
        for path, found in imports.items():
            if not path.startswith(target.folder):
                continue
            for line, module in found:
                imported.add(module)
                if module in modules - target.uses - {target.module}:
                    yield path, line, f"import {module}: {FILE} does not name it as a dependency of {target.module}"
        for module in sorted(target.uses - imported):
            yield FILE, target.line, f"{target.module} imports {module} in no file: remove it from its dependencies"
