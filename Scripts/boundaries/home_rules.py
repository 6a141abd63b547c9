"""Code that has one home: primitives that are used from everywhere else, the kinds of credentials and of tasks."""

import functools
import re

from . import layers

# The primitive, the pattern of a second copy in a line of code, and the folder and the type that are its home.
HOMES = [
    ("the days of the calendar", re.compile(r"\b(?:719_?468|146_?097)\b"), "Foundations/Time", "CivilDate"),
    (
        "hexadecimal digits",
        # A table, the digit of a value, the value of a digit, a format.
        re.compile(
            r'0123456789(?:abcdef|ABCDEF)"|UInt8\(ascii: "[aA]"\)(?: \+ \w+)? [-+] 10\b|%0?\d?[xX]"|\.hexDigitValue\b'),
        "Foundations/Text", "Hexadecimal"),
    (
        "the text of an error number", re.compile(r"\bstrerror(?:_[rl])?\b"), "Foundations/Files", "SystemFailure"),
    (
        # Any other failure than that of a missing file leaves open whether there is one.
        "the presence of a file", re.compile(r"\baccess\([^)]*\bF_OK\b"), "Foundations/Files", "Folder.hasEntry"),
    (
        "digests, signatures, ciphers and random bytes",
        re.compile(
            r"\bEVP_(?:Q_\w+|(?:MD|MAC|CIPHER)_(?:fetch|CTX_new)|(?:Digest|Encrypt|Decrypt|Cipher|MAC)\w*)\b"
            r"|\bHMAC_\w+\(|\bRAND_(?:priv_)?bytes\b|\bget(?:entropy|random)\("),
        "Foundations/Cryptography", "SHA256, HMACSHA256, Ed25519, SealingKeyring, SystemRandomness"),
    (
        "comparison in constant time", re.compile(r"\bCRYPTO_memcmp\b"), "Foundations/Cryptography",
        "constantTimeEquals"),
    (
        "a continuation", re.compile(r"\b(?:with)?(?:Checked|Unsafe)(?:Throwing)?Continuation\b"),
        "Foundations/Locking", "withContinuation and Continuation"),
    (
        "the system's clocks", re.compile(r"\bclock_gettime\b|\bgettimeofday\b|(?<![.\w])time\(nil\)"),
        "Foundations/Time", "SystemClock"),
    (
        "the time of a clock since a start",
        re.compile(r"\.advanced\(by: \w+\.duration\(to: (?:\w+\.)?clock\.now\)\)"),
        "Foundations/Time", "MonotonicClock"),
    (
        "the first and the last millisecond of RFC 3339",
        re.compile(r"\b(?:62_?167_?219_?200_?000|253_?402_?300_?799_?999)\b"), "Foundations/Time", "Timestamp"),
    (
        "a receiver that discards",
        re.compile(r"transferDidReceive\(_ \w+: RawSpan\) -> ReceiveDecision \{ \.\w+(?:\(\.\w+\))? \}"),
        "Client/Transfer", "DiscardingReceiver"),
    (
        "a source of bytes in memory", re.compile(r"\bclass (?:Bytes|Memory|Data|Array|Empty)\w*: BodySource\b"),
        "Client/Transfer", "MemorySource"),
    (
        "a limit of the server",
        re.compile(
            r"\bvar (?:maxHeaderBytes|maxTargetBytes|maxConnections(?:PerAddress)?|maxBufferedBytes"
            r"|maxPendingResponseBytes|minBodyBytesPerSecond|bodyIdle|keepAlive)\b[^={]*= "),
        "Server/HTTPServer", "ServerLimits and ServerTimeouts"),
    (
        # A queue may have a maxBatch of its own; that of requests is a variable.
        "a limit of a request to the gateway",
        re.compile(r"\b(?:maxJSONBytes|maxWait|var maxBatch)\b(?:: [\w.]+)? = \S"),
        "Gateway/Configuration", "RequestLimits"),
]

# The types of the kinds of credentials, and their settings, which tell the kinds apart.
AUTHENTICATION = "Sources/Client/Authentication/"
KIND_HOMES = (AUTHENTICATION, "Sources/Client/SessionSettings/Credentials/")
# Names of kinds that are names of authentication schemes as well.
SCHEMES = {"basic", "bearer", "digest"}

# The handlers of the kinds of tasks, which tell the kinds apart, and the enumeration of the kinds.
TASK_KIND_HOME = re.compile(r"Sources/Gateway/\w+/Kinds/")
TASK_KINDS = "Sources/Store/TaskStore/TaskState.swift"


def second_copies(source):
    """A primitive is not written again outside of its home; tests may have their own, to check it."""
    if not source.path.startswith("Sources/"):
        return
    for number, line in enumerate(source.lines, 1):
        if source.is_comment(number):
            continue
        for primitive, pattern, home, name in HOMES:
            if pattern.search(line) and not source.path.startswith(f"Sources/{home}/"):
                yield number, f"{primitive}: the home is {home}, use {name}"


@functools.cache
def _kind():
    """The pattern of a kind in code: a case of Credentials, its type written or implied, or the name of a kind."""
    folder = layers.ROOT / AUTHENTICATION
    cases = re.findall(r"^    case (\w+)\(", (folder / "Credentials/Credentials.swift").read_text(), re.MULTILINE)
    texts = [path.read_text() for path in sorted(folder.rglob("*.swift"))]
    names = {name for text in texts for name in re.findall(r'static let kind = "(\w+)"', text)} - SCHEMES
    return re.compile(
        rf"(?:\b[cC]redentials\.|(?<![\w)\]}}?!>`\"\\])\.)(?:{'|'.join(cases)})\b|\"(?:{'|'.join(sorted(names))})\"")


def kinds_of_credentials(source):
    """Code outside of authentication asks credentials for a property, not for their kind."""
    if not source.path.startswith("Sources/") or source.path.startswith(KIND_HOMES):
        return
    for number, line in enumerate(source.lines, 1):
        match = _kind().search(line)
        if match and not source.is_comment(number):
            yield number, f"a kind of credentials, {match[0].strip()}: ask for a property of Credentials"


@functools.cache
def _task_kind():
    """The pattern of a decision by a kind of task: a comparison with a case of TaskKind, or a switch over a kind."""
    text = (layers.ROOT / TASK_KINDS).read_text()
    body = re.search(r"^package enum TaskKind\b.*?^\}", text, re.MULTILINE | re.DOTALL)[0]
    cases = "|".join(re.findall(r"^    case (\w+)$", body, re.MULTILINE))
    kind = r"\b(?:k|\w+K)ind\b"
    return re.compile(
        rf"{kind}\s*[!=]=\s*(?:TaskKind)?\.(?:{cases})\b|(?<!\w)(?:TaskKind)?\.(?:{cases})\s*[!=]=\s*(?:\w+\.)*{kind}"
        rf"|\bcase\s+(?:TaskKind)?\.(?:{cases})\s*=\s*(?:\w+\.)*{kind}"
        r"|\bswitch\s+(?:\w+\.)*(?:(?:record|task|original)\.kind|taskKind)\b")


def kinds_of_tasks(source):
    """Code outside of the handlers asks the handler of a kind of task, and does not compare kinds."""
    if not source.path.startswith("Sources/") or TASK_KIND_HOME.match(source.path):
        return
    for match in _task_kind().finditer(source.code):
        yield source.line_of(match.start()), f"a kind of task, {match[0].strip()}: ask TaskKind.handler"


RULES = [second_copies, kinds_of_credentials, kinds_of_tasks]
