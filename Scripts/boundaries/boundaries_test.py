"""Findings and accepted code of check-boundaries. Run: python3 -m unittest Scripts/boundaries/boundaries_test.py"""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from boundaries.dependency_rules import differing_dependencies  # noqa: E402
from boundaries.findings import findings_in  # noqa: E402
from boundaries.filter_rules import declared_suites, unknown_suites  # noqa: E402
from boundaries.list_rules import LISTS, differing_lists  # noqa: E402
from boundaries.swift_rules import imports  # noqa: E402
from boundaries.swift_source import SwiftSource  # noqa: E402

GATEWAY = "Sources/Gateway/Gateway/Gateway.swift"


class Refused(unittest.TestCase):
    """A file with one fault gives exactly one finding, at its line, that names the fault."""

    def expect(self, path, text, line, words):
        found = findings_in(path, text)
        self.assertEqual(len(found), 1, f"{text!r} gave {found}")
        self.assertEqual(found[0][0], line)
        self.assertIn(words, found[0][1])

    def test_c_modules_outside_their_target(self):
        self.expect(GATEWAY, "import Logging\nimport CErrandCurl\n", 2, "CurlEngine alone")
        self.expect(GATEWAY, "internal import struct CErrandOpenSSL.EVP_MD\n", 1, "CertificateTrust, Cryptography, CurlEngine alone")
        self.expect("Sources/Programs/errand/Main.swift", "import CErrandLinux\n", 1, "EventLoop, Files, Support alone")
        self.expect(GATEWAY, "import GRDB\n", 1, "TaskStoreSQLite alone")
        self.expect(GATEWAY, "import CPostgres\n", 1, "no target's care")

    def test_an_import_from_a_layer_above(self):
        self.expect("Sources/Formats/JSON/A.swift", "import Logging\nimport ErrandTransfer\n", 2, "a layer above Formats")
        self.expect("Tests/Formats/JSONTests/A.swift", "@testable import ErrandHTTPServer\n", 1, "a layer above Formats")
        self.expect("Sources/Models/JSON/A.swift", "let a = 1\n", 1, "in no layer")

    def test_second_copies_of_primitives(self):
        for line, home in (
            ("let days = shifted + 719_468", "Time"), ("let era = days / 146097", "Time"),
            ('let digits = Array("0123456789ABCDEF".utf8)', "Text"), ("text.compactMap(\\.hexDigitValue)", "Text"),
            ('let digit = UInt8(ascii: "a") - 10 + value', "Text"), ('byte - UInt8(ascii: "A") + 10', "Text"),
            ('String(format: "%02x", byte)', "Text"), ("String(cString: strerror(errno))", "Files"),
            ("let status = strerror_r(number, &text, 256)", "Files"),
            ("guard access(path, F_OK) == 0 else { return }", "Files"),
            ('let algorithm = EVP_MD_fetch(nil, "SHA2-256", nil)', "Cryptography"),
            ("guard EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1 else { return }", "Cryptography"),
            ("let isRandom = getentropy(&bytes, 24) == 0", "Cryptography"),
            ("let isEqual = CRYPTO_memcmp(one, other, 32) == 0", "Cryptography"),
            ("let value = await withCheckedContinuation { $0.resume(returning: 1) }", "Locking"),
            ("let waiter: UnsafeContinuation<Void, Never>", "Locking"),
            ("let now = Int64(time(nil))", "Time"), ("_ = clock_gettime(CLOCK_REALTIME, &now)", "Time"),
            ("read = { origin.advanced(by: start.duration(to: clock.now)) }", "Time"),
            ("let latest = Instant(milliseconds: 253_402_300_799_999)", "Time"),
        ):
            self.expect(GATEWAY, f"import A\n{line}\n", 2, f"the home is Foundations/{home}")

    def test_second_copies_of_parts_of_higher_layers(self):
        for line, home in (
            ("func transferDidReceive(_ bytes: RawSpan) -> ReceiveDecision { .more }", "Client/Transfer"),
            ("func transferDidReceive(_ bytes: RawSpan) -> ReceiveDecision { .stop(.canceled) }", "Client/Transfer"),
            ("final class BytesSource: BodySource, @unchecked Sendable {", "Client/Transfer"),
            ("public var maxHeaderBytes = 32 * 1024", "Server/HTTPServer"),
            ("package var bodyIdle: Duration = .seconds(30)", "Server/HTTPServer"),
        ):
            path = "Sources/Client/CurlEngine/A.swift"
            found = [message for _, message in findings_in(path, f"/// `@unchecked Sendable`: one.\n{line}\n")]
            self.assertEqual([message for message in found if f"the home is {home}" in message], found)
            self.assertEqual(len(found), 1, line)
        for line in (
            "package var maxJSONBytes = 1 << 20", "package var maxBatch = 1000",
            "package init(maxWait: Duration = .seconds(60)) {}",
        ):
            self.expect(GATEWAY, f"{line}\n", 1, "the home is Gateway/Configuration")

    def test_a_server_in_the_engine(self):
        self.expect("Sources/Gateway/TaskEngine/A.swift", "import ErrandHTTPServer\n", 1, "the home is GatewayAPI")

    def test_a_kind_of_credentials_outside_of_its_homes(self):
        for line in (
            "if case .oauth2(let client) = credentials { origins.insert(client.tokenURL.origin) }",
            "guard case .oauth2 = authenticator.credentials else {", "case .wait, .awsSignature4: break",
            "let key: Credentials = .apiKey(key)", "let isSent = credentials == Credentials.bearer(token: token)",
            "case .digest(let username, _):", "return .basic(username: username, password: password)",
            'reader.report(reason, at: "credentials", "oauth2", "token_url", in: node)',
            'let text = "the token endpoint of `credentials.oauth2`"',
        ):
            self.expect(GATEWAY, f"let a = 1\n{line}\n", 2, "a property of Credentials")
        self.expect(
            "Sources/Client/SessionSettings/Security/A.swift", "case .oauth2: break\n", 1, "credentials, .oauth2")

    def test_a_kind_of_task_outside_of_its_home(self):
        for line in (
            "if record.kind == .callback { return true }", "guard record.kind != .callback, isOpen else { return nil }",
            "let isPlain = task.kind == TaskKind.data", "let isFile = event.taskKind == .download",
            "return kind != .upload", "if .callback == record.kind { return [] }",
            "if case .callback = record.kind { return [] }", "switch record.kind {", "switch event.taskKind {",
        ):
            self.expect(GATEWAY, f"let a = 1\n{line}\n", 2, "ask TaskKind.handler")
        self.expect("Sources/Gateway/TaskEngine/Dispatch/Kinds.swift", "let a = kind\n    == .data\n", 1, "TaskKind.handler")

    def test_pointers_in_exported_signatures(self):
        for text in (
            "package func f(_ p: UnsafeRawPointer) {}\n",
            "public var handle: OpaquePointer { nil }\n",
            "public static func f() -> UnsafeMutableBufferPointer<UInt8> {\n}\n",
            "public static func == (a: S, b: OpaquePointer) -> Bool {\n}\n",
            "public typealias Handle = OpaquePointer\n",
            "package struct S { package init(raw: UnsafePointer<Int8>) {} }\n",
        ):
            self.expect(GATEWAY, text, 1, "in a public or package signature")

    def test_a_pointer_in_a_signature_of_several_lines(self):
        self.expect(
            GATEWAY, "public func f(\n    a: Int,\n    b: UnsafeRawBufferPointer\n)\n    -> Int\n{\n}\n", 3, "signature")
        self.expect(GATEWAY, "public func f(a: Int)\n    -> OpaquePointer\n{\n}\n", 2, "signature")

    def test_a_pointer_in_a_protocol_or_an_enum_case(self):
        self.expect(GATEWAY, "public protocol P {\n    func f(_ p: OpaquePointer)\n}\n", 2, "signature")
        self.expect(GATEWAY, "package enum E {\n    case a(UnsafeRawPointer)\n}\n", 2, "signature")

    def test_unchecked_code_without_a_reason(self):
        for word in (
            "let a = try! f()", 'fatalError("no")', "precondition(a > 0)", "final class C: @unchecked Sendable {}",
            "nonisolated(unsafe) var a = 0", "let a = unsafe f()", "a = try unsafe f()", "preconditionFailure()",
            "try? await store.write(1)",
        ):
            self.expect(GATEWAY, f"import Logging\n\n{word}\n", 3, "reason")

    def test_a_documentation_comment_that_says_nothing_of_it(self):
        self.expect(GATEWAY, "/// A box.\nfinal class C: @unchecked Sendable {}\n", 2, "@unchecked Sendable")

    def test_a_reason_that_belongs_to_something_else(self):
        self.expect(GATEWAY, "// The pointer is ours.\nlet a = unsafe f()\nlet b = 1\nlet c = unsafe g()\n", 4, "unsafe")

    def test_a_sleeping_test(self):
        self.expect("Tests/Gateway/GatewayTests/GatewayTests.swift", "try await Task.sleep(for: .seconds(1))\n", 1, "wait for")
        self.expect("Tests/Gateway/GatewayTests/GatewayTests.swift", "usleep(10)\n", 1, "wait for")

    def test_a_loop_that_polls(self):
        loop = "while !isDone {\n    await Task.yield()\n}\n"
        self.expect("Tests/Gateway/GatewayTests/GatewayTests.swift", loop, 1, "until")
        self.expect("Tests/Gateway/GatewayTests/GatewayTests.swift", "while queue[a] == 1 { await Task.yield() }\n", 1, "until")
        self.expect(GATEWAY, "while try await client.status() != 200 {}\n", 1, "polls")
        self.expect(GATEWAY, "while folder.isEmpty {\n    _ = try await client.list()\n}\n", 1, "polls")
        self.expect(GATEWAY, loop, 1, "polls")

    def test_a_queue_on_the_threads_of_the_pool(self):
        for text in (
            "DispatchQueue.global().async { f() }\n",
            "let source = DispatchSource.makeSignalSource(signal: 1, queue: .global())\n",
            'let a = DispatchQueue(label: "a", target: .global(qos: .utility))\n',
            'let a = DispatchQueue(label: "a", attributes: .concurrent)\n',
            'let a = DispatchQueue(label: "a", attributes: [.initiallyInactive, .concurrent])\n',
            "DispatchQueue.concurrentPerform(iterations: 9) { f($0) }\n",
        ):
            self.expect(GATEWAY, f"import Dispatch\n{text}", 2, "the threads of Swift's pool")

    def test_a_sleep_without_a_bound(self):
        for text in ("try await Task.sleep(for: pause)\n", "try await clock.sleep(\n    for: pause)\n"):
            self.expect(GATEWAY, f"import ErrandTime\n{text}", 2, "boundedSleep(for:)")

    def test_an_upper_limit_for_a_measured_time(self):
        for text in (
            "#expect(clock.now - start < .seconds(10))\n",
            "#expect(outcome.metrics.total >= short && outcome.metrics.total <= .milliseconds(30))\n",
            "#expect(.seconds(1) >= time)\n",
            "// It takes no longer.\ntry #require(time < Duration.seconds(1))\n",
        ):
            self.expect("Tests/Gateway/GatewayTests/GatewayTests.swift", text, text.count("\n"), "upper limit")
        self.expect("Tests/Gateway/GatewayTests/A.swift", '@Suite("A", .timeLimit(.minutes(1)))\n', 1, ".hang")

    def test_a_closure_directly_in_a_generic_type(self):
        for text in (
            "private let a = Mutex<(@Sendable (Int) -> Void)?>(nil)\n",
            "var a: Mutex<(Int, @Sendable () async throws -> Void)>\n",
            "var a: Box<\n    () -> Void\n>\n",
            "var a = Wheel<@Sendable () -> Void>()\n",
            "var a: [@Sendable () -> Void] = []\n",
            "var a: [Int: (Int) -> Int] = [:]\n",
            "func f() -> [() -> Void] {\n}\n",
        ):
            self.expect(GATEWAY, text, 1, "a closure directly in a generic type")

    def test_a_long_file_without_a_reason(self):
        self.expect(GATEWAY, "// A table.\n" + "let a = 1\n" * 500, 501, "501 lines")

    def test_unfinished_work_and_places(self):
        self.expect("README.md", "first\nTO" "DO: more\n", 2, "unfinished")
        self.expect("README.md", "see /work" "/main\n", 1, "one machine")
        self.expect("Makefile", "all:\n\tcat /tmp" "/a\n", 2, "one machine")
        self.expect("README.md", "from pypi" ".org\n", 1, "registry")
        self.expect("README.md", "Fixes issue" " 12.\n", 1, "commit message")

    def test_words_for_persons(self):
        for word in ("some" "body", "No" "body", "who" "ever", "h" "e", "h" "is"):
            self.expect(GATEWAY, f"// The door that {word} opens.\n", 1, "names a person")

    def test_a_second_spelling(self):
        for word in ("cancel" "led", "Cancel" "ling", "untilCancel" "led"):
            self.expect("README.md", f"first\nIt is {word}.\n", 2, "write canceled")

    def test_a_documentation_comment_that_begins_with_a_question(self):
        for word in ("What", "Who", "Whether", "How", "Why", "Where"):
            self.expect(GATEWAY, f"let a = 1\n    /// {word} it is.\nlet b = 1\n", 2, "begins with")

    def test_parameters_without_labels(self):
        self.expect(GATEWAY, "\nfunc put(_ a: Int, _ b: Int, _ c: [String: Int]) {}\n", 2, "have no label")
        self.expect(GATEWAY, "extension A {\n    init(of a: Int, _ b: Int, c: Int, _ d: Int) {}\n}\n", 2, "have no label")

    def test_markers_of_a_merge_conflict(self):
        for marker in ("<" * 7 + " HEAD", ">" * 7 + " 5b9d496 (Schedules)", "|" * 7 + " base", "<" * 7):
            for path in ("docs/api.md", "config.yaml", GATEWAY, "Scripts/run"):
                self.expect(path, f"first\n{marker}\nlast\n", 2, "merge conflict")

    def test_a_conflict_in_a_foreign_text(self):
        text = "a \n" + "<" * 7 + " HEAD\nb"
        self.assertEqual([line for line, _ in findings_in("LICENSE", text, is_foreign=True)], [2])

    def test_vague_folders_and_line_ends(self):
        self.expect("Sources/Gateway/Gateway/Utils/A.swift", "let a = 1\n", 1, "Utils")
        self.expect("README.md", "a \nb\n", 1, "white space")
        self.expect("README.md", "a\nb", 2, "line feed")
        self.expect("README.md", "a\n\n", 2, "empty lines")


class Allowed(unittest.TestCase):
    """Code that follows the rules gives no finding."""

    def expect_none(self, path, text):
        self.assertEqual(findings_in(path, text), [], text)

    def test_c_modules_inside_their_target(self):
        self.expect_none("Sources/Client/CurlEngine/CurlEasy.swift", "import CErrandCurl\n")
        self.expect_none("Tests/Foundations/CryptographyTests/Digests/SHA256Tests.swift", "import CErrandOpenSSL\n")
        self.expect_none(GATEWAY, "import ErrandConfiguration\nimport ErrandCurlEngine\n// import CErrandCurl\n")

    def test_imports_of_the_own_layer_and_below(self):
        self.expect_none("Sources/Client/Cookies/A.swift", "import ErrandJSON\nimport ErrandLocking\nimport ErrandTransfer\n")
        self.expect_none("Tests/Support/A.swift", "import ErrandTaskStore\n")
        self.expect_none("Sources/Gateway/GatewayAPI/A.swift", "import ErrandHTTPServer\n")
        self.expect_none("Fuzz/Sources/Fuzzing/A.swift", "import ErrandGateway\n")

    def test_pointers_inside(self):
        self.expect_none(GATEWAY, "public func f() {\n    let p: OpaquePointer? = nil\n}\nfunc g(_ p: OpaquePointer) {}\n")
        self.expect_none(GATEWAY, "public private(set) var a = 0\nlet p: OpaquePointer\n")
        self.expect_none(GATEWAY, "public enum E {\n    case a\n    private var p: OpaquePointer? { nil }\n}\n")

    def test_unchecked_code_with_its_reason(self):
        self.expect_none(GATEWAY, "// The buffer outlives the call.\nlet a = unsafe f()\nlet b = unsafe g()\n")
        self.expect_none(GATEWAY, "// The buffer outlives the call.\nlet a = try f(\n    unsafe g(),\n    unsafe h())\n")
        self.expect_none(GATEWAY, "/// `@unchecked Sendable`: guarded by the lock.\nfinal class C: @unchecked Sendable {}\n")
        self.expect_none(GATEWAY, "// Set once, before any thread.\n@usableFromInline\nnonisolated(unsafe) var a = 0\n")

    def test_words_in_strings_comments_and_names(self):
        self.expect_none(GATEWAY, 'let a = "unsafe \\(b["try!"]) fatalError"\n// unsafe\n/* try! /* x */ fatalError */\n')
        self.expect_none(GATEWAY, 'let a = """\n    "precondition(false)"\n    """\nlet b = #"unsafe"#\n')
        self.expect_none(GATEWAY, "guard (try? await clock.boundedSleep(for: pause)) != nil else { return }\n")
        self.expect_none(GATEWAY, "let unsafe: Bool = a.unsafe\nloop.preconditionIsolated()\n")

    def test_closures_elsewhere(self):
        self.expect_none(GATEWAY, "struct A { let f: @Sendable (Mutex<Int>) -> Array<Int> }\nlet b = Mutex<A?>(nil)\n")
        self.expect_none(GATEWAY, "var resume: (@Sendable () -> Void)?\nlet a: Set<Int> = f { (b) -> Int in b }\n")
        self.expect_none(GATEWAY, "if a < b, c[d] == e { f() }\nlet g: [Int] = [1]\nfunc h<T>(_ i: T) -> T { i }\n")
        self.expect_none(GATEWAY, "let a = [1: { (b: Int) -> Int in b }]\n")
        self.expect_none("Tests/Gateway/GatewayTests/A.swift", "var a: [() -> Void] = []\n")

    def test_bounded_sleeps(self):
        self.expect_none("Sources/Foundations/Time/Clock+BoundedSleep.swift", "try await sleep(for: duration)\n")
        self.expect_none(GATEWAY, "func sleep(for duration: Duration) {}\ntry await clock.sleep(until: end)\n")
        self.expect_none("Tests/Gateway/GatewayTests/A.swift", "try await clock.sleep(for: pause)\n")

    def test_queues_with_threads_of_their_own_and_other_words(self):
        self.expect_none(GATEWAY, 'let a = DispatchQueue(label: "a")\nlet b = SerialQueues(count: 4, label: "b")\n')
        self.expect_none(GATEWAY, "// Not DispatchQueue.global().\nlet a = limits.concurrent\nlet b = \\Limits.concurrent\n")
        self.expect_none("Tests/Gateway/GatewayTests/A.swift", "DispatchQueue.global().async { f() }\n")

    def test_a_question_within_a_documentation_comment(self):
        self.expect_none(GATEWAY, "/// The state.\n///\n/// What follows is kept.\nlet a = 1\n// Why it is so.\n")

    def test_parameters_with_labels_and_callbacks_of_c(self):
        self.expect_none(GATEWAY, "func put(_ a: Int, _ b: Int) {}\nfunc put(_ a: Int, b: Int, _ c: (Int) -> Void) {}\n")
        self.expect_none(GATEWAY, "func told(_ a: OpaquePointer?, _ b: Int32, _ c: Int32) {}\n")
        self.expect_none("Tests/Gateway/GatewayTests/A.swift", "func put(_ a: Int, _ b: Int, _ c: Int) {}\n")

    def test_primitives_in_their_home_and_in_tests(self):
        self.expect_none("Sources/Foundations/Time/CivilDate.swift", "let epoch = 719_468\n")
        self.expect_none("Sources/Foundations/Files/SystemFailure.swift", "strerror_r(number, &text, 256)\n")
        self.expect_none("Tests/Formats/JSONTests/A.swift", "let text = String(cString: strerror(errno))\n")
        self.expect_none("Sources/Client/CurlEngine/TLS/A.swift", "EVP_PKEY_free(key)\nlet end = zone.time(nil)\n")
        self.expect_none("Sources/Server/HTTPServer/ServerLimits.swift", "public var maxConnections = 4096\n")
        self.expect_none("Sources/Gateway/Configuration/A.swift", "package var maxWait = Duration.seconds(60)\n")
        self.expect_none("Sources/Server/MicroHTTPServer/A.swift", "var bodyIdle: Milliseconds\nlet a = b.maxConnections\n")
        self.expect_none(GATEWAY, "let text = gnutls_strerror(number)\n// The days to 1970-01-01 are 719_468.\n")

    def test_a_kind_of_credentials_in_its_homes_and_other_words(self):
        for path in ("Sources/Client/Authentication/Credentials/A", "Sources/Client/SessionSettings/Credentials/A"):
            self.expect_none(f"{path}.swift", 'case .oauth2: "oauth2"\n')
        self.expect_none("Tests/Client/SessionCoreTests/A.swift", "configuration.credentials = .oauth2(client)\n")
        self.expect_none("Fuzz/Sources/Fuzzing/A.swift", "configuration.credentials = .apiKey(key)\n")
        self.expect_none(GATEWAY, "let a = token.digest\nlet b = tokens.map(\\.digest)\nlet c = key?.digest\n")
        self.expect_none(GATEWAY, 'guard parts[0] == "bearer" else { return }\n/// $0.credentials = .bearer(token: t)\n')

    def test_a_kind_of_task_in_its_home_and_other_kinds(self):
        self.expect_none("Sources/Gateway/TaskEngine/Kinds/A.swift", "let isPlain = record.kind == .data\n")
        self.expect_none("Tests/Gateway/TaskEngineTests/Kinds/A.swift", "#expect(task.kind == .callback)\n")
        self.expect_none(GATEWAY, "// Not record.kind == .callback.\nlet text = \"record.kind == .callback\"\n")
        self.expect_none(GATEWAY, "if event.kind != .deleted, wanted != kind { return }\nswitch value.kind {\n")
        self.expect_none(GATEWAY, "values.kind = .data\nlet a = TaskRecord(kind: .callback)\nwriter.string(record.kind)\n")

    def test_the_spelling_and_a_name_of_the_standard_library(self):
        self.expect_none(GATEWAY, "// A canceled task, its cancellation.\nguard !Task.isCancelled else { return }\n")

    def test_a_long_file_with_a_reason(self):
        self.expect_none(GATEWAY, "// Long: one table, one row a line.\n" + "let a = 1\n" * 500)

    def test_lines_that_only_look_like_a_merge_conflict(self):
        self.expect_none("docs/api.md", "Heading\n=======\n\n" + "<" * 8 + "\n" + "a " + ">" * 7 + " b\n")

    def test_limits_of_times_that_are_not_measured(self):
        for text in (
            "// Not measured: the clock is the test's own.\n#expect(pause < .seconds(10))\n",
            "#expect(time >= .milliseconds(300))\n", "Soak.expect(time, within: .seconds(1))\n",
            '@Suite("A", .timeLimit(.hang))\n',
        ):
            self.expect_none("Tests/Gateway/GatewayTests/GatewayTests.swift", text)

    def test_a_clock_of_the_tests_own(self):
        self.expect_none("Tests/Support/TestClock.swift", "func sleep(until deadline: Instant) async throws {\n}\n")


class Lists(unittest.TestCase):
    """Each repeated list, with one item removed, added or exchanged, gives one finding at the list."""

    ROOT = pathlib.Path(__file__).resolve().parents[2]

    def read(self, path):
        file = self.ROOT / path
        return file.read_text() if file.is_file() else None

    def found(self, changed):
        """The findings in the project's files, some of them changed."""
        return list(differing_lists(lambda path: changed.get(path, self.read(path))))

    def lines_of(self, path, copy):
        """The text of a file before a list and from it on, the line of the list and its items."""
        text = self.read(path)
        first, items = copy(text)
        lines = text.splitlines(keepends=True)
        return "".join(lines[:first - 1]), "".join(lines[first - 1:]), first, items

    def test_the_projects_lists_agree(self):
        self.assertEqual(self.found({}), [])

    def test_a_case_that_no_document_has(self):
        path = "Sources/Client/RequestSerialization/RequestSerializer.swift"
        text = self.read(path).replace("    case raw\n", "    case raw\n    case cbor\n")
        found = self.found({path: text})
        self.assertEqual(
            [place for place, _, _ in found],
            ["docs/sessions.md", "config.yaml", "Sources/Client/SessionSettings/Sessions/RequestConfiguration+Settings.swift"])
        self.assertTrue(all(message.endswith("form, json, plist, multipart, raw, cbor") for _, _, message in found))

    def test_another_name_in_a_document(self):
        for origin, _, copies in LISTS:
            for path, copy in copies:
                before, rest, first, items = self.lines_of(path, copy)
                found = self.found({path: before + rest.replace(items[-1], f"{items[-1]}x", 1)})
                if items[-1] in "".join(items[:-1]):
                    # A name that another one contains: some item has changed, and others may be gone.
                    self.assertEqual({place for place, _, _ in found}, {path}, items)
                    continue
                self.assertEqual([(place, line) for place, line, _ in found], [(path, first)], items)
                self.assertIn(f"{items[-1]}x differs from {origin}: ", found[0][2])

    def test_a_list_that_is_gone(self):
        found = self.found({"docs/api.md": "# HTTP API\n"})
        self.assertEqual([(place, line) for place, line, _ in found], [("docs/api.md", 1)])
        self.assertIn("is missing: /healthz, /readyz, ", found[0][2])
        found = self.found({"Sources/Gateway/GatewayAPI/Operations/OperationEndpoints.swift": "struct A {}\n"})
        self.assertEqual([place for place, _, _ in found], ["Sources/Gateway/GatewayAPI/Operations/OperationEndpoints.swift"])

    def test_another_project(self):
        self.assertEqual(list(differing_lists(lambda _: None)), [])


class Filters(unittest.TestCase):
    """A name in a filter is that of a suite or a module with tests."""

    def test_a_name_without_tests(self):
        suites = declared_suites("Tests/A/ATests/ATests.swift", "extension Acceptance {\n    struct StopTests {\n")
        suites |= declared_suites("Package.swift", 'tests(\n    "FuzzingTests", in: .programs)')
        self.assertEqual(declared_suites("Sources/A/B.swift", "struct NoTests {"), set())
        text = "all:\n\tswift test --filter 'StopTests|StoppTests|FuzzingTests/'\n"
        self.assertEqual(
            list(unknown_suites({"Makefile": text}, suites)),
            [("Makefile", 2, "StoppTests selects no tests: there is no such suite")])


class Scanning(unittest.TestCase):
    """The scanner keeps every character in its place."""

    def test_offsets_stay(self):
        text = 'let a = "x\\"y" /* é */ + b // c\nlet d = #"\\("#\n'
        source = SwiftSource("A.swift", text)
        self.assertEqual(len(source.code), len(text))
        self.assertEqual(source.code.index("+ b"), text.index("+ b"))
        self.assertNotIn("c", source.code)
        self.assertEqual(source.line_of(text.index("let d")), 2)

    def test_hostile_text_ends(self):
        for text in ('"', '"""', "/*", '#"', '"\\(', '"\\', "", "\n", '"\\("\\("'):
            self.assertEqual(len(SwiftSource("A.swift", text).code), len(text))


class Dependencies(unittest.TestCase):
    """The dependencies in Package.swift are the imports of each target."""

    PACKAGE = """let package = Package(
    targets: [
        module("Text", in: .foundations),
        // module("Old", in: .formats, uses: ["Text"])
        module("JSON", in: .formats, uses: ["Text"], packages: [logging]),
        tests(
            "JSONTests", in: .formats,
            // Not "Text".
            uses: ["JSON", "Support"]),
        module("Support", at: "Tests/Support", uses: ["CLinux"]),
    ])
"""
    SOURCES = {
        "Sources/Formats/JSON/A.swift": "package import ErrandText\nimport Logging\n",
        "Tests/Formats/JSONTests/A.swift": "import ErrandSupport\n\n@testable import ErrandJSON\n",
        "Tests/Support/A.swift": "import CErrandLinux\n// import ErrandText\n",
    }

    def differing(self, **changed):
        files = {**self.SOURCES, **{path.replace("__", "/") + ".swift": text for path, text in changed.items()}}
        found = {path: list(imports(SwiftSource(path, text))) for path, text in files.items()}
        return list(differing_dependencies(self.PACKAGE, found))

    def test_the_same(self):
        self.assertEqual(self.differing(), [])

    def test_an_import_of_what_only_another_dependency_uses(self):
        (path, line, message), = self.differing(Tests__Formats__JSONTests__B="import Testing\nimport struct ErrandText.A\n")
        self.assertEqual((path, line), ("Tests/Formats/JSONTests/B.swift", 2))
        self.assertIn("does not name it as a dependency of ErrandJSONTests", message)

    def test_a_dependency_without_an_import(self):
        (path, line, message), = self.differing(Tests__Support__A="import Glibc\n")
        self.assertEqual((path, line), ("Package.swift", 10))
        self.assertIn("ErrandSupport imports CErrandLinux in no file", message)


if __name__ == "__main__":
    unittest.main()
