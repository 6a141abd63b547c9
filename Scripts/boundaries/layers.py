"""The layers of the sources, and the place of each file and module in them."""

import functools
import pathlib
import re

# From the lowest to the highest. Package.swift has the same list.
ORDER = ["CLibraries", "Foundations", "Formats", "Client", "Server", "Store", "Gateway", "Programs"]

# The folders of products, whose targets have no prefix.
PRODUCTS = {"HTTPSession", "HTTPSessionObservability", "HTTPSessionYAML", "MicroHTTPServer", "errand"}

ROOT = pathlib.Path(__file__).resolve().parents[2]


def place_of(path):
    """The layer and the target of a Swift file.

    `Sources/Formats/JSON/A.swift` is in layer Formats, target JSON. The layer is None for what stands outside of the
    layers: `Tests/Support`, and the sources of Fuzz, Benchmarks and Examples.
    """
    parts = path.split("/")
    if parts[0] in ("Sources", "Tests") and len(parts) > 3 and parts[:2] != ["Tests", "Support"]:
        return parts[1], parts[2]
    for root in ("Sources", "Tests"):
        if root in parts[:-2]:
            return None, parts[parts.index(root) + 1]
    return None, ""


def module_name(folder):
    """The module of a folder of Sources; Package.swift has the same rule."""
    if folder in PRODUCTS:
        return folder
    return re.sub(r"^C(?=[A-Z])|^", lambda prefix: prefix[0] and "CErrand" or "Errand", folder, count=1)


@functools.cache
def of_modules():
    """The layer of each module of this package."""
    return {module_name(folder.name): layer for layer in ORDER for folder in (ROOT / "Sources" / layer).iterdir()}
