"""The rules for Swift files. Each takes a SwiftSource and yields (line, message)."""

import re

# Each C module and the targets that may import it: everything else sees Swift values only.
C_MODULE_OWNERS = {
    "CLinux": ["EventLoop", "Support"],
    "CCurl": ["CurlEngine"],
    "CMicroHTTPD": ["MicroHTTPServer"],
    "CGnuTLS": ["MicroHTTPServer"],
    "CLibYAML": ["YAML"],
    "COpenSSL": ["CertificateTrust", "CurlEngine", "Digest", "Sealing", "WebhookSigning"],
    "CExpat": ["XML"],
    "CZlib": ["Compression"],
    "CIconv": ["Charset"],
    "CPublicSuffix": ["PublicSuffix"],
    "GRDB": ["TaskStoreSQLite"],
}

# What has to say why it is safe, in the comment directly above.
NEEDS_PROOF = {
    "try!": r"\btry!",
    "fatalError": r"\bfatalError\b",
    "precondition": r"\bprecondition(Failure)?\b(?=\s*\()",
    "@unchecked Sendable": r"@unchecked\s+Sendable\b",
    "nonisolated(unsafe)": r"\bnonisolated\(unsafe\)",
    "unsafe": r"(?<![\w@.(])unsafe\b(?!\s*[:,)=.])",
}

# A test waits for an event, never for the clock.
SLEEPS = r"\b(?:Task\.sleep|Thread\.sleep|usleep|nanosleep)\s*\(|(?<![\w.])sleep\s*\(\s*\d"

POINTER = re.compile(r"\b(OpaquePointer|Unsafe(?:Mutable)?(?:Raw)?(?:Buffer)?Pointer|CVaListPointer)\b")
EXPORTED = re.compile(r"(?<![\w.])(?:public|package|open)\b(?!\s*\(set\))(?!\s+import\b)")
MAX_LINES = 500


def target_of(path):
    """The target that a file belongs to: the folder below Sources, Tests or Benchmarks/Sources."""
    parts = path.split("/")
    for root in ("Sources", "Tests"):
        if root in parts[:-1]:
            below = parts[parts.index(root) + 1:]
            return below[0] if len(below) > 1 else ""
    return ""


def c_imports(source):
    """C modules stay behind the target that wraps them."""
    for match in re.finditer(r"\bimport\s+(?:(?:struct|class|enum|protocol|func|var|typealias)\s+)?(\w+)", source.code):
        module, target = match[1], target_of(source.path)
        owners = C_MODULE_OWNERS.get(module)
        if owners is None and re.fullmatch(r"C[A-Z]\w*", module):
            yield source.line_of(match.start()), f"{module} is in no target's care: add it to C_MODULE_OWNERS"
        elif owners is not None and target.removesuffix("Tests") not in owners:
            yield source.line_of(match.start()), f"import {module} belongs to {', '.join(owners)} alone"


def exported_pointers(source):
    """No C pointer leaves a target: an owner type or a span does."""
    code = source.code
    for match in EXPORTED.finditer(code):
        signature, end = _signature(code, match.start())
        yield from _pointers(source, signature, match.start())
        if re.search(r"\b(protocol|enum)\b", signature) and code[end:end + 1] == "{":
            body_end = _closing(code, end)
            if re.search(r"\bprotocol\b", signature):
                yield from _pointers(source, code[end:body_end], end)
            else:
                for case in re.finditer(r"^\s*(?:indirect )?case [^\n]*", code[end:body_end], re.MULTILINE):
                    yield from _pointers(source, case[0], end + case.start())


def _pointers(source, text, offset):
    for pointer in POINTER.finditer(text):
        yield source.line_of(offset + pointer.start()), f"{pointer[1]} in a public or package signature"


def _signature(code, start):
    """A declaration's text up to its body or initial value, and where it ends."""
    depth, at = 0, start
    while at < len(code):
        character = code[at]
        depth += (character in "([") - (character in ")]")
        if depth == 0 and (character == "{" or _assigns(code, start, at)):
            break
        if depth == 0 and character == "\n" and not re.match(r"\s*(?:->|where\b|throws\b|async\b|:|\{)", code[at:]) \
                and not re.search(r"(?:[:,&]|->|where)\s*$", code[start:at]) \
                and not re.search(r"^\s*@?\w+\s*$", code[start:at]):
            break
        at += 1
    return code[start:at], at


def _assigns(code, start, at):
    """Whether an initial value begins here; the right side of a type alias is part of its signature."""
    return code[at] == "=" and code[at - 1] not in "=<>!+-*/" and code[at + 1:at + 2] != "=" \
        and not re.search(r"\btypealias\b", code[start:at])


def _closing(code, opening):
    """Where the brace that opens at an offset closes."""
    depth = 0
    for at in range(opening, len(code)):
        depth += (code[at] == "{") - (code[at] == "}")
        if depth == 0:
            return at
    return len(code)


def unproven(source):
    """What the compiler cannot check is explained where it stands."""
    in_tests = source.path.startswith("Tests/")
    words = {"sleep": SLEEPS} if in_tests else NEEDS_PROOF
    lines = {
        number: word
        for number, line in enumerate(source.code_lines, 1)
        for word, pattern in words.items() if re.search(pattern, line)
    }
    for number, word in sorted(lines.items()):
        if not _has_proof(source, number, word, lines):
            what = "waits for the clock: wait for the event" if word == "sleep" else "without its reason"
            yield number, f"{word} {what}, or say why in a comment directly above"


def _has_proof(source, number, word, flagged):
    """A plain comment directly above the statement, or a documentation comment that names the word.

    Adjacent lines of one kind share a comment, and so do the lines of one statement.
    """
    top = number
    while top > 1 and not source.is_comment(top - 1) and (top - 1 in flagged or _continues(source, top)):
        top -= 1
    block = source.comment_block_above(top)
    return any(not line.startswith("///") for line in block) or any(word in line for line in block)


def _continues(source, number):
    """Whether a line goes on with the statement of the line above."""
    line, above = source.code_lines[number - 1].strip(), source.code_lines[number - 2].rstrip()
    return line.startswith((".", "?", ")", "&&", "||", ":")) or above.endswith(("(", ",", "=", "[", "->", "return", "in"))


def length(source):
    """A long file says why it is one."""
    count = len(source.lines) - 1
    if count > MAX_LINES and not re.search(r"\blong\b", source.first_comment(), re.IGNORECASE):
        yield MAX_LINES + 1, f"{count} lines: split the file, or say in its first comment why it is long"


RULES = [c_imports, exported_pointers, unproven, length]
