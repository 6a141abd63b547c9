"""The rules for Swift files. Each takes a SwiftSource and yields (line, message)."""

import re

from . import layers

# Each C module and the targets that may import it: everything else sees Swift values only.
C_MODULE_OWNERS = {
    "CErrandLinux": ["EventLoop", "Files", "Support"],
    "CErrandCurl": ["CurlEngine"],
    "CErrandHTTP2Streams": ["CurlEngine"],
    "CErrandMicroHTTPD": ["MicroHTTPServer"],
    "CErrandGnuTLS": ["MicroHTTPServer", "Support"],
    "CErrandServerReads": ["MicroHTTPServer"],
    "CErrandLibYAML": ["YAML"],
    "CErrandOpenSSL": ["CertificateTrust", "Cryptography", "CurlEngine"],
    "CErrandExpat": ["XML"],
    "CErrandZlib": ["Compression"],
    "CErrandIconv": ["Charset"],
    "CErrandPublicSuffix": ["PublicSuffix"],
    "CErrandSQLite": ["TaskStoreSQLite"],
    "GRDB": ["TaskStoreSQLite"],
}

# Targets that must not know HTTP servers, although servers are in a layer below.
WITHOUT_SERVER = ["TaskAdmission", "TaskEngine", "TaskEvents", "WebhookSigning"]

# Constructs that need a proof of their safety in the comment directly above.
NEEDS_PROOF = {
    "try!": r"\btry!",
    "fatalError": r"\bfatalError\b",
    "precondition": r"\bprecondition(Failure)?\b(?=\s*\()",
    "@unchecked Sendable": r"@unchecked\s+Sendable\b",
    "nonisolated(unsafe)": r"\bnonisolated\(unsafe\)",
    "unsafe": r"(?<![\w@.(])unsafe\b(?!\s*[:,)=.])",
    # A canceled task does not wait: in a loop this occupies a thread of the pool forever.
    "try? await": r"\btry\?\s+await\b(?![^\n]*\)\s*[!=]= nil)",
}

# A test waits for an event, never for the clock.
SLEEPS = r"\b(?:Task\.sleep|Thread\.sleep|usleep|nanosleep)\s*\(|(?<![\w.])sleep\s*\(\s*\d"

# An upper limit for a time: a test machine may be any times slower than the one where it was written.
TIME_LIMIT = re.compile(
    r"#(?:expect|require)\((?:.*(?<![<=])<=?\s*(?:Duration)?\.(?:nano|micro|milli)?seconds\("
    r"|\s*(?:Duration)?\.(?:nano|micro|milli)?seconds\([^)]*\)\s*>)")
PATIENT = re.compile(r"\.timeLimit\((?!\.hang|Soak\.)")

# A loop that does nothing but yield, or nothing but ask again: a wait. Only `until` of the tests' support has one.
SPINS = re.compile(
    r"\bwhile\b[^{}]*\{\s*await\s+Task\.yield\(\)\s*\}|\bwhile\b[^{}\n]*\bawait\b[^{}\n]*\{\s*\}"
    r"|\bwhile\b[^{}\n]*\{\s*_ = try await (?![^\n]*\bwait\b)[^{}\n]*\s*\}|\brepeat\s*\{\s*_ = try await (?![^\n]*\bwait\b)[^{}\n]*\s*\}")
SPIN_HOME = "Tests/Support/Until.swift"

# Queues that use the threads of Swift's pool on Linux: one for each core, and more only while they wait.
SHARED_THREADS = re.compile(
    r"\bDispatchQueue\.global\b|(?<![\w)\]?!])\.global\s*\(|\battributes:\s*(?:\[[^\]]*)?\.concurrent\b"
    r"|\bconcurrentPerform\b")

BOUNDED_SLEEP = "Sources/Foundations/Time/Clock+BoundedSleep.swift"
BARE_SLEEP = re.compile(r"(?<!func )\bsleep\s*\(\s*for\s*:")

POINTER = re.compile(r"\b(OpaquePointer|Unsafe(?:Mutable)?(?:Raw)?(?:Buffer)?Pointer|CVaListPointer)\b")
EXPORTED = re.compile(r"(?<![\w.])(?:public|package|open)\b(?!\s*\(set\))(?!\s+import\b)")
QUESTION = re.compile(r"\s*///\s+(What|Who|Whose|Whether|How|Why|Where)\b")
DECLARED = re.compile(r"(?:\bfunc\s+[A-Za-z_]\w*(?:<[^(]*>)?|\binit[?!]?)\s*\(")
UNLABELLED = re.compile(r"\s*(?:@\w+\s+)*_\s")
MAX_LINES = 500


def imports(source):
    """The modules that a file imports, each with its line."""
    for match in re.finditer(r"\bimport\s+(?:(?:struct|class|enum|protocol|func|var|typealias)\s+)?(\w+)", source.code):
        yield source.line_of(match.start()), match[1]


def c_imports(source):
    """Only the target that wraps a C module imports it."""
    _, target = layers.place_of(source.path)
    for line, module in imports(source):
        owners = C_MODULE_OWNERS.get(module)
        if owners is None and re.fullmatch(r"C[A-Z]\w*", module):
            yield line, f"{module} is in no target's care: add it to C_MODULE_OWNERS"
        elif owners is not None and target.removesuffix("Tests") not in owners:
            yield line, f"import {module} belongs to {', '.join(owners)} alone"


def layer_imports(source):
    """A target imports targets of its own layer and of lower ones."""
    layer, target = layers.place_of(source.path)
    if layer is None:
        return
    if layer not in layers.ORDER:
        yield 1, f"{layer}/{target} is in no layer: the folders of Sources and Tests are {', '.join(layers.ORDER)}"
        return
    for line, module in imports(source):
        other = layers.of_modules().get(module)
        if other is not None and layers.ORDER.index(other) > layers.ORDER.index(layer):
            yield line, f"import {module} of {other}, a layer above {layer}"
        if other == "Server" and target in WITHOUT_SERVER:
            yield line, f"import {module}: {target} does not know HTTP servers; the home is GatewayAPI"


def exported_pointers(source):
    """No C pointer is in the interface of a target; use an owner type or a span."""
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
    """A declaration's text up to its body or initial value, and its end."""
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
    """True if an initial value begins here; the right side of a type alias is part of its signature."""
    return code[at] == "=" and code[at - 1] not in "=<>!+-*/" and code[at + 1:at + 2] != "=" \
        and not re.search(r"\btypealias\b", code[start:at])


def _closing(code, opening):
    """The offset of the brace that closes the one at an offset."""
    depth = 0
    for at in range(opening, len(code)):
        depth += (code[at] == "{") - (code[at] == "}")
        if depth == 0:
            return at
    return len(code)


def unproven(source):
    """Code that the compiler cannot check has a reason in a comment."""
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


def limits_of_time(source):
    """A test states an order of events; a measured time says something about the machine."""
    if not source.path.startswith("Tests/"):
        return
    for number, line in enumerate(source.code_lines, 1):
        above = source.comment_block_above(number)
        if TIME_LIMIT.search(line) and not any(line.lstrip("/ ").startswith("Not measured") for line in above):
            yield number, (
                "a measured time has an upper limit: state an order of events, or use Soak.expect; "
                "a time that the test computes has the comment `// Not measured: …`")
        if PATIENT.search(line):
            yield number, "a time limit that a slow machine reaches: use .timeLimit(.hang)"


def spins(source):
    """A loop that polls has one home."""
    if source.path == SPIN_HOME:
        return
    for match in SPINS.finditer(source.code):
        yield source.line_of(match.start()), "polls: wait for the event, or in a test without one `until { … }`"


def shared_threads(source):
    """Work that waits or computes for long has threads of its own: on those of the pool, it stops all Swift tasks."""
    if not source.path.startswith("Sources/"):
        return
    for match in SHARED_THREADS.finditer(source.code):
        yield source.line_of(match.start()), (
            "a queue on the threads of Swift's pool, where long work stops all tasks: "
            "use a serial queue, or SerialQueues for several")


def bare_sleeps(source):
    """A sleep whose end is out of the range of the system's clock ends the process."""
    if not source.path.startswith("Sources/") or source.path == BOUNDED_SLEEP:
        return
    for match in BARE_SLEEP.finditer(source.code):
        yield source.line_of(match.start()), "a sleep of any length: use boundedSleep(for:), which no duration can break"


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
    """True if a line continues the statement of the line above."""
    line, above = source.code_lines[number - 1].strip(), source.code_lines[number - 2].rstrip()
    return line.startswith((".", "?", ")", "&&", "||", ":")) or above.endswith(("(", ",", "=", "[", "->", "return", "in"))


def boxed_closures(source):
    """No closure is the direct value of a generic type: wrap it in a struct.

    A generic type keeps a closure in its most general form, and each access through `inout` (`Mutex.withLock`, an
    element of a collection) wraps what it reads and wraps it again to put it back: the chain grows with every access.
    """
    if not source.path.startswith("Sources/"):
        return
    code = source.code
    for match in re.finditer(r"(?<!func )\b[A-Z]\w*(?=<)|(?<=[:=>(,])\s*(?=\[)|(?<=[:=>(,])(?=\[)", code):
        start = match.end()
        end = _closing_bracket(code, start)
        inside = code[start + 1:end]
        if "->" in inside and "{" not in inside:
            yield source.line_of(match.start()), "a closure directly in a generic type: hold it in a struct of your own"


def _closing_bracket(code, opening):
    """The offset of the bracket that closes the one at an offset; the offset itself if there is none."""
    kind = code[opening]
    other = {"<": ">", "[": "]"}[kind]
    depth = 0
    for at in range(opening, min(len(code), opening + 500)):
        if code[at] in "{};":
            break
        if code[at] == other and code[at - 1] == "-":
            continue
        depth += (code[at] == kind) - (code[at] == other)
        if depth == 0:
            return at
    return opening


def documentation_openings(source):
    """A documentation comment begins with a verb or with the name of the thing, not with a question word."""
    for number, line in enumerate(source.lines, 1):
        opening = QUESTION.match(line)
        if opening and not (number > 1 and source.lines[number - 2].lstrip().startswith("///")):
            yield number, f'a documentation comment that begins with "{opening[1]}": begin with a verb or a noun'


def missing_labels(source):
    """Of the parameters of a function after the first, at most one has no label, unless it is called by C."""
    if not source.path.startswith("Sources/"):
        return
    for match in DECLARED.finditer(source.code):
        parameters = _parameters(source.code, match.end())
        if sum(bool(UNLABELLED.match(each)) for each in parameters[1:]) > 1 \
                and not any(POINTER.search(each) for each in parameters):
            yield source.line_of(match.start()), (
                "two parameters after the first have no label: a call does not say which is which")


def _parameters(code, start):
    """The parameters of a declaration, as text, from behind its parenthesis."""
    depth, begin, found = 0, start, []
    for at in range(start, len(code)):
        character = code[at]
        if depth == 0 and character in ",)":
            found.append(code[begin:at])
            begin = at + 1
            if character == ")":
                break
        # The arrow of a function type closes nothing.
        depth += (character in "([{<") - (character in ")]}" or character == ">" and code[at - 1] != "-")
    return found


def length(source):
    """A long file has a reason in its first comment."""
    count = len(source.lines) - 1
    if count > MAX_LINES and not re.search(r"\blong\b", source.first_comment(), re.IGNORECASE):
        yield MAX_LINES + 1, f"{count} lines: split the file, or say in its first comment why it is long"


RULES = [
    c_imports, layer_imports, exported_pointers, unproven, limits_of_time, spins, shared_threads, bare_sleeps,
    boxed_closures, documentation_openings, missing_labels, length,
]
