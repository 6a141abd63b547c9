"""What check-boundaries refuses and what it lets pass. Run: python3 -m unittest Scripts/boundaries/boundaries_test.py"""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from boundaries.findings import findings_in  # noqa: E402
from boundaries.swift_source import SwiftSource  # noqa: E402

GATEWAY = "Sources/Gateway/Gateway.swift"


class Refused(unittest.TestCase):
    """A file with one fault gives exactly one finding, at its line, that names the fault."""

    def expect(self, path, text, line, words):
        found = findings_in(path, text)
        self.assertEqual(len(found), 1, f"{text!r} gave {found}")
        self.assertEqual(found[0][0], line)
        self.assertIn(words, found[0][1])

    def test_c_modules_outside_their_target(self):
        self.expect(GATEWAY, "import Logging\nimport CCurl\n", 2, "CurlEngine alone")
        self.expect(GATEWAY, "internal import struct COpenSSL.EVP_MD\n", 1, "Digest, Sealing, WebhookSigning alone")
        self.expect("Sources/errand/Main.swift", "import CLinux\n", 1, "EventLoop, Support alone")
        self.expect(GATEWAY, "import GRDB\n", 1, "TaskStoreSQLite alone")
        self.expect(GATEWAY, "import CPostgres\n", 1, "no target's care")

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
        ):
            self.expect(GATEWAY, f"import Logging\n\n{word}\n", 3, "reason")

    def test_a_documentation_comment_that_says_nothing_of_it(self):
        self.expect(GATEWAY, "/// A box.\nfinal class C: @unchecked Sendable {}\n", 2, "@unchecked Sendable")

    def test_a_reason_that_belongs_to_something_else(self):
        self.expect(GATEWAY, "// The pointer is ours.\nlet a = unsafe f()\nlet b = 1\nlet c = unsafe g()\n", 4, "unsafe")

    def test_a_sleeping_test(self):
        self.expect("Tests/GatewayTests/GatewayTests.swift", "try await Task.sleep(for: .seconds(1))\n", 1, "wait for")
        self.expect("Tests/GatewayTests/GatewayTests.swift", "usleep(10)\n", 1, "wait for")

    def test_a_long_file_without_a_reason(self):
        self.expect(GATEWAY, "// A table.\n" + "let a = 1\n" * 500, 501, "501 lines")

    def test_unfinished_work_and_places(self):
        self.expect("README.md", "first\nTO" "DO: more\n", 2, "unfinished")
        self.expect("README.md", "see /work" "/main\n", 1, "one machine")
        self.expect("Makefile", "all:\n\tcat /tmp" "/a\n", 2, "one machine")
        self.expect("README.md", "from pypi" ".org\n", 1, "registry")
        self.expect("README.md", "Fixes issue" " 12.\n", 1, "commit message")

    def test_vague_folders_and_line_ends(self):
        self.expect("Sources/Gateway/Utils/A.swift", "let a = 1\n", 1, "Utils")
        self.expect("README.md", "a \nb\n", 1, "white space")
        self.expect("README.md", "a\nb", 2, "line feed")
        self.expect("README.md", "a\n\n", 2, "empty lines")


class Allowed(unittest.TestCase):
    """What follows the rules gives no finding."""

    def expect_none(self, path, text):
        self.assertEqual(findings_in(path, text), [], text)

    def test_c_modules_inside_their_target(self):
        self.expect_none("Sources/CurlEngine/CurlEasy.swift", "import CCurl\n")
        self.expect_none("Tests/DigestTests/SHA256Tests.swift", "import COpenSSL\n")
        self.expect_none(GATEWAY, "import Configuration\nimport CurlEngine\n// import CCurl\n")

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
        self.expect_none(GATEWAY, "let unsafe: Bool = a.unsafe\nloop.preconditionIsolated()\n")

    def test_a_long_file_with_a_reason(self):
        self.expect_none(GATEWAY, "// Long: one table, one row a line.\n" + "let a = 1\n" * 500)

    def test_a_clock_of_the_tests_own(self):
        self.expect_none("Tests/Support/TestClock.swift", "func sleep(until deadline: Instant) async throws {\n}\n")


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


if __name__ == "__main__":
    unittest.main()
