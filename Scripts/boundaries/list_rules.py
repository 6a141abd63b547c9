"""Lists that stand in the source code and again in a document, which have the same items in the same order."""

import re


def cases(name):
    """Reads the raw values of a Swift enumeration."""
    body = re.compile(rf"^( *)(?:\w+ )?enum {name}\b[^\n]*\n(.*?)^\1\}}", re.MULTILINE | re.DOTALL)
    return lambda text: _items(body, re.compile(r'^ *case (\w+)(?: = "([^"]+)")?$', re.MULTILINE), text)


def names_before(end, begin, item):
    """Reads the items that a pattern finds between two others."""
    body = re.compile(rf"({begin})(.*?)(?:{end})", re.MULTILINE | re.DOTALL)
    return lambda text: _items(body, re.compile(item, re.MULTILINE), text)


def table(header):
    """Reads the names at the beginning of the rows of a table."""
    return names_before(r"\n(?!\|)|\Z", rf"^{re.escape(header)}\n", r"^\| `(\w+)` \|")


def choice(key):
    """Reads the comment `a, b or c` after a setting of config.yaml."""
    body = re.compile(rf"^( *){key}: [^#\n]*# ([\w\".]+(?:, [\w\".]+)* or [\w\".]+)", re.MULTILINE)
    return lambda text: _items(body, re.compile(r"(?:\A|, | or )\"?([\w.]+)"), text)


def described(begin):
    """Reads the names, each followed by its meaning, in the description of a setting."""
    return names_before(r'"""', re.escape(begin), r"`(\w+)`:")


def _items(body, item, text):
    """The line of a list and its items; None if the text does not contain the list."""
    found = body.search(text)
    if found is None:
        return None
    items = [match[match.lastindex] for match in item.finditer(found[2])]
    return text.count("\n", 0, found.start(2)) + 1, items


CLIENT = "Sources/Client"
SETTINGS = f"{CLIENT}/SessionSettings/Sessions"
# The file and the list that is the reference, and the files that repeat it.
LISTS = [
    (
        f"{CLIENT}/RequestSerialization/RequestSerializer.swift", cases("RequestSerializerKind"), [
            ("docs/sessions.md", table("| serializer | parameters | content type |")),
            ("config.yaml", choice("request:\n +serializer")),
            (f"{SETTINGS}/RequestConfiguration+Settings.swift", described("The default format for a task's")),
        ]),
    (
        f"{CLIENT}/ResponseSerialization/ResponseSerializer.swift", cases("ResponseSerializerKind"), [
            ("docs/sessions.md", table("| serializer | content types | `response.object` |")),
            ("config.yaml", choice("response:\n +serializer")),
            (f"{SETTINGS}/ResponseConfiguration+Settings.swift", described("The default parser of the content.")),
        ]),
    (
        f"{CLIENT}/RequestSerialization/RequestCompression.swift", cases("Coding"),
        [("config.yaml", choice("compress"))]),
    (
        f"{CLIENT}/SessionCore/Configuration/SessionConfiguration.swift", cases("URLScope"),
        [("config.yaml", choice("url_scope"))]),
    (
        f"{CLIENT}/SessionCore/Configuration/SessionConfiguration.swift", cases("CookiePolicy"),
        [("config.yaml", choice("cookies"))]),
    (
        f"{CLIENT}/SessionCore/Redirects/RedirectPolicy.swift", cases("Mode"), [("config.yaml", choice("redirects"))]),
    (
        f"{CLIENT}/SessionCore/Retry/RetryConfiguration.swift", cases("AfterCrash"),
        [("config.yaml", choice("after_crash"))]),
    (
        f"{CLIENT}/Transfer/TLS/TrustPolicy.swift", cases("Pinning"), [("config.yaml", choice("pinning"))]),
    (
        f"{CLIENT}/Transfer/ConnectionOptions.swift", cases("HTTPVersionPreference"),
        [("config.yaml", choice("http"))]),
    (
        "Sources/Gateway/GatewayAPI/Operations/OperationEndpoints.swift",
        names_before(r"^    \}", r"var routes: \[APIRoute\] \{", r'APIRoute\(\.get, "([^"]+)"'),
        [("docs/api.md", names_before(r"^## ", r"^### Operations\n", r"`GET (/[^`]*)`"))]),
    (
        "Package.swift", cases("Layer"), [
            ("docs/architecture.md", names_before(r"^## Invariants", r"^## Layers and targets\n", r"^### (\w+):")),
            ("Scripts/boundaries/layers.py", names_before(r"\]", r"^ORDER = \[", r'"(\w+)"')),
        ]),
]


def differing_lists(read):
    """Yields (path, line, message) for each repeated list that differs from its reference.

    `read` returns the text of a file; None if there is none, such as the reference in another project.
    """
    for origin, reference, copies in LISTS:
        source = read(origin)
        if source is None:
            continue
        expected = reference(source)
        if expected is None or not expected[1]:
            yield origin, 1, "the list that documents repeat is gone: change boundaries/list_rules.py too"
            continue
        for path, copy in copies:
            found = copy(read(path) or "")
            if found is None:
                yield path, 1, f"the list of {origin} is missing: {', '.join(expected[1])}"
            elif found[1] != expected[1]:
                yield path, found[0], f"{', '.join(found[1])} differs from {origin}: {', '.join(expected[1])}"
